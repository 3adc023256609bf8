import * as vscode from 'vscode';
import { orUndefined } from '../../core/support/background.ts';
import { newId } from '../../core/support/id.ts';
import {
  firstLine,
  isFinished,
  linesEnding,
  partsOf,
  unfinishedName,
  type KeptEnds,
  type KeptFiles,
  type KeptPart,
  type KeptStatus,
} from './keptFiles.ts';
import { ifThere } from './location.ts';

const { fs } = vscode.workspace;

/**
 * Kept files without Node, where files can't be appended to: lines are a folder of segments. A segment
 * is a small file, which is written once as a whole, and named by its number and its writer, since
 * another window may use the same number at the same time.
 */
export class VirtualFiles implements KeptFiles {
  readonly #root: vscode.Uri;
  readonly #writer = newId().slice(0, 8);
  /** The last append to each file: the next one waits for it. */
  readonly #appended = new Map<string, Promise<unknown>>();
  /** Number of the last segment of this window. Never reused, so that a name always means one text. */
  #number = -1;

  constructor(folder: vscode.Uri) {
    this.#root = folder;
  }

  get location(): string {
    return this.#root.toString(true);
  }

  folder(path: string): KeptFiles {
    return new VirtualFiles(this.#uri(path));
  }

  /** VS Code keeps its storage from other users and other sites. */
  async prepare(): Promise<void> {
    await fs.createDirectory(this.#root);
  }

  async names(folder = ''): Promise<readonly string[]> {
    const only = fileNamedBy(folder);
    const names = (await this.#entries(folder)).flatMap(([name, type]) => {
      if (isFolder(type)) return [`${name}${linesEnding}`];
      if (segmentOf(name) !== undefined) return only === undefined ? [] : [only];
      return isFinished(name) ? [name] : [];
    });
    return [...new Set(names)].sort();
  }

  async folders(folder = ''): Promise<readonly string[]> {
    const folders = (await this.#entries(folder)).filter(([, type]) => isFolder(type));
    return folders.map(([name]) => name).sort();
  }

  async status(file: string): Promise<KeptStatus | undefined> {
    const statuses = hasLines(file)
      ? await Promise.all((await this.#segments(file)).map(({ uri }) => fs.stat(uri)))
      : [await ifThere(fs.stat(this.#uri(file)))];
    const parts = statuses.filter((part) => part !== undefined);
    if (parts.length === 0) return undefined;
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    return { size, modified: Math.max(...parts.map(({ mtime }) => mtime)) };
  }

  async read(file: string): Promise<string | undefined> {
    if (hasLines(file)) {
      const segments = await this.#segments(file);
      return segments.length === 0 ? undefined : joinLines(await textsOf(segments));
    }
    const bytes = await ifThere(fs.readFile(this.#uri(file)));
    return bytes && decode(bytes);
  }

  async readEnds(file: string, bytes: number): Promise<KeptEnds | undefined> {
    const segments = await this.#segments(file);
    const [first] = await textsOf(segments.slice(0, 1));
    if (first === undefined) return undefined;
    const last: string[] = [];
    let length = 0;
    for (const segment of segments.toReversed()) {
      if (length >= bytes) break;
      const [text = ''] = await textsOf([segment]);
      last.unshift(text);
      length += text.length;
    }
    const isWhole = last.length === segments.length;
    return { first: firstLine(first), last: joinLines(last), isWhole };
  }

  async readOn(file: string, from = ''): Promise<KeptPart | undefined> {
    const segments = await this.#segments(file);
    if (segments.length === 0) return undefined;
    // A writer's segments come in order, so its last one says which of them were read.
    const last = from === '' ? [] : from.split(' ').flatMap((name) => segmentOf(name) ?? []);
    const isStart =
      last.length === 0 ||
      !last.every(({ name }) => segments.some((segment) => segment.name === name));
    const before = new Map(isStart ? [] : last.map(({ writer, number }) => [writer, number]));
    const fresh = segments.filter(({ writer, number }) => number > (before.get(writer) ?? -1));
    const others = fresh.filter(({ writer }) => writer !== this.#writer);
    const ours = fresh.filter(({ writer }) => writer === this.#writer);
    const text = joinLines([...(await textsOf([...others, ...ours])), '']);
    const ends = new Map(segments.map(({ writer, name }) => [writer, name]));
    return { text, end: [...ends.values()].join(' '), isStart, isWhole: true };
  }

  async append(file: string, lines: string, mustExist = false, isAlone = false): Promise<void> {
    const before = this.#appended.get(file) ?? Promise.resolve();
    const added = before.then(async () => {
      if (!isAlone) {
        // Another window may have written a segment.
        const segments = await this.#segments(file);
        if (mustExist && segments.length === 0)
          throw new Error(`The file was deleted: ${this.#uri(file).path}`);
        this.#number = Math.max(this.#number, ...segments.map(({ number }) => number));
      }
      const name = `${String((this.#number += 1)).padStart(8, '0')}-${this.#writer}.jsonl`;
      await this.#put(`${storedPath(file)}/${name}`, lines);
    });
    this.#appended.set(file, orUndefined(added));
    await added;
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  async create(file: string, text: string): Promise<boolean> {
    if ((await this.status(file)) !== undefined) return false;
    try {
      await this.#put(file, text);
      return true;
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileExists') return false;
      throw error;
    }
  }

  /** Writes in one step, without a rename: VS Code's first removes the file that it replaces. */
  async write(file: string, text: string): Promise<void> {
    await fs.writeFile(this.#uri(file), new TextEncoder().encode(text));
  }

  async replace(file: string, text: string): Promise<void> {
    if ((await this.status(file)) !== undefined) await this.write(file, text);
  }

  async rename(from: string, to: string): Promise<void> {
    const target = this.#uri(storedPath(to));
    await fs.createDirectory(vscode.Uri.joinPath(target, '..'));
    await fs.rename(this.#uri(storedPath(from)), target, { overwrite: false });
  }

  /** Segments are never written again. */
  setAside(): Promise<void> {
    return Promise.resolve();
  }

  async remove(path: string): Promise<void> {
    await ifThere(fs.delete(this.#uri(storedPath(path)), { recursive: true }));
  }

  async removeEmpty(folder: string): Promise<void> {
    const entries = await ifThere(fs.readDirectory(this.#uri(folder)));
    if (entries?.length === 0) await ifThere(fs.delete(this.#uri(folder)));
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#root, ...partsOf(path));
  }

  async #entries(folder: string): Promise<readonly [string, vscode.FileType][]> {
    return (await ifThere(fs.readDirectory(this.#uri(folder)))) ?? [];
  }

  /** Segments of a file, in the order of their numbers. */
  async #segments(file: string): Promise<readonly Segment[]> {
    const folder = storedPath(file);
    const names = (await this.#entries(folder)).map(([name]) => name).sort();
    return names.flatMap((name) => {
      const segment = segmentOf(name);
      return segment === undefined ? [] : [{ ...segment, uri: this.#uri(`${folder}/${name}`) }];
    });
  }

  /** Creates a file atomically: others see all of it or nothing. */
  async #put(path: string, text: string): Promise<void> {
    const whole = this.#uri(unfinishedName(path, newId()));
    await fs.writeFile(whole, new TextEncoder().encode(text));
    try {
      await fs.rename(whole, this.#uri(path), { overwrite: false });
    } catch (error) {
      await ifThere(fs.delete(whole));
      throw error;
    }
  }
}

interface SegmentName {
  readonly name: string;
  readonly number: number;
  readonly writer: string;
}

interface Segment extends SegmentName {
  readonly uri: vscode.Uri;
}

function segmentOf(name: string): SegmentName | undefined {
  const [, number, writer = ''] = /^(\d{8,})(?:-(\w+))?\.jsonl$/.exec(name) ?? [];
  return number === undefined ? undefined : { name, number: Number(number), writer };
}

function hasLines(file: string): boolean {
  return file.endsWith(linesEnding);
}

/** The path at which a file is stored. The folder of its segments has its name. */
function storedPath(path: string): string {
  if (!hasLines(path)) return path;
  const around = path.slice(0, path.lastIndexOf('/'));
  return path === `${around}/${fileNamedBy(around)}` ? around : path.slice(0, -linesEnding.length);
}

/**
 * The file of lines after which a folder is named, with a number in front, as for a deleted chat. It is
 * the only file in the folder, and its segments are in the folder itself.
 */
function fileNamedBy(folder: string): string | undefined {
  const [, name] = /(?:^|\/)\d+-([^/]+)$/.exec(folder) ?? [];
  return name && `${name}${linesEnding}`;
}

function isFolder(type: vscode.FileType): boolean {
  return (type & vscode.FileType.Directory) !== 0;
}

async function textsOf(segments: readonly Segment[]): Promise<readonly string[]> {
  return Promise.all(segments.map(async ({ uri }) => decode(await fs.readFile(uri))));
}

/** A byte order mark belongs to the text. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** A segment may end inside a line. */
function joinLines(texts: readonly string[]): string {
  const last = texts.length - 1;
  return texts
    .map((text, index) => (index < last && !text.endsWith('\n') ? `${text}\n` : text))
    .join('');
}
