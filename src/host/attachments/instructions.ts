import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import type { InstructionFile } from '../../core/turn/prompt.ts';
import type { Memento } from '../memento.ts';
import { statOf } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';
import { RegularFiles } from '../workspace/workspacePlaces.ts';
import type { Dialogs } from '../dialogs.ts';

/** Files of a workspace folder that instruct assistants. */
const names = ['AGENTS.md', '.github/copilot-instructions.md'];
const prefix = 'aside.instructions ';
/** Bytes of such a file: more would be paid for with every question. */
const maxFileBytes = 100_000;

interface InstructionsOptions {
  readonly state: Memento;
  /** Tells this workspace from others; empty where nobody can, and nothing is remembered. */
  readonly workspace: () => Promise<string>;
  readonly dialogs: Pick<Dialogs, 'decide'>;
  /** Takes the person's keys out of a text. */
  readonly redact: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

/** A file with instructions that is there. */
export interface FoundInstructions extends InstructionFile {
  readonly uri: vscode.Uri;
  /** Undefined where the person was not asked yet, or gave no answer. */
  readonly decision: InstructionDecision | undefined;
}

/**
 * The files of the workspace that the person lets instruct the model. Nothing of them is read in a
 * workspace that nobody trusts. Each is asked for once; a later change is shown and not asked.
 */
export class Instructions implements Disposable {
  readonly #options: InstructionsOptions;
  readonly #changed = new Emitter<readonly FoundInstructions[]>();
  readonly #listening: Disposable[];
  #found: readonly FoundInstructions[] = [];
  #decisions: readonly InstructionDecision[] = [];
  #reading: Promise<void> | undefined;
  /** Those that were asked in this window: no answer is not asked again. */
  readonly #asked = new Set<string>();

  readonly onDidChange = this.#changed.event;

  constructor(options: InstructionsOptions) {
    this.#options = options;
    const again = (): void => void this.#refresh();
    const watchers = names.map((name) => vscode.workspace.createFileSystemWatcher(`**/${name}`));
    this.#listening = [
      this.#changed,
      vscode.workspace.onDidGrantWorkspaceTrust(again),
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      ...watchers.flatMap((watcher) => [
        watcher,
        watcher.onDidChange(again),
        watcher.onDidCreate(again),
        watcher.onDidDelete(again),
      ]),
    ];
  }

  /** All that are there, with what was decided of them. */
  get found(): readonly FoundInstructions[] {
    return vscode.workspace.isTrusted ? this.#found : [];
  }

  /** What goes along with each question. */
  get used(): readonly InstructionFile[] {
    return this.found
      .filter(({ decision }) => decision?.isUsed === true)
      .map(({ path, text }) => ({ path, text: this.#options.redact(text) }));
  }

  /** Resolves when it is known what there is. */
  read(): Promise<void> {
    if (!vscode.workspace.isTrusted) return Promise.resolve();
    return (this.#reading ??= this.#read());
  }

  /** Looks once more what there is, and asks for each file that nobody decided about, once. */
  async prepare(): Promise<void> {
    // What is sent is as it is now, also where nobody told of a change.
    this.#reading = undefined;
    await this.read();
    for (const file of this.found) {
      if (file.decision !== undefined || this.#asked.has(file.path)) continue;
      // A question that cannot be asked keeps nobody from an answer.
      await this.ask(file.path).catch(this.#options.onError);
    }
  }

  /** Asks whether a file is used, whatever was decided before. */
  async ask(path: string): Promise<void> {
    const file = this.found.find((one) => one.path === path);
    if (file === undefined) return;
    this.#asked.add(path);
    const answer = await this.#options.dialogs.decide(
      vscode.l10n.t('Use {0} as instructions?', path),
      vscode.l10n.t(
        'This workspace file gives instructions to assistants. Its text would be sent with every message. It grants no permissions.',
      ),
      vscode.l10n.t('Use'),
      vscode.l10n.t("Don't Use"),
    );
    if (answer !== undefined) await this.decide(path, answer);
  }

  /** Remembers whether a file is used, and that its text is known as it is now. */
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
    // Nobody has looked yet: the first look sees everything.
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

/** Undefined where there is none, or a link stands in its place. */
async function readInstructions(
  uri: vscode.Uri,
): Promise<Omit<FoundInstructions, 'decision'> | undefined> {
  const stat = await statOf(uri);
  if (stat?.type !== vscode.FileType.File || stat.size > maxFileBytes) return undefined;
  if (!(await new RegularFiles().has(uri))) return undefined;
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return text.trim() === '' ? undefined : { uri, path: labelFor(uri), text };
}

const record = z.object({
  version: z.literal(1),
  files: z.array(z.object({ path: z.string(), isUsed: z.boolean(), text: z.string() })),
});

/** What the person decided about a file with instructions. */
interface InstructionDecision {
  /** As the person knows it. */
  readonly path: string;
  readonly isUsed: boolean;
  /** Its text as the person last knew it. */
  readonly text: string;
}

/** A record of another version, or a damaged one, counts as none: it is asked again. */
export function readInstructionRecord(stored: unknown): readonly InstructionDecision[] {
  return record.safeParse(stored).data?.files ?? [];
}

/** The value to store. */
export function writeInstructionRecord(files: readonly InstructionDecision[]): unknown {
  return { version: 1, files };
}
