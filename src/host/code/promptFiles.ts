import * as vscode from 'vscode';
import {
  parsePromptFile,
  type InvalidPromptFile,
  type ParsedPromptFile as Prompt,
} from '../../core/code/promptFile.ts';
import type { Clock } from '../../core/support/clock.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { UserError } from '../errors.ts';

/** A file whose text is asked by `/name`. */
interface PromptFile {
  /** What is typed after the slash; no two have the same. */
  readonly name: string;
  readonly description: string;
  /** Where it comes from, which tells files of one name apart. */
  readonly detail: string;
  readonly uri: vscode.Uri;
}

/** What a prompt file asks. */
export interface PromptContent {
  readonly text: string;
  /** Its result goes into the editor. */
  readonly isEdit: boolean;
}

/** Bytes of a file that is read, and files of one folder. */
const maxFileBytes = 400_000;
const maxFiles = 200;

const inFolder = ['.github', 'prompts'];

/** Milliseconds for which what was found counts: while a name is typed. */
const freshFor = 1000;

/**
 * The person's own commands: `.prompt.md` files of the workspace, where it is trusted, and of a
 * folder of Aside's. They are looked for when they are needed.
 */
export class PromptFiles {
  readonly #own: vscode.Uri;
  readonly #reserved: readonly string[];
  readonly #clock: Clock;
  #found: Promise<readonly PromptFile[]> | undefined;
  #foundAt = 0;

  /**
   * @param globalStorage that of the extension
   * @param reserved names that no file may take
   */
  constructor(globalStorage: vscode.Uri, reserved: readonly string[], clock: Clock) {
    this.#own = vscode.Uri.joinPath(globalStorage, 'prompts');
    this.#reserved = reserved;
    this.#clock = clock;
  }

  /** Those of the workspace first. */
  list(): Promise<readonly PromptFile[]> {
    const now = this.#clock.monotonic();
    if (this.#found !== undefined && now - this.#foundAt < freshFor) return this.#found;
    this.#foundAt = now;
    return (this.#found = this.#find());
  }

  /**
   * What the file of this name asks; undefined where there is none.
   *
   * @throws {UserError} where it cannot be used
   */
  async read(name: string): Promise<PromptContent | undefined> {
    const file = (await this.list()).find((one) => one.name === name);
    return file === undefined ? undefined : readPrompt(file.uri);
  }

  async #find(): Promise<readonly PromptFile[]> {
    const { workspaceFolders = [], isTrusted } = vscode.workspace;
    const places = isTrusted ? workspaceFolders.map(placeIn) : [];
    const own = { key: 'own', detail: vscode.l10n.t('Your prompt'), folder: this.#own };
    const found = await Promise.all([...places, own].map(filesIn));
    return withUniqueNames(found.flat(), this.#reserved);
  }
}

interface Place {
  /** Tells files of one name apart. */
  readonly key: string;
  readonly detail: string;
  readonly folder: vscode.Uri;
  /** The folder that must be no link, nor those between. */
  readonly root?: vscode.Uri;
}

function placeIn({ name, uri }: vscode.WorkspaceFolder): Place {
  const detail = vscode.l10n.t('Prompt from {0}', name);
  return { key: name, detail, folder: vscode.Uri.joinPath(uri, ...inFolder), root: uri };
}

interface Found extends PromptFile {
  readonly key: string;
}

async function filesIn({ key, detail, folder, root }: Place): Promise<readonly Found[]> {
  const isOwn = root === undefined;
  if (!isOwn && (await leadsElsewhere(root))) return [];
  // Most workspaces have no such folder.
  const entries = await vscode.workspace.fs.readDirectory(folder).then(undefined, () => []);
  const files = entries
    // A link in a repository may lead to anything.
    .filter(([, type]) => type === vscode.FileType.File || (isOwn && isFile(type)))
    .filter(([file]) => file.endsWith(promptSuffix))
    .slice(0, maxFiles);
  const found = await Promise.all(
    files.map(async ([file]) => {
      const uri = vscode.Uri.joinPath(folder, file);
      const prompt = await parsed(uri).catch(() => undefined);
      return prompt && { key, detail, uri, ...namedBy(prompt) };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** A file that cannot be used is still named, and says why when it is asked. */
function namedBy(prompt: Prompt | InvalidPromptFile): { name: string; description: string } {
  const { name } = prompt;
  return { name, description: 'problem' in prompt ? '' : prompt.description };
}

function isFile(type: vscode.FileType): boolean {
  return (type & vscode.FileType.File) !== 0;
}

/** Whether a folder between the workspace and its prompts is a link, or none. */
async function leadsElsewhere(root: vscode.Uri): Promise<boolean> {
  const between = inFolder.map((_, index) =>
    vscode.Uri.joinPath(root, ...inFolder.slice(0, index + 1)),
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

async function readPrompt(uri: vscode.Uri): Promise<PromptContent> {
  const prompt = await parsed(uri);
  if ('problem' in prompt) throw unusable(uri, prompt);
  // It is shown as the person's question: what hides in it must be seen there.
  return { text: revealInvisible(prompt.body).text, isEdit: prompt.mode === 'edit' };
}

async function parsed(uri: vscode.Uri): Promise<Prompt | InvalidPromptFile> {
  const file = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > maxFileBytes)
    return { name: file.slice(0, -promptSuffix.length), problem: 'too long' };
  return parsePromptFile(file, new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
}

function unusable(uri: vscode.Uri, { problem }: InvalidPromptFile): UserError {
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

/** How the name of a prompt file ends. */
const promptSuffix = '.prompt.md';

/** What has a name, and a key that tells where it comes from. */
interface Named {
  readonly name: string;
  readonly key: string;
}

/**
 * Gives each a name of its own: the first keeps it, later ones have their key in front.
 *
 * @param reserved names that none of them may take, so that no file stands in for a command of ours
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
  const full = `${oneWord(key)}:${name}`;
  let number = 2;
  let free = full;
  while (taken.has(free)) free = `${full}-${number++}`;
  return free;
}

function oneWord(text: string): string {
  return text.trim().replace(/[^\p{L}\p{M}\p{N}_.]+/gu, '-');
}
