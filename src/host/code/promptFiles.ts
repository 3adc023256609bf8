import * as vscode from 'vscode';
import { parsePromptFile } from '../../core/code/promptFile.ts';
import { revealInvisible } from '../../core/support/invisible.ts';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { Refusal } from '../refusal.ts';
import { nameEach, promptName, promptSuffix } from './promptNames.ts';

/** A file whose text is asked by `/name`. */
export interface PromptFile {
  /** What is typed after the slash; no two have the same. */
  readonly name: string;
  readonly description: string;
  /** Where it comes from, which tells files of one name apart. */
  readonly detail: string;
  readonly uri: vscode.Uri;
}

/** Bytes of a file that is read, and of those how many files in one folder. */
const longestFile = 200_000;
const mostFiles = 200;

const inFolder = ['.github', 'prompts'];

/**
 * The person's own commands: `.prompt.md` files of the workspace, where it is trusted, and of a
 * folder of Aside's. They are looked for when they are first needed, and again after a change.
 */
export class PromptFiles implements Disposable {
  readonly #own: vscode.Uri;
  readonly #reserved: readonly string[];
  #watching: readonly Disposable[] = [];
  #found: Promise<readonly PromptFile[]> | undefined;

  /**
   * @param globalStorage that of the extension
   * @param reserved names that no file may take
   */
  constructor(globalStorage: vscode.Uri, reserved: readonly string[]) {
    this.#own = vscode.Uri.joinPath(globalStorage, 'prompts');
    this.#reserved = reserved;
  }

  /** The folder of the person's own files. */
  get folder(): vscode.Uri {
    return this.#own;
  }

  /** Those of the workspace first. */
  list(): Promise<readonly PromptFile[]> {
    if (this.#watching.length === 0) this.#watch();
    return (this.#found ??= this.#find());
  }

  /**
   * What the file of this name asks; undefined where there is none.
   *
   * @throws {Refusal} where it cannot be used
   */
  async read(name: string): Promise<string | undefined> {
    const file = (await this.list()).find((one) => one.name === name);
    return file === undefined ? undefined : readPrompt(file.uri);
  }

  dispose(): void {
    disposeAll(this.#watching);
  }

  async #find(): Promise<readonly PromptFile[]> {
    const { workspaceFolders = [], isTrusted } = vscode.workspace;
    const places = isTrusted ? workspaceFolders.map(placeIn) : [];
    const own = { key: 'own', detail: vscode.l10n.t('Your own prompt'), folder: this.#own };
    const found = await Promise.all([...places, own].map(filesIn));
    return nameEach(found.flat(), this.#reserved);
  }

  #watch(): void {
    const forget = (): void => (this.#found = undefined);
    const refresh = (): void => {
      disposeAll(this.#watching);
      this.#watching = [];
      forget();
    };
    const { workspaceFolders = [] } = vscode.workspace;
    const folders = [...workspaceFolders.map((one) => placeIn(one).folder), this.#own];
    const watchers = folders.map((folder) => {
      const pattern = new vscode.RelativePattern(folder, `*${promptSuffix}`);
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      watcher.onDidCreate(forget);
      watcher.onDidChange(forget);
      watcher.onDidDelete(forget);
      return watcher;
    });
    this.#watching = [
      ...watchers,
      vscode.workspace.onDidChangeWorkspaceFolders(refresh),
      vscode.workspace.onDidGrantWorkspaceTrust(refresh),
    ];
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
  const detail = vscode.l10n.t('Prompt of {0}', name);
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
  const names = entries
    // A link in a repository may lead to anything.
    .filter(([, type]) => type === vscode.FileType.File || (isOwn && isFile(type)))
    .flatMap(([file]) => ({ file, name: promptName(file) ?? '' }))
    .filter(({ name }) => name !== '')
    .slice(0, mostFiles);
  return Promise.all(
    names.map(async ({ file, name }) => {
      const uri = vscode.Uri.joinPath(folder, file);
      return { key, name, detail, uri, description: await descriptionOf(uri) };
    }),
  );
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

/** Empty where the file says none, or cannot be used, which is told when it is asked. */
async function descriptionOf(uri: vscode.Uri): Promise<string> {
  return parsed(uri).then(
    ({ description = '' }) => description,
    () => '',
  );
}

async function readPrompt(uri: vscode.Uri): Promise<string> {
  const { body } = await parsed(uri);
  // It is shown as the person's question: what hides in it must be seen there.
  return revealInvisible(body).text;
}

/** @throws {Refusal} */
async function parsed(uri: vscode.Uri): Promise<{ description?: string; body: string }> {
  const path = vscode.workspace.asRelativePath(uri);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > longestFile) throw new Refusal(vscode.l10n.t('{0} is too long for a prompt.', path));
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const file = parsePromptFile(path, text);
  if ('error' in file) throw new Refusal(file.error);
  return file;
}
