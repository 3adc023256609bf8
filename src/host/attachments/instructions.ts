import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import { visibleName } from '../../core/support/text.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import type { Memento } from '../memento.ts';
import { statOf } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';
import { RegularFiles } from '../workspace/workspacePlaces.ts';
import type { Dialogs } from '../dialogs.ts';

/** Files of a workspace folder that instruct assistants. */
const names = ['AGENTS.md', '.github/copilot-instructions.md'];
const prefix = 'aside.instructions ';
/** The maximum size of such a file in bytes, since it is paid for with every message. */
const maxFileBytes = 100_000;

interface InstructionsOptions {
  readonly state: Memento;
  /** The identity of this workspace; empty where there is none, and no decision is stored. */
  readonly workspace: () => Promise<string>;
  readonly dialogs: Pick<Dialogs, 'decide'>;
  /** Removes the person's keys from a text, and masks other secrets. */
  readonly redact: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

/** A file with instructions that exists. */
export interface FoundInstructions extends InstructionFile {
  readonly uri: vscode.Uri;
  /** Undefined where the person has not decided. */
  readonly decision: InstructionDecision | undefined;
}

/**
 * The files of the workspace that instruct the model, if the person allows it. They are not read in
 * an untrusted workspace. The person is asked once for each; a later change is only shown.
 */
export class Instructions implements Disposable {
  readonly #options: InstructionsOptions;
  readonly #changed = new Emitter<readonly FoundInstructions[]>();
  readonly #listening: Disposable[];
  #found: readonly FoundInstructions[] = [];
  #decisions: readonly InstructionDecision[] = [];
  #reading: Promise<void> | undefined;
  /** Paths for which this window has asked, also without an answer. */
  readonly #asked = new Set<string>();

  readonly onDidChange = this.#changed.event;

  constructor(options: InstructionsOptions) {
    this.#options = options;
    const refresh = (): void => void this.#refresh();
    const watchers = names.map((name) => vscode.workspace.createFileSystemWatcher(`**/${name}`));
    this.#listening = [
      this.#changed,
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

  /** All files with instructions, with their decisions. */
  get found(): readonly FoundInstructions[] {
    return vscode.workspace.isTrusted ? this.#found : [];
  }

  /** The files that are sent with each message. */
  get used(): readonly InstructionFile[] {
    return this.found
      .filter(({ decision }) => decision?.isUsed === true)
      .map(({ path, text }) => ({ path, text: this.#options.redact(text) }));
  }

  /** Resolves when the files have been read. */
  read(): Promise<void> {
    if (!vscode.workspace.isTrusted) return Promise.resolve();
    return (this.#reading ??= this.#read());
  }

  /** Reads the files again, and asks once for each without a decision. */
  async prepare(): Promise<void> {
    // File watchers can miss changes, and the current text must be sent.
    this.#reading = undefined;
    await this.read();
    for (const file of this.found) {
      if (file.decision !== undefined || this.#asked.has(file.path)) continue;
      // A dialog that fails must not keep the message from being sent.
      await this.ask(file.path).catch(this.#options.onError);
    }
  }

  /** Asks whether a file is used, also where there is a decision. */
  async ask(path: string): Promise<void> {
    const file = this.found.find((one) => one.path === path);
    if (file === undefined) return;
    this.#asked.add(path);
    const answer = await this.#options.dialogs.decide(
      vscode.l10n.t('Use {0} as instructions?', visibleName(path)),
      vscode.l10n.t(
        'This workspace file gives instructions to assistants. Its text would be sent with every message. It grants no permissions.',
      ),
      vscode.l10n.t('Use'),
      vscode.l10n.t("Don't Use"),
    );
    if (answer !== undefined) await this.decide(path, answer);
  }

  /** Stores whether a file is used, and its current text as known to the person. */
  async decide(path: string, isUsed: boolean): Promise<void> {
    const file = this.found.find((one) => one.path === path);
    if (file === undefined) return;
    const others = this.#decisions.filter((one) => one.path !== path);
    this.#decisions = [...others, { path, isUsed, text: file.text }];
    this.#found = this.#found.map((one) => this.#withDecision(one));
    this.#changed.fire(this.#found);
    const workspace = await this.#options.workspace();
    if (workspace === '') return;
    await this.#options.state.update(prefix + workspace, writeInstructionRecord(this.#decisions));
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  async #refresh(): Promise<void> {
    // The files have not been read yet, so there is nothing to refresh.
    if (this.#reading === undefined && this.#found.length === 0) return;
    this.#reading = undefined;
    await this.read();
  }

  async #read(): Promise<void> {
    try {
      const workspace = await this.#options.workspace();
      if (workspace !== '') {
        this.#decisions = readInstructionRecord(this.#options.state.get(prefix + workspace));
      }
      const folders = vscode.workspace.workspaceFolders ?? [];
      const uris = folders.flatMap(({ uri }) =>
        names.map((name) => vscode.Uri.joinPath(uri, name)),
      );
      const found = await Promise.all(uris.map(readInstructions));
      this.#found = found.flatMap((file) => (file === undefined ? [] : this.#withDecision(file)));
    } catch (error) {
      this.#options.onError(error);
    }
    this.#changed.fire(this.#found);
  }

  #withDecision(file: Omit<FoundInstructions, 'decision'>): FoundInstructions {
    return { ...file, decision: this.#decisions.find(({ path }) => path === file.path) };
  }
}

/** Undefined where there is no such file, or it is a link. */
async function readInstructions(
  uri: vscode.Uri,
): Promise<Omit<FoundInstructions, 'decision'> | undefined> {
  const stat = await statOf(uri);
  if (stat?.type !== vscode.FileType.File || stat.size > maxFileBytes) return undefined;
  if (!(await new RegularFiles().has(uri))) return undefined;
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  // Meanwhile, a link may have taken its place.
  if (!(await new RegularFiles().has(uri))) return undefined;
  return text.trim() === '' ? undefined : { uri, path: labelFor(uri), text };
}

const record = z.object({
  version: z.literal(1),
  files: z.array(z.object({ path: z.string(), isUsed: z.boolean(), text: z.string() })),
});

/** The decision of the person about a file with instructions. */
interface InstructionDecision {
  /** The path as the person sees it. */
  readonly path: string;
  readonly isUsed: boolean;
  /** The text that the person last saw. */
  readonly text: string;
}

/** Reads a stored record; one of another version, or a damaged one, counts as none. */
export function readInstructionRecord(stored: unknown): readonly InstructionDecision[] {
  return record.safeParse(stored).data?.files ?? [];
}

/** The value to store. */
export function writeInstructionRecord(files: readonly InstructionDecision[]): unknown {
  return { version: 1, files };
}
