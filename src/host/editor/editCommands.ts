import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import {
  countInvisible,
  editMessages,
  rejectionMessages,
  testMessages,
} from '../../core/code/codePrompt.ts';
import { findTestFile, testPaths } from '../../core/code/testFile.ts';
import { withoutThoughts } from '../../core/service/thinkSplitter.ts';
import type { WireMessage } from '../../core/service/wire.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import { lastSegment } from '../../core/support/text.ts';
import { ContextFlags } from '../platform/commands.ts';
import { codeCommandId, commands, contextKeys } from '../contributions.ts';
import { notify, type Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { openInstructionBox, type InstructionBox } from '../platform/instructionBox.ts';
import type { Memento } from '../platform/memento.ts';
import type { FileReviews, ProduceText } from '../review/fileReviews.ts';
import { linesAt, type EditPlace } from '../review/review.ts';
import { fileChangedError } from '../platform/editorActions.ts';
import { labelFor, cellOf, isThere } from '../platform/location.ts';
import type { NodePlatform } from '../platform/platform.ts';
import { isReadOnly } from '../platform/files.ts';
import { linesOfFile } from '../platform/selection.ts';
import {
  codeToEdit,
  diagnosticText,
  isCodeCommandArgument,
  messageAbout,
  problemsOf,
  placeOf,
} from './commandTarget.ts';
import type { CommandRequests } from './textGenerator.ts';

interface Task {
  readonly place: EditPlace;
  readonly instruction: string;
  /** The instruction in the person's words, for a message in the chat. */
  readonly chatText: string;
  readonly problems: readonly vscode.Diagnostic[];
  /** The model for this request only; the selected one if absent. */
  readonly model?: string | undefined;
  /** The purpose that the usage is counted under. */
  readonly purpose: 'edit' | 'fix';
}

/** An edit that the person rejected, and the conversation about it. */
interface RejectedEdit {
  readonly task: Task;
  readonly code: string;
  readonly reply: string;
  /** Earlier replies and notes. */
  readonly earlier: readonly WireMessage[];
}

/**
 * The code commands whose result is a change: an edit, or tests. From a keybinding or menu they apply
 * to the code at the cursor, otherwise to their `CodeCommandArgument`.
 */
export class EditCommands {
  readonly #reviews: FileReviews;
  readonly #requests: CommandRequests;
  readonly #dialogs: Dialogs;
  readonly #state: Memento;
  readonly #isLocked: NodePlatform['isLocked'] | undefined;
  readonly #flags = new ContextFlags();
  #rejected: RejectedEdit | undefined;

  /**
   * @param state remembers the last instructions
   * @param isLocked tells on a disk whether a file can't be written
   */
  constructor(
    reviews: FileReviews,
    requests: CommandRequests,
    dialogs: Dialogs,
    state: Memento,
    isLocked: NodePlatform['isLocked'] | undefined,
  ) {
    this.#reviews = reviews;
    this.#requests = requests;
    this.#dialogs = dialogs;
    this.#state = state;
    this.#isLocked = isLocked;
  }

  /**
   * Runs a command. Asks for an instruction if neither the command nor its argument has one.
   * @param opened the instruction box, if it is open already
   */
  async run(name: CodeCommandName, argument: unknown, opened?: InstructionBox): Promise<void> {
    try {
      if (codeCommands[name].result === 'tests') await this.#writeTests(name, argument);
      else await this.#edit(name, argument, opened);
    } finally {
      opened?.box.hide();
    }
  }

  async #edit(name: CodeCommandName, argument: unknown, opened?: InstructionBox): Promise<void> {
    requireTrust();
    const { instruction: declared, description, sendsProblems = false } = codeCommands[name];
    const ownInstruction = declared(vscode.l10n);
    const {
      diagnostics,
      model,
      instruction = '',
    } = isCodeCommandArgument(argument) ? argument : {};
    const place = await placeOf(argument);
    if (await isReadOnly(place.document, this.#isLocked)) {
      background(offerNewFile(name, place.document, argument));
      return;
    }
    const chosen =
      [ownInstruction, instruction].filter(Boolean).join('\n\n') ||
      (await askInstruction(this.#state, opened));
    if (chosen === undefined) return;
    await this.#change({
      place,
      instruction: chosen,
      chatText: ownInstruction === '' ? chosen : description(vscode.l10n),
      problems: sendsProblems ? (diagnostics ?? problemsOf(place)) : [],
      model,
      purpose: name === 'fix' ? name : 'edit',
    });
  }

  /** Sends the last rejected edit again, with a note from the person. */
  async retry(): Promise<void> {
    requireTrust();
    if (this.#rejected === undefined)
      throw new UserError(vscode.l10n.t("There's no rejected change to try again."));
    const { task, code, reply, earlier } = this.#rejected;
    const note = await this.#dialogs.prompt({
      title: vscode.l10n.t('Try Again with a Note…'),
      prompt: vscode.l10n.t('What should be different?'),
      check: () => undefined,
    });
    if (note === undefined || note.trim() === '') return;
    const { uri } = task.place.document;
    // The document may have been closed and opened again.
    const place = { ...task.place, document: await vscode.workspace.openTextDocument(uri) };
    if (place.end > place.document.lineCount || linesAt(place).join('\n') !== code)
      throw fileChangedError(labelFor(uri));
    await this.#change({ ...task, place }, [...earlier, ...rejectionMessages(reply, note.trim())]);
  }

  /** Streams the generated code into a review. If that fails, the review is dropped. */
  async #change(task: Task, earlier: readonly WireMessage[] = []): Promise<void> {
    const { place, instruction, problems, purpose } = task;
    const { document } = place;
    const model = await this.#requests.model(task.model);
    const code = codeToEdit(place, problems.map(diagnosticText));
    const asked = editMessages(code, instruction, this.#requests.instructions);
    const messages = [...asked, ...earlier];
    const about = [document.uri];
    const produce = await this.#requests.prepare({ messages, model, purpose, about });
    if (produce === undefined) return;
    // They are sent unchanged, since the reply replaces the code.
    const hidden = countInvisible(code);
    if (hidden > 0) {
      const warning = vscode.l10n.t(
        'This code contains invisible characters ({0}), which were sent too. Review the result.',
        hidden,
      );
      background(notify('warning', warning));
    }
    const before = linesAt(place).join('\n');
    const { path } = document.uri;
    // The button to stop is next to the code.
    const location = vscode.ProgressLocation.Window;
    const title = vscode.l10n.t('Aside is editing {0}…', lastSegment(path));
    let reply = '';
    const produceReply: ProduceText = async (onText, signal) => {
      await vscode.window.withProgress({ location, title }, () =>
        produce((text) => {
          reply += text;
          onText(text);
        }, signal),
      );
    };
    await this.#reviews.stream(
      place,
      produceReply,
      () => messageAbout(place, task.chatText),
      () => this.#offerRetry({ task, code: before, reply: withoutThoughts(reply), earlier }),
    );
  }

  /** Offers to try again, without blocking. */
  #offerRetry(rejected: RejectedEdit): void {
    this.#rejected = rejected;
    this.#flags.set(contextKeys.editRejected, true);
    const retry = vscode.l10n.t('Try Again with a Note…');
    background(
      notify('information', vscode.l10n.t('Change rejected.'), retry).then(async (chosen) => {
        if (chosen === retry) await vscode.commands.executeCommand(commands.retryEdit);
      }),
    );
  }

  /** Streams tests of the code into its test file, or into a new one, which is created on accept. */
  async #writeTests(name: CodeCommandName, argument: unknown): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new UserError(vscode.l10n.t('Trust this workspace to write tests in it.'));
    }
    const code = await placeOf(argument);
    const { document } = code;
    const isArgument = isCodeCommandArgument(argument);
    if (!isArgument && document.getText().trim() === '') {
      throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
    }
    const model = await this.#requests.model();
    const location = await findTests(document);
    const tests =
      location?.isThere === true
        ? await vscode.workspace.openTextDocument(location.uri)
        : undefined;
    const text = tests?.getText() ?? '';
    const label = location === undefined ? vscode.l10n.t('New Tests') : labelFor(location.uri);
    const file = { path: label, ...(text === '' ? {} : { text }) };
    const { instruction, description } = codeCommands[name];
    const added = isArgument ? (argument.instruction ?? '') : '';
    const task = [instruction(vscode.l10n), added].join('\n\n').trim();
    const messages = testMessages(codeToEdit(code, []), file, task, this.#requests.instructions);
    const about = [document.uri, ...(location === undefined ? [] : [location.uri])];
    const produce = await this.#requests.prepare({ messages, model, about });
    if (produce === undefined) return;
    const chatText = [description(vscode.l10n), added].join('\n\n').trim();
    const message = () => messageAbout(code, chatText);
    if (tests === undefined) {
      const created = { uri: location?.uri, label, like: document };
      await this.#reviews.streamNew(created, produce, message);
      return;
    }
    await vscode.window.showTextDocument(tests);
    const whole = { document: tests, start: 0, end: linesOfFile(tests) };
    await this.#reviews.stream(whole, produce, message);
  }
}

