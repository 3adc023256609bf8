/** Model of `KeptFiles`, with a map in place of a disk. See {@link storageCalls}. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { KeptFiles } from '../../src/host/platform/keptFiles.ts';

/** A folder in which several windows store files. Empty at first. */
export interface KeptFolder {
  /** Opens the folder in another window. */
  window(): KeptFiles;
  /** Writes the beginning of a line, as a crash does. */
  tear(file: string, text: string): Promise<void>;
  /** Leaves a temporary file behind, as a crash does. */
  leave(file: string): Promise<void>;
  dispose(): Promise<void>;
}

const lineFiles = ['chats/a.jsonl', 'chats/b-1.jsonl', 'deleted/17-a/a.jsonl', 'usage/2030.jsonl'];
const textFiles = ['heads.json', 'changes/c/t/x.txt', 'changes/c/t/y.txt', 'locks/a.1.lock'];
const folders = ['chats', 'deleted/17-a', 'usage', 'changes/c/t', 'locks', 'missing/deep'];

/** Start of every torn line, and of no other. */
const torn = '{"torn';

/** Expected files, and what three windows have read of them. */
export class KeptFilesModel {
  /** Lines of each file. A text file has one element. */
  readonly files = new Map<string, readonly string[]>();
  readonly #folder: KeptFolder;
  readonly #windows: readonly KeptFiles[];
  /** Lines that a window has read from a file, and where it continues. */
  readonly #seen = new Map<string, { readonly lines: readonly string[]; readonly end: string }>();
  #count = 0;

  constructor(folder: KeptFolder) {
    this.#folder = folder;
    this.#windows = [folder.window(), folder.window(), folder.window()];
  }

