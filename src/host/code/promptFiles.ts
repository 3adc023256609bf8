import * as vscode from 'vscode';
import {
  parsePromptFile,
  type InvalidPromptFile,
  type ParsedPromptFile as Prompt,
} from '../../core/code/promptFile.ts';
import type { Clock } from '../../core/support/clock.ts';
import { revealInvisible, visibleName } from '../../core/support/text.ts';
import { UserError } from '../errors.ts';
import type { FileOffer } from './fileOffers.ts';
import { RegularFiles } from '../workspace/workspacePlaces.ts';

/** A file whose prompt is sent with `/name`. */
interface PromptFile {
  /** The unique command name, typed after the slash. */
  readonly name: string;
  readonly description: string;
  /** Its origin, which distinguishes files of the same name. */
  readonly detail: string;
  readonly uri: vscode.Uri;
  /** Whether it is in the person's own folder, where links are followed. */
  readonly isOwn: boolean;
}

/** The content of a prompt file. */
export interface PromptContent {
  readonly text: string;
  /** Whether the result is an edit of the active editor. */
  readonly isEdit: boolean;
  /** The model that the file asks for. */
  readonly offer?: FileOffer;
}

/** Suffix of prompt files. */
const promptSuffix = '.prompt.md';

/** Maximum size of a file in bytes, and number of files in a folder. */
const maxFileBytes = 400_000;
const maxFiles = 200;

const promptFolder = ['.github', 'prompts'];

/** Milliseconds for which the list of files is cached, so that typing a name lists them once. */
const cacheTime = 1000;

/**
 * The person's own commands: `.prompt.md` files of trusted workspaces, and of a folder in the
 * extension's global storage. They are listed on demand.
 */
export class PromptFiles {
  readonly #own: vscode.Uri;
  readonly #reserved: readonly string[];
  readonly #clock: Clock;
  #found: Promise<readonly PromptFile[]> | undefined;
  #foundAt = 0;

  /**
   * @param globalStorage the global storage of the extension
   * @param reserved names that no file may take
   */
  constructor(globalStorage: vscode.Uri, reserved: readonly string[], clock: Clock) {
    this.#own = vscode.Uri.joinPath(globalStorage, 'prompts');
    this.#reserved = reserved;
    this.#clock = clock;
  }