/** A model must not change files in an untrusted workspace. */
function requireTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new UserError(vscode.l10n.t('Trust this workspace to let Aside change its code.'));
}

/** Offers to run the command on a new file with the same text, since this one can't be saved. */
async function offerNewFile(
  name: CodeCommandName,
  readOnly: vscode.TextDocument,
  argument: unknown,
): Promise<void> {
  const newFile = vscode.l10n.t('New File');
  const message = vscode.l10n.t(
    "{0} is read-only, so it can't be changed.",
    labelFor(readOnly.uri),
  );
  const selection = vscode.window.activeTextEditor?.selection;
  if ((await notify('warning', message, newFile)) !== newFile) return;
  const document = await vscode.workspace.openTextDocument({
    content: readOnly.getText(),
    language: readOnly.languageId,
  });
  await vscode.window.showTextDocument(document, selection && { selection });
  const changed = isCodeCommandArgument(argument) ? [{ ...argument, uri: document.uri }] : [];
  await vscode.commands.executeCommand(codeCommandId(name), ...changed);
}

const instructionsKey = 'editInstructions';

/** Number of recent instructions that are suggested. */
const maxInstructions = 20;

const storedInstructions = z.array(z.string());

/** Recent instructions, newest first. */
export function recentInstructions(state: Memento): readonly string[] {
  const { data } = storedInstructions.safeParse(state.get(instructionsKey));
  return data ?? [];
}

