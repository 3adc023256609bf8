import * as vscode from 'vscode';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { orUndefined } from '../../core/support/background.ts';
import { newId } from '../../core/support/id.ts';
import { isObject } from '../../core/support/json.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { windowDialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import type { InstructionBox } from '../platform/instructionBox.ts';
import { boundedTerminalText } from '../tools/terminalCommands.ts';
import { labelFor } from '../platform/location.ts';
import { activeCode, attachmentOf, codeAround, codeAtCursor } from '../platform/selection.ts';
import { diagnosticText, isCodeCommandArgument } from './commandTarget.ts';
import type { EditCommands } from './editCommands.ts';
import type { MaySend } from './textGenerator.ts';

/**
 * Runs a code command: in the chat, or as an edit. At a failed test all of them go to the chat,
 * where the model can read and change the tested code: the fault is seldom in the test.
 *
 * @param opened the instruction box, if it is open already
 */
export function runCodeCommand(
  chat: ChatCommands,
  edits: EditCommands,
  name: CodeCommandName,
  argument: unknown,
  opened?: InstructionBox,
): Promise<void> {
  return codeCommands[name].result === 'chat' || isFailedTest(argument)
    ? chat.run(name, argument)
    : edits.run(name, argument, opened);
}

/** The code commands whose result is a reply in the chat. */
export class ChatCommands {
  readonly #maySend: MaySend;
  readonly #ask: (message: UserMessage) => Promise<void>;

  /** @param ask sends a message in the chat */
  constructor(maySend: MaySend, ask: (message: UserMessage) => Promise<void>) {
    this.#maySend = maySend;
    this.#ask = ask;
  }

  /**
   * Sends the command's instruction with the code and diagnostics of its argument, or with the
   * selection, the symbol at the cursor, or the file. At a failed test, asks about that.
   */
  async run(name: CodeCommandName, argument: unknown): Promise<void> {
    if (isFailedTest(argument)) return this.#askAboutTest(name, argument);
    const { instruction, problemInstruction = instruction } = codeCommands[name];
    const editor = activeCode(argument);
    let uri = editor?.document.uri;
    let code: Attachment | undefined;
    let diagnostics: readonly vscode.Diagnostic[] = [];
    if (isCodeCommandArgument(argument)) {
      ({ uri, diagnostics = [] } = argument);
      const document = await vscode.workspace.openTextDocument(uri);
      code = await codeAround(document, argument.range, newId());
    } else if (editor !== undefined) code = await codeAtCursor(editor, newId());
    const attachments = code === undefined ? [] : [code];
    if (diagnostics.length > 0) {
      // Diagnostics are untrusted data, like the code itself: they are no part of the prompt.
      const problems = diagnostics.map(diagnosticText).join('\n');
      attachments.push(textAttachment(vscode.l10n.t('Problems'), problems));
    }
    const [first] = attachments;
    if (uri === undefined || first === undefined) {
      windowDialogs.showInformation(vscode.l10n.t('Open a file and select some code first.'));
      return;
    }
    if (!(await this.#maySend(uri, first.text))) return;
    const task = diagnostics.length > 0 ? problemInstruction : instruction;
    await this.#ask({ text: task(vscode.l10n), attachments });
  }

  async #askAboutTest(name: CodeCommandName, failed: FailedTest): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new UserError(vscode.l10n.t('Trust this workspace to send the results of its tests.'));
    }
    const text =
      name === 'fix'
        ? vscode.l10n.t('This test fails. Find out why, and fix the code that is wrong.')
        : vscode.l10n.t('Explain why this test fails and how to fix it.');
    const location = locationOf(failed);
    // The test can't always be read.
    const document =
      location && (await orUndefined(vscode.workspace.openTextDocument(location.uri)));
    let code: Attachment | undefined;
    if (location !== undefined && document !== undefined) {
      const range = document.validateRange(location.range);
      const isWhole = failed.test.range !== undefined && !range.isSingleLine;
      code = isWhole
        ? attachmentOf(document, range, newId())
        : await codeAround(document, range, newId());
    }
    if (
      code !== undefined &&
      document !== undefined &&
      !(await this.#maySend(document.uri, code.text))
    )
      return;
    const attachments = [...(code === undefined ? [] : [code]), failureAttachment(failed)];
    await this.#ask({ text, attachments });
  }
}

function textAttachment(name: string, text: string): Attachment {
  return { id: newId(), name, path: name, language: 'plaintext', text };
}

/** Argument that VS Code passes to commands in the menu of a failed test's message. */
interface FailedTest {
  readonly test: Pick<vscode.TestItem, 'label' | 'uri' | 'range' | 'parent'>;
  readonly message: Pick<
    vscode.TestMessage,
    'message' | 'expectedOutput' | 'actualOutput' | 'location'
  >;
}

/** Type guard: other menus pass other arguments. */
function isFailedTest(argument: unknown): argument is FailedTest {
  if (!isObject(argument)) return false;
  const { test, message } = argument;
  if (!isObject(test) || !isObject(message)) return false;
  const { message: text } = message;
  const isText = typeof text === 'string' || text instanceof vscode.MarkdownString;
  return isText && typeof test['label'] === 'string';
}

function locationOf({ test, message: { location } }: FailedTest): vscode.Location | undefined {
  if (test.uri === undefined) return location;
  if (test.range !== undefined) return new vscode.Location(test.uri, test.range);
  const isInTest = location?.uri.toString() === test.uri.toString();
  return isInTest ? location : new vscode.Location(test.uri, new vscode.Position(0, 0));
}

/** The result is written by programs of the workspace, so it is data and no part of the prompt. */
function failureAttachment({ test, message }: FailedTest): Attachment {
  const { message: words, expectedOutput, actualOutput, location } = message;
  const text = typeof words === 'string' ? words : words.value;
  const parts = [
    `Test: ${nameOf(test)}`,
    ...(location === undefined
      ? []
      : [`Failed at: ${labelFor(location.uri)}:${location.range.start.line + 1}`]),
    `Message:\n${boundedTerminalText(text).trim()}`,
    ...(expectedOutput === undefined ? [] : [`Expected:\n${boundedTerminalText(expectedOutput)}`]),
    ...(actualOutput === undefined ? [] : [`Actual:\n${boundedTerminalText(actualOutput)}`]),
  ];
  return textAttachment(vscode.l10n.t('Test Result'), maskSecrets(parts.join('\n')).text);
}

/** The name of a test after those of its suites. */
function nameOf({ label, parent }: FailedTest['test']): string {
  return parent === undefined ? label : `${nameOf(parent)} › ${label}`;
}