  /** The files of the workspace come first. */
  list(): Promise<readonly PromptFile[]> {
    const now = this.#clock.monotonic();
    if (this.#found !== undefined && now - this.#foundAt < cacheTime) return this.#found;
    this.#foundAt = now;
    return (this.#found = this.#find());
  }

  /**
   * Reads the prompt file with this name; undefined if there is none.
   *
   * @throws {UserError} if it is invalid
   */
  async read(name: string): Promise<PromptContent | undefined> {
    const file = (await this.list()).find((one) => one.name === name);
    return file === undefined ? undefined : readPrompt(file);
  }

  async #find(): Promise<readonly PromptFile[]> {
    const { workspaceFolders = [], isTrusted } = vscode.workspace;
    const places = isTrusted ? workspaceFolders.map(promptFolderOf) : [];
    const own = { key: 'own', detail: vscode.l10n.t('Your prompt'), folder: this.#own };
    const found = await Promise.all([...places, own].map(filesIn));
    return withUniqueNames(found.flat(), this.#reserved);
  }
}

interface PromptFolder {
  /** Prefix that distinguishes files of the same name. */
  readonly key: string;
  readonly detail: string;
  readonly folder: vscode.Uri;
  /** The workspace folder; no folder between it and the files may be a link. */
  readonly root?: vscode.Uri;
}

function promptFolderOf({ name, uri }: vscode.WorkspaceFolder): PromptFolder {
  const detail = vscode.l10n.t('Prompt from {0}', name);
  return { key: name, detail, folder: vscode.Uri.joinPath(uri, ...promptFolder), root: uri };
}

interface FoundPromptFile extends PromptFile {
  readonly key: string;
}

async function filesIn({
  key,
  detail,
  folder,
  root,
}: PromptFolder): Promise<readonly FoundPromptFile[]> {
  const isOwn = root === undefined;
  if (!isOwn && (await hasLinkedFolder(root))) return [];
  // Most workspaces have no such folder.
  const entries = await vscode.workspace.fs.readDirectory(folder).then(undefined, () => []);
  const files = entries
    // A link in a repository may point anywhere.
    .filter(([, type]) => type === vscode.FileType.File || (isOwn && isFile(type)))
    .filter(([file]) => file.endsWith(promptSuffix))
    .slice(0, maxFiles);
  const found = await Promise.all(
    files.map(async ([file]) => {
      const uri = vscode.Uri.joinPath(folder, file);
      const prompt = await parseFile({ uri, isOwn }).catch(() => undefined);
      return prompt && { key, detail, uri, isOwn, ...nameAndDescription(prompt) };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** An invalid file is listed as well; the error is shown when it is used. */
function nameAndDescription(prompt: Prompt | InvalidPromptFile): {
  name: string;
  description: string;
} {
  const { name } = prompt;
  return { name, description: 'problem' in prompt ? '' : prompt.description };
}

function isFile(type: vscode.FileType): boolean {
  return (type & vscode.FileType.File) !== 0;
}

/** Whether a folder between the workspace and its prompts is a link, or does not exist. */
async function hasLinkedFolder(root: vscode.Uri): Promise<boolean> {
  const between = promptFolder.map((_, index) =>
    vscode.Uri.joinPath(root, ...promptFolder.slice(0, index + 1)),
  );
  const types = await Promise.all(
    between.map((uri) =>
      vscode.workspace.fs.stat(uri).then(
        ({ type }) => type,
        () => vscode.FileType.Unknown,
      ),
    ),
  );
  return types.some((type) => type !== vscode.FileType.Directory);
}

type PromptPlace = Pick<PromptFile, 'uri' | 'isOwn'>;

async function readPrompt(place: PromptPlace): Promise<PromptContent> {
  const prompt = await parseFile(place);
  if ('problem' in prompt) throw invalidPromptError(place.uri, prompt);
  const { body, mode, model, whole } = prompt;
  const path = vscode.workspace.asRelativePath(place.uri);
  const offer = { path, text: whole, isOwn: place.isOwn, model };
  // The prompt is shown as the person's message, which must reveal invisible characters.
  const content = { text: revealInvisible(body).text, isEdit: mode === 'edit' };
  return model === undefined ? content : { ...content, offer };
}

/** A valid file with all of its text. */
type WholePrompt = Prompt & { readonly whole: string };

async function parseFile({ uri, isOwn }: PromptPlace): Promise<WholePrompt | InvalidPromptFile> {
  if (!isOwn) await requireNoLink(uri);
  const file = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > maxFileBytes)
    return { name: file.slice(0, -promptSuffix.length), problem: 'too long' };
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  // Meanwhile, a link may have taken its place.
  if (!isOwn) await requireNoLink(uri);
  const prompt = parsePromptFile(file, text);
  return 'problem' in prompt ? prompt : { ...prompt, whole: text };
}

/** @throws {UserError} where the file of a repository became a link since it was listed (threats: T22) */
async function requireNoLink(uri: vscode.Uri): Promise<void> {
  if (await new RegularFiles().has(uri)) return;
  const path = vscode.workspace.asRelativePath(uri);
  throw new UserError(
    vscode.l10n.t('{0} changed while it was being read. Try again.', visibleName(path)),
  );
}

function invalidPromptError(uri: vscode.Uri, { problem }: InvalidPromptFile): UserError {
  const path = vscode.workspace.asRelativePath(uri);
  const words: Readonly<Record<InvalidPromptFile['problem'], string>> = {
    name: vscode.l10n.t("The name of {0} can't be typed as a command. Rename the file.", path),
    'front matter': vscode.l10n.t(
      "The front matter of {0} isn't closed. Add a line with ---.",
      path,
    ),
    empty: vscode.l10n.t('{0} has no prompt. Write what the model should do.', path),
    'too long': vscode.l10n.t('{0} is too long for a prompt.', path),
  };
  return new UserError(words[problem]);
}

/** A name, and a prefix that makes it unique. */
interface Named {
  readonly name: string;
  readonly key: string;
}

/**
 * Makes names unique: the first file keeps its name, later ones get their key as a prefix.
 *
 * @param reserved names that are not available, so that no file replaces a built-in command
 */
export function withUniqueNames<T extends Named>(
  found: readonly T[],
  reserved: readonly string[],
): T[] {
  const taken = new Set(reserved);
  return found.map((one) => {
    const name = freeName(one, taken);
    taken.add(name);
    return { ...one, name };
  });
}

function freeName({ name, key }: Named, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const full = `${toWord(key)}:${name}`;
  let number = 2;
  let free = full;
  while (taken.has(free)) free = `${full}-${number++}`;
  return free;
}

function toWord(text: string): string {
  return text.trim().replace(/[^\p{L}\p{M}\p{N}_.]+/gu, '-');
}
