import * as vscode from 'vscode';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import { countInvisible, editMessages, rejectionMessages } from '../../core/code/codePrompt.ts';
import { withoutThoughts } from '../../core/reply/thinkSplitter.ts';
import type { WireMessage } from '../../core/service/wire.ts';
import { background } from '../../core/support/background.ts';
import { lastSegment } from '../../core/support/text.ts';
import { ContextFlags } from '../contextFlags.ts';
import { codeCommandId, commands, contextKeys } from '../contributions.ts';
import { UserError } from '../errors.ts';
import { fileChangedError } from '../workspace/editorActions.ts';
import { labelFor } from '../workspace/location.ts';
import type { EditPlace, ProduceText } from '../review/answerCode.ts';
import type { FileReviews } from '../review/fileReviews.ts';
import { activeCode, linesAround, linesAtCursor } from '../workspace/selection.ts';
import { codeToEdit, problemsOf, isCodeCommandArgument, diagnosticText } from './commandTarget.ts';
import type { InstructionBox } from '../instructionBox.ts';
import {
  textOfMessages,
  requireComplete,
  type MaySend,
  type TextGenerator,
} from './textGenerator.ts';
import { messageAbout, showWordsReply, type AskInChat } from './wordsReply.ts';
import { notify } from '../dialogs.ts';

export interface EditCommandsOptions {
  readonly reviews: Pick<FileReviews, 'stream'>;
  readonly generator: TextGenerator;
  readonly maySend: MaySend;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
  /** True if VS Code wouldn't save the document. */
  readonly isReadOnly: (document: vscode.TextDocument) => Promise<boolean>;
  /** Asks the person for an instruction; undefined if they cancel. */
  readonly askInstruction: (opened?: InstructionBox) => Promise<string | undefined>;
  /** Asks for changes to the edit; undefined if the person cancels. */
  readonly askNote: () => Promise<string | undefined>;
  readonly askInChat: AskInChat;
}

interface Task {
  readonly target: EditPlace;
  readonly instruction: string;
  /** The instruction in the person's words, for a message in the chat. */
  readonly request: string;
  readonly problems?: readonly vscode.Diagnostic[];
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
 * The code commands whose result is an edit. From a keybinding or menu they apply to the code at
 * the cursor, otherwise to their `CodeCommandArgument`.
 */
export class EditCommands {
  readonly #options: EditCommandsOptions;
  readonly #flags = new ContextFlags();
  #rejected: RejectedEdit | undefined;

  constructor(options: EditCommandsOptions) {
    this.#options = options;
  }

  /**
   * Runs a command. Asks for an instruction if neither the command nor its argument has one.
   * @param opened the input box, if it is open already
   */
  async run(name: CodeCommandName, argument: unknown, opened?: InstructionBox): Promise<void> {
    try {
      await this.#run(name, argument, opened);
    } finally {
      opened?.box.hide();
    }
  }

  /** Sends the last rejected edit again, with a note from the person. */
  async retry(): Promise<void> {
    requireTrust();
    if (this.#rejected === undefined)
      throw new UserError(vscode.l10n.t("There's no rejected change to try again."));
    const { task, code, reply, earlier } = this.#rejected;
    const note = (await this.#options.askNote())?.trim() ?? '';
    if (note === '') return;
    const { document } = task.target;
    // The document may have been closed and opened again.
    const target = {
      ...task.target,
      document: await vscode.workspace.openTextDocument(document.uri),
    };
    if (target.end > target.document.lineCount || linesOf(target) !== code)
      throw fileChangedError(labelFor(document.uri));
    await this.#change({ ...task, target }, [...earlier, ...rejectionMessages(reply, note)]);
  }

  async #run(name: CodeCommandName, argument: unknown, opened?: InstructionBox): Promise<void> {
    const { instruction: declared, description, sendsProblems = false } = codeCommands[name];
    const { target, instruction } = await taskOf(argument, declared(vscode.l10n));
    if (await this.#options.isReadOnly(target.document)) {
      background(offerNewFile(name, target.document, argument));
      return;
    }
    const chosen = instruction || (await this.#options.askInstruction(opened));
    if (chosen === undefined) return;
    const { diagnostics, model } = isCodeCommandArgument(argument) ? argument : {};
    const problems = sendsProblems ? (diagnostics ?? problemsOf(target)) : [];
    const request = declared(vscode.l10n) === '' ? chosen : description(vscode.l10n);
    const purpose = name === 'fix' ? name : 'edit';
    await this.#change({ target, instruction: chosen, request, problems, model, purpose });
  }

  /** Streams the generated code into a review. If that fails, the review is dropped. */
  async #change(task: Task, earlier: readonly WireMessage[] = []): Promise<void> {
    const { target, instruction, problems = [], purpose } = task;
    const { reviews, generator, maySend, requireModel, instructions, askInChat } = this.#options;
    const model = task.model ?? (await requireModel());
    const code = codeToEdit(target, problems.map(diagnosticText));
    const messages = [...editMessages(code, instruction, instructions()), ...earlier];
    if (!(await maySend(target.document.uri, textOfMessages(messages)))) return;
    warnOfHidden(countInvisible(code));
    const about = [target.document.uri];
    const before = linesOf(target);
    let reply = '';
    const produce: ProduceText = (onText, signal) =>
      showProgress(target, async () =>
        requireComplete(
          await generator.generate({
            messages,
            model,
            purpose,
            about,
            signal,
            onText(text) {
              reply += text;
              onText(text);
            },
          }),
        ),
      );
    await showWordsReply({
      produce,
      review: (text) =>
        reviews.stream(target, text, () =>
          this.#offerRetry({ task, code: before, reply: withoutThoughts(reply), earlier }),
        ),
      document: target.document,
      message: () => messageAbout(target, task.request),
      ask: askInChat,
    });
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
}

function linesOf({ document, start, end }: EditPlace): string {
  return Array.from({ length: end - start }, (_, line) => document.lineAt(start + line).text).join(
    '\n',
  );
}

async function taskOf(
  argument: unknown,
  prompt: string,
): Promise<Pick<Task, 'target' | 'instruction'>> {
  requireTrust();
  if (isCodeCommandArgument(argument)) {
    const { uri, range, instruction = '' } = argument;
    const document = await vscode.workspace.openTextDocument(uri);
    const target = { document, ...(await linesAround(document, range)) };
    return { target, instruction: [prompt, instruction].filter(Boolean).join('\n\n') };
  }
  const editor = activeCode(argument);
  if (editor === undefined) {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  const target = { document: editor.document, ...(await linesAtCursor(editor)) };
  return { target, instruction: prompt };
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
  const target = isCodeCommandArgument(argument) ? [{ ...argument, uri: document.uri }] : [];
  await vscode.commands.executeCommand(codeCommandId(name), ...target);
}

/** A model must not change files in an untrusted workspace. */
function requireTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new UserError(vscode.l10n.t('Trust this workspace to let Aside change its code.'));
}

/**
 * Invisible characters are sent unchanged, since the reply replaces the code; so the person is
 * warned.
 */
function warnOfHidden(count: number): void {
  if (count === 0) return;
  background(
    notify(
      'warning',
      vscode.l10n.t(
        'This code contains invisible characters ({0}), which were sent too. Review the result.',
        count,
      ),
    ),
  );
}

/** Shows progress in the status bar; the button to stop is next to the code. */
async function showProgress(target: EditPlace, work: () => Promise<void>): Promise<void> {
  const { path } = target.document.uri;
  const name = lastSegment(path);
  const title = vscode.l10n.t('Aside is editing {0}…', name);
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
}
