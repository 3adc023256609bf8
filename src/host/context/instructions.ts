import * as vscode from 'vscode';
import { background, reported } from '../../core/support/background.ts';
import { type Disposable, disposeAll, Emitter } from '../../core/support/event.ts';
import { visibleName } from '../../core/support/text.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import { hashOf } from '../../core/support/id.ts';
import {
  decisionAbout,
  type ConsentDecision,
  type Consents,
  type ConsentSubject,
} from '../approval/consents.ts';
import {
  applicableInstructions,
  fixedInstructions,
  folderInstructions,
  foldersOf,
  instructionsFolders,
  scopeOfFolder,
  withoutRepeated,
} from '../../core/turn/instructionScope.ts';
import { labelFor, ifThere } from '../platform/location.ts';
import { mayHoldSecrets } from '../../core/approval/secrets.ts';
import type { ConsentPreviews } from './consentPreviews.ts';
import { statOf } from '../platform/files.ts';
import { RegularFiles } from '../platform/workspacePlaces.ts';

/** Maximum number of files that one message asks about. Later messages ask about the others. */
const maxAsked = 5;
/** The most paths whose folders are searched, and files of one request: a commit may have any number. */
const maxPaths = 1000;
const maxFilesOfRequest = 200;

/** An existing instruction file with the person's decision about it. */
export interface FoundInstructions extends InstructionCandidate, ConsentDecision {}

/**
 * The files of the workspace that instruct the model, if the person allows it. They aren't read in
 * an untrusted workspace. The person is asked once for each content.
 */
export class Instructions implements Disposable {
  readonly #consents: Consents;
  readonly #previews: Pick<ConsentPreviews, 'of'>;
  readonly #redact: (text: string) => string;
  readonly #onError: (error: unknown) => void;
  readonly #changed = new Emitter<readonly FoundInstructions[]>();
  #watching: readonly Disposable[] = [];
  #files: readonly FoundInstructions[] = [];
  /** Undefined if the files have to be read again. */
  #reading: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** The contents about which this window has asked, even if the person didn't answer. */
  readonly #prompted = new Set<string>();
  /** Paths of chats' attachments. Their folders are searched for instruction files. */
  readonly #paths = new Set<string>();

  readonly onDidChange = this.#changed.event;

  /** @param redact removes the person's keys from a text, and masks other secrets */
  constructor(
    consents: Consents,
    previews: Pick<ConsentPreviews, 'of'>,
    redact: (text: string) => string,
    onError: (error: unknown) => void,
  ) {
    this.#consents = consents;
    this.#previews = previews;
    this.#redact = redact;
    this.#onError = onError;
  }

  /** All files with instructions, with their decisions. */
  get files(): readonly FoundInstructions[] {
    return vscode.workspace.isTrusted ? this.#files : [];
  }