  async append(window: number, file: string, mustExist: boolean): Promise<void> {
    const line = this.#next('line');
    const appending = this.#window(window).append(file, `${line}\n`, mustExist);
    if (mustExist && !this.files.has(file)) await assert.rejects(appending);
    else await appending.then(() => this.files.set(file, [...this.#lines(file), line]));
  }

  async tear(_window: number, file: string): Promise<void> {
    await this.#folder.tear(file, this.#next(torn));
    this.files.set(file, this.#lines(file));
  }

  async readOn(window: number, file: string): Promise<void> {
    const before = this.#seen.get(`${window} ${file}`);
    const part = await this.#window(window).readOn(file, before?.end);
    assert.equal(part !== undefined, this.files.has(file));
    if (part === undefined) return void this.#seen.delete(`${window} ${file}`);
    const lines = [...(part.isStart ? [] : (before?.lines ?? [])), ...linesOf(part.text)];
    // Not all implementations order lines of different windows.
    assert.deepEqual(lines.toSorted(), this.#lines(file).toSorted());
    this.#seen.set(`${window} ${file}`, { lines, end: part.end });
  }

  async create(window: number, file: string): Promise<void> {
    const text = this.#next('\ufefftext\r\n');
    assert.equal(await this.#window(window).create(file, text), !this.files.has(file));
    if (!this.files.has(file)) this.files.set(file, [text]);
  }

  async write(window: number, file: string): Promise<void> {
    const text = this.#next('text');
    await this.#window(window).write(file, text);
    this.files.set(file, [text]);
  }

  async replace(window: number, file: string): Promise<void> {
    const text = this.#next('text');
    await this.#window(window).replace(file, text);
    if (this.files.has(file)) this.files.set(file, [text]);
  }

  async leave(_window: number, file: string): Promise<void> {
    await this.#folder.leave(file);
  }

  async rename(window: number, from: string, to: string): Promise<void> {
    const lines = this.files.get(from);
    const renaming = this.#window(window).rename(from, to);
    if (lines === undefined || this.files.has(to)) return assert.rejects(renaming);
    await renaming;
    this.files.delete(from);
    this.files.set(to, lines);
  }

  async remove(window: number, path: string): Promise<void> {
    await this.#window(window).remove(path);
    for (const file of this.files.keys())
      if (file === path || file.startsWith(`${path}/`)) this.files.delete(file);
  }

  async removeEmpty(window: number, folder: string): Promise<void> {
    await this.#window(window).removeEmpty(folder);
  }

  /** Checks the files in each window, and in a new one. */
  async check(): Promise<void> {
    for (const window of [...this.#windows, this.#folder.window()]) {
      for (const file of lineFiles) await this.#checkLines(window, file);
      for (const file of textFiles) await this.#checkText(window, file);
      for (const folder of folders) assert.deepEqual(await window.names(folder), this.#in(folder));
      assert.deepEqual(await window.folders('missing'), []);
      if (this.#in('changes/c/t').length > 0)
        assert.deepEqual(await window.folders('changes'), ['c']);
    }
  }

  async readEnds(window: number, file: string): Promise<void> {
    for (const bytes of [1, 30, 10_000]) await this.#checkEnds(this.#window(window), file, bytes);
  }

  async #checkLines(window: KeptFiles, file: string): Promise<void> {
    const text = await window.read(file);
    assert.equal(text !== undefined, this.files.has(file), file);
    assert.deepEqual(linesOf(text ?? ''), this.#lines(file));
    const status = await window.status(file);
    assert.equal(status !== undefined, this.files.has(file), file);
    if (text?.includes(torn) === false) assert.equal(status?.size, Buffer.byteLength(text));
  }

  async #checkEnds(window: KeptFiles, file: string, bytes: number): Promise<void> {
    const ends = await window.readEnds(file, bytes);
    const text = await window.read(file);
    assert.equal(ends === undefined, text === undefined);
    if (text === undefined || ends === undefined) return;
    assert.equal(ends.first.trimEnd(), text.split('\n', 1)[0]);
    assert.ok(text.endsWith(ends.last) && (!ends.isWhole || ends.last === text));
    const before = text.slice(0, text.length - ends.last.length);
    assert.ok(before === '' || ends.last === '' || before.endsWith('\n'));
    assert.equal(bytes < 10_000 || ends.isWhole, true);
  }

  async #checkText(window: KeptFiles, file: string): Promise<void> {
    const [text] = this.#lines(file);
    assert.equal(await window.read(file), text);
    assert.equal((await window.status(file))?.size, text && Buffer.byteLength(text));
  }

  #in(folder: string): readonly string[] {
    const files = [...this.files.keys()].filter((file) => file.startsWith(`${folder}/`));
    return files.map((file) => file.slice(folder.length + 1)).toSorted();
  }

  #lines(file: string): readonly string[] {
    return this.files.get(file) ?? [];
  }

  #window(window: number): KeptFiles {
    const keptFiles = this.#windows[window];
    assert.ok(keptFiles);
    return keptFiles;
  }

  #next(beginning: string): string {
    return `${beginning} ${this.#count++} ${'é'.repeat(this.#count % 40)}`;
  }
}

/** Lines of a text without the torn ones. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith(torn));
}

type Call = fc.AsyncCommand<KeptFilesModel, undefined>;

const onLines = ['tear', 'readOn', 'readEnds'] as const;
const onTexts = ['create', 'write', 'replace', 'leave'] as const;
const window = fc.nat(2);
const line = fc.constantFrom(...lineFiles);
const text = fc.constantFrom(...textFiles);

/** A call that prints as source code. */
function call(source: string, run: (model: KeptFilesModel) => Promise<void>): Call {
  return { check: () => true, run, toString: () => source };
}

/** Sequences of calls from several windows. */
export const storageCalls = fc.commands<KeptFilesModel, undefined, false>(
  [
    fc
      .tuple(window, line, fc.boolean())
      .map(([by, file, must]) =>
        call(`append(${by}, ${file}, ${must})`, (model) => model.append(by, file, must)),
      ),
    fc
      .tuple(fc.constantFrom(...onLines), window, line)
      .map(([name, by, file]) => call(`${name}(${by}, ${file})`, (model) => model[name](by, file))),
    fc
      .tuple(fc.constantFrom(...onTexts), window, text)
      .map(([name, by, file]) => call(`${name}(${by}, ${file})`, (model) => model[name](by, file))),
    fc
      .oneof(fc.tuple(window, line, line), fc.tuple(window, text, text))
      .filter(([, from, to]) => from !== to)
      .map(([by, from, to]) =>
        call(`rename(${by}, ${from}, ${to})`, (model) => model.rename(by, from, to)),
      ),
    fc
      .tuple(window, fc.constantFrom(...lineFiles, ...textFiles, ...folders))
      .map(([by, path]) => call(`remove(${by}, ${path})`, (model) => model.remove(by, path))),
    fc
      .tuple(window, fc.constantFrom('changes/c/t', 'changes/c', 'missing'))
      .map(([by, path]) =>
        call(`removeEmpty(${by}, ${path})`, (model) => model.removeEmpty(by, path)),
      ),
  ],
  { size: '+1' },
);
