import * as vscode from 'vscode';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import { countInvisible, editMessages } from '../../core/code/codePrompt.ts';
import { UserError } from '../errors.ts';
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

export interface EditCommandsOptions {
  readonly reviews: Pick<FileReviews, 'stream'>;
  readonly generator: TextGenerator;
  readonly maySend: MaySend;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
  /** Asks the person for an instruction; undefined if they cancel. */
  readonly askInstruction: (opened?: InstructionBox) => Promise<string | undefined>;
  readonly askInChat: AskInChat;
}

/** Code to change, and how. */
interface Task {
  readonly place: EditPlace;
  readonly instruction: string;
  /** The same in the person's words, for a message in the chat. */
  readonly request: string;
  readonly problems?: readonly vscode.Diagnostic[];
  /** The model for this request only; the selected one if absent. */
  readonly model?: string | undefined;
  /** What the usage is counted as. */
  readonly purpose: 'edit' | 'fix';
}

/**
 * The code commands whose result is an edit. From a keybinding or menu they apply to the code at
 * the cursor, otherwise to their `CodeCommandArgument`.
 */
export class EditCommands {
  readonly #options: EditCommandsOptions;

  constructor(options: EditCommandsOptions) {
    this.#options = options;
  }

  /**
   * Runs a command; asks the person what to do where neither it nor `given` says so.
   * @param opened the box to ask in, where it is open already
   */
  async run(name: CodeCommandName, given: unknown, opened?: InstructionBox): Promise<void> {
    try {
      await this.#run(name, given, opened);
    } finally {
      opened?.box.hide();
    }
  }

  async #run(name: CodeCommandName, given: unknown, opened?: InstructionBox): Promise<void> {
    const { instruction: declared, description, sendsProblems = false } = codeCommands[name];
    const { place, instruction } = await taskOf(given, declared(vscode.l10n));
    const chosen = instruction || (await this.#options.askInstruction(opened));
    if (chosen === undefined) return;
    const givenProblems = isCodeCommandArgument(given) ? given.diagnostics : undefined;
    const problems = sendsProblems ? (givenProblems ?? problemsOf(place)) : [];
    const request = declared(vscode.l10n) === '' ? chosen : description(vscode.l10n);
    const purpose = name === 'fix' ? name : 'edit';
    const model = isCodeCommandArgument(given) ? given.model : undefined;
    await this.#change({ place, instruction: chosen, request, problems, model, purpose });
  }

  /** Streams the generated code into a review. If that fails, the review is dropped. */
  async #change(task: Task): Promise<void> {
    const { place, instruction, request, problems = [], purpose } = task;
    const { reviews, generator, maySend, requireModel, instructions, askInChat } = this.#options;
    const model = task.model ?? (await requireModel());
    const code = codeToEdit(place, problems.map(diagnosticText));
    const messages = editMessages(code, instruction, instructions());
    if (!(await maySend(place.document.uri, textOfMessages(messages)))) return;
    warnOfHidden(countInvisible(code));
    const about = [place.document.uri];
    const produce: ProduceText = (onText, signal) =>
      showProgress(place, async () =>
        requireComplete(
          await generator.generate({ messages, model, purpose, about, signal, onText }),
        ),
      );
    await showWordsReply({
      produce,
      review: (text) => reviews.stream(place, text),
      document: place.document,
      message: () => messageAbout(place, request),
      ask: askInChat,
    });
  }
}

async function taskOf(
  given: unknown,
  prompt: string,
): Promise<Pick<Task, 'place' | 'instruction'>> {
  requireTrust();
  if (isCodeCommandArgument(given)) {
    const { uri, range, instruction = '' } = given;
    const document = await vscode.workspace.openTextDocument(uri);
    const place = { document, ...(await linesAround(document, range)) };
    return { place, instruction: [prompt, instruction].filter(Boolean).join('\n\n') };
  }
  const editor = activeCode(given);
  if (editor === undefined) {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  const place = { document: editor.document, ...(await linesAtCursor(editor)) };
  return { place, instruction: prompt };
}

/** In an untrusted workspace a model must not change files. */
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
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      'This code contains invisible characters ({0}), which were sent too. Review the result.',
      count,
    ),
  );
}

/** Shows progress in the status bar; the button to stop is next to the code. */
async function showProgress(place: EditPlace, work: () => Promise<void>): Promise<void> {
  const { path } = place.document.uri;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const title = vscode.l10n.t('Aside is editing {0}…', name);
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
}