  /** The enabled files. Each is sent with messages about its files. */
  get used(): readonly InstructionFile[] {
    return this.files
      .filter(({ isAllowed }) => isAllowed === true)
      .map((file) => this.#withoutSecrets(file));
  }

  /** The files that are or could be sent with a chat, except those that the person refused. */
  shownFor(about: readonly (readonly string[])[]): readonly FoundInstructions[] {
    const open = this.files.filter(({ isAllowed }) => isAllowed !== false);
    return applicableInstructions(open, about);
  }

  /** The files that the person allowed before, for a request about these files. Asks nothing. */
  async usedFor(uris: readonly vscode.Uri[]): Promise<readonly InstructionFile[]> {
    const paths = uris.slice(0, maxFilesOfRequest).map(labelFor);
    await this.readAgain([paths]);
    const folders = uris.flatMap((uri) => vscode.workspace.getWorkspaceFolder(uri) ?? []);
    const near = this.files.filter(({ isAllowed, uri }) => {
      const folder = vscode.workspace.getWorkspaceFolder(uri);
      const isNear = folders.length === 0 || folders.some((other) => other === folder);
      return isAllowed === true && isNear;
    });
    return applicableInstructions(near, [paths]).map((file) => this.#withoutSecrets(file));
  }

  /** Resolves when the files have been read, and those of the folders above the paths too. */
  async read(paths: readonly string[] = []): Promise<void> {
    this.#watch();
    if (!vscode.workspace.isTrusted) return;
    const fresh = paths.filter((path) => !this.#paths.has(path));
    if (this.#paths.size + fresh.length > maxPaths) this.#paths.clear();
    for (const path of fresh.slice(0, maxPaths)) this.#paths.add(path);
    if (fresh.length > 0) this.#reading = undefined;
    // Reads run one after another, so that each includes the results of the one before.
    this.#reading ??= this.#last = this.#last.then(() => this.#read());
    await this.#reading;
  }

  /** Reads the files again, since file watchers can miss changes. Asks nothing. */
  async readAgain(about: readonly (readonly string[])[]): Promise<void> {
    this.#reading = undefined;
    await this.read(about.flat());
  }

  /**
   * Reads the files again and, if `mayAsk`, asks once about each undecided file that would be sent.
   *
   * @param about for each message of the chat, the paths of its attachments
   */
  async prepare(about: readonly (readonly string[])[], mayAsk: boolean): Promise<void> {
    await this.readAgain(about);
    if (!mayAsk) return;
    const open = this.shownFor(about).filter(
      ({ path, hash, isAllowed }) => isAllowed === undefined && !this.#prompted.has(path + hash),
    );
    for (const file of open.slice(0, maxAsked)) {
      // A dialog that fails must not keep the message from being sent.
      await this.ask(file.path).catch(this.#onError);
    }
  }

  /** Asks whether to use a file, even if there is a decision. */
  async ask(path: string): Promise<void> {
    const file = this.files.find((candidate) => candidate.path === path);
    if (file === undefined) return;
    this.#prompted.add(path + file.hash);
    const message = vscode.l10n.t('Use {0} as instructions?', visibleName(path));
    const about =
      file.scope === undefined
        ? vscode.l10n.t(
            'This workspace file gives instructions to assistants. Its text would be sent with every message, code command, commit message and review of changes. It grants no permissions.',
          )
        : vscode.l10n.t(
            'This workspace file gives instructions to assistants. Its text would be sent with messages, code commands, commit messages and reviews about the files it is for. It grants no permissions.',
          );
    const changed = file.hasChanged ? [vscode.l10n.t('Changed since you allowed it.')] : [];
    const detail = [...changed, about].join('\n\n');
    const [yes, no] = [vscode.l10n.t('Use'), vscode.l10n.t("Don't Use")];
    const { whole: text, allowedText } = file;
    const preview = this.#previews.of(message, [{ path, text, allowedText }]);
    await this.#consents.ask(subjectOf(file), { message, detail, yes, no, preview }, text);
    await this.#decideAbout(this.#files);
  }

  /** Stores whether a file is used, and its current text as the one that the person saw. */
  async decide(path: string, isUsed: boolean): Promise<void> {
    const file = this.files.find((candidate) => candidate.path === path);
    if (file === undefined) return;
    await this.#consents.set(subjectOf(file), isUsed, file.whole);
    await this.#decideAbout(this.#files);
  }

  dispose(): void {
    this.#changed.dispose();
    disposeAll(this.#watching);
  }

  #watch(): void {
    if (this.#watching.length > 0) return;
    const refresh = (): void => {
      // Files that have not been read yet can't be outdated.
      if (this.#reading !== undefined || this.#files.length > 0) background(this.readAgain([]));
    };
    const watchers = instructionGlobs.map((glob) => vscode.workspace.createFileSystemWatcher(glob));
    this.#watching = [
      vscode.workspace.onDidGrantWorkspaceTrust(refresh),
      vscode.workspace.onDidChangeWorkspaceFolders(refresh),
      ...watchers.flatMap((watcher) => [
        watcher,
        watcher.onDidChange(refresh),
        watcher.onDidCreate(refresh),
        watcher.onDidDelete(refresh),
      ]),
    ];
  }

  async #read(): Promise<void> {
    try {
      const folders = vscode.workspace.workspaceFolders ?? [];
      const files = await Promise.all(folders.map(({ uri }) => findIn(uri, [...this.#paths])));
      await this.#decideAbout(files.flat());
    } catch (error) {
      this.#onError(error);
      this.#changed.fire(this.#files);
    }
  }

  async #decideAbout(files: readonly InstructionCandidate[]): Promise<void> {
    const consents = await this.#consents.list('instructions');
    this.#files = files.map((file) => ({ ...file, ...decisionAbout(file, consents) }));
    this.#changed.fire(this.#files);
  }

  #withoutSecrets({ path, text, scope }: InstructionFile): InstructionFile {
    return { path, text: this.#redact(text), ...(scope && { scope }) };
  }
}

function subjectOf({ path, hash }: InstructionCandidate): ConsentSubject {
  return { kind: 'instructions', path, hash };
}

/** The maximum size of such a file in bytes, since it is paid for with every message. */
const maxFileBytes = 100_000;
/** The most files of each of {@link instructionsFolders} that are read, and their maximum depth in it. */
const maxFiles = 100;
const maxDepth = 5;
/** The most folders of a workspace folder that are searched for {@link folderInstructions}. */
const maxFolders = 200;

interface InstructionCandidate extends InstructionFile {
  readonly uri: vscode.Uri;
  /** The whole file. `text` excludes the front matter that selects its files. */
  readonly whole: string;
  /** The hash of `whole`. */
  readonly hash: string;
}

/** Globs to watch in each workspace folder. */
const instructionGlobs: readonly string[] = [
  ...folderInstructions.map((name) => `**/${name}`),
  '**/.github/copilot-instructions.md',
  ...instructionsFolders.map(({ path, suffix }) => `**/${path}/**/*${suffix}`),
];

/**
 * The instruction files of a folder of the workspace, and those of the folders above some paths. Links,
 * names of files with secrets, and files that say nothing new are excluded.
 *
 * @param paths in the form of `Attachment.path`
 */
async function findIn(
  folder: vscode.Uri,
  paths: readonly string[],
): Promise<readonly InstructionCandidate[]> {
  const start = labelFor(vscode.Uri.joinPath(folder, 'x')).slice(0, -1);
  const regular = new RegularFiles();
  const at = (path: string): Promise<InstructionCandidate | undefined> =>
    readFile(vscode.Uri.joinPath(folder, path), regular);
  const above = [...new Set(paths.flatMap((path) => foldersOf(path, start)))].slice(0, maxFolders);
  const nested = above.flatMap((below) =>
    folderInstructions.map(async (name) => {
      const file = await at(`${below}/${name}`);
      return file && { ...file, scope: scopeOfFolder(`${start}${below}/`, start) };
    }),
  );
  const scoped = instructionsFolders.map(async (source) => {
    const uris = await filesBelow(vscode.Uri.joinPath(folder, source.path), source.suffix);
    return await Promise.all(
      uris.map(async (uri) => {
        const file = await readFile(uri, regular);
        if (file === undefined) return undefined;
        // The module parses YAML, which takes time to load.
        const { parseInstructions } = await import('../../core/turn/instructionFile.ts');
        const parsed = parseInstructions(file.whole, start, source);
        return parsed && { ...file, text: parsed.body, scope: parsed.scope };
      }),
    );
  });
  const [fixed, ofFolders, rules] = await Promise.all([
    Promise.all(fixedInstructions.map(at)),
    Promise.all(nested),
    Promise.all(scoped),
  ]);
  const found = [...fixed, ...rules.flat(), ...ofFolders].filter((file) => file !== undefined);
  return withoutRepeated(found);
}

/** The files of a folder and below with a suffix, in the order of their paths. */
async function filesBelow(
  folder: vscode.Uri,
  suffix: string,
  depth = 0,
): Promise<readonly vscode.Uri[]> {
  // Most workspaces have no such folder.
  const entries = await vscode.workspace.fs.readDirectory(folder).then(undefined, () => []);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const files: vscode.Uri[] = [];
  for (const [name, type] of sorted) {
    const uri = vscode.Uri.joinPath(folder, name);
    // A link in a repository may point anywhere.
    if (type === vscode.FileType.File && name.endsWith(suffix)) files.push(uri);
    else if (type === vscode.FileType.Directory && depth < maxDepth)
      files.push(...(await filesBelow(uri, suffix, depth + 1)));
    if (files.length >= maxFiles) break;
  }
  return files.slice(0, maxFiles);
}

/** Reads a file; undefined if it doesn't exist, or its path contains a link. */
async function readFile(
  uri: vscode.Uri,
  regular: RegularFiles,
): Promise<InstructionCandidate | undefined> {
  const path = labelFor(uri);
  if (mayHoldSecrets(path)) return undefined;
  const stat = await statOf(uri);
  if (stat?.type !== vscode.FileType.File || stat.size > maxFileBytes) return undefined;
  const bytes = await reported(ifThere(regular.read(uri)));
  if (bytes === undefined) return undefined;
  const whole = new TextDecoder().decode(bytes);
  const hash = await hashOf(new TextEncoder().encode(whole));
  return { uri, path, whole, hash, text: whole };
}