export async function rememberInstruction(state: Memento, instruction: string): Promise<void> {
  const others = recentInstructions(state).filter((recent) => recent !== instruction);
  await state.update(instructionsKey, [instruction, ...others].slice(0, maxInstructions));
}

/** Asks for an instruction, in a box that may already be open. Undefined if the person cancels. */
async function askInstruction(
  state: Memento,
  { box, answer } = openInstructionBox(),
): Promise<string | undefined> {
  const recent = recentInstructions(state);
  const offer = (): void => {
    box.items = matchingInstructions(box.value, recent).map((label) => ({
      label,
      alwaysShow: true,
    }));
  };
  offer();
  box.onDidChangeValue(offer);
  const text = (await answer)?.trim() ?? '';
  if (text === '') return undefined;
  await rememberInstruction(state, text);
  return text;
}

/** The typed text, followed by the recent instructions that contain it. */
export function matchingInstructions(typed: string, recent: readonly string[]): readonly string[] {
  const words = typed.trim().toLowerCase();
  const fitting = recent.filter(
    (instruction) => instruction.toLowerCase().includes(words) && instruction !== typed.trim(),
  );
  return words === '' ? fitting : [typed, ...fitting];
}

/** Folders without a project's own tests. */
const notOurs = '**/{node_modules,dist,out,build,target,vendor,.venv}/**';

/** The existing or expected test file; undefined if the language has no convention. */
async function findTests(
  document: vscode.TextDocument,
): Promise<{ readonly uri: vscode.Uri; readonly isThere: boolean } | undefined> {
  const { uri, languageId } = document;
  // No other file can import a notebook.
  if (cellOf(uri) !== undefined) return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const root = folder?.uri ?? vscode.Uri.joinPath(uri, '..');
  const path = uri.path.slice(root.path.length).replace(/^\//, '');
  const uriOf = (relative: string): vscode.Uri => vscode.Uri.joinPath(root, relative);
  const exists = async (test: string): Promise<boolean> =>
    (await orUndefined(isThere(uriOf(test)))) === true;
  const testFile = await findTestFile(path, languageId, exists);
  if (testFile === undefined) return undefined;
  const expected = { uri: uriOf(testFile.path), isThere: testFile.isThere };
  // The name of the code itself does not identify a test file.
  const names = new Set((testPaths(path, languageId) ?? []).map(lastSegment));
  names.delete(lastSegment(path));
  if (expected.isThere || folder === undefined || names.size === 0) return expected;
  const glob = names.size === 1 ? `**/${[...names].join('')}` : `**/{${[...names].join(',')}}`;
  const pattern = new vscode.RelativePattern(folder, glob);
  const files = await vscode.workspace.findFiles(pattern, notOurs, 2);
  const [named] = files;
  return named === undefined || files.length > 1 ? expected : { uri: named, isThere: true };
}
