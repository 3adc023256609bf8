import * as vscode from 'vscode';
import type { CodeCommandName } from '../../core/code/codeCommands.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { isObject } from '../../core/support/json.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { UserError } from '../errors.ts';
import { boundedTerminalText } from '../terminal/terminalCommands.ts';
import { labelFor } from '../workspace/location.ts';
import { attachmentOf, codeAround } from '../workspace/selection.ts';
import type { ChatCommands } from './chatCommands.ts';

/** Argument that VS Code passes to commands in the menu of a failed test's message. */
export interface FailedTest {
  readonly test: Pick<vscode.TestItem, 'label' | 'uri' | 'range' | 'parent'>;
  readonly message: Pick<
    vscode.TestMessage,
    'message' | 'expectedOutput' | 'actualOutput' | 'location'
  >;
}

/** Type guard: other menus pass other arguments. */
export function isFailedTest(argument: unknown): argument is FailedTest {
  if (!isObject(argument)) return false;
  const { test, message } = argument;
  if (!isObject(test) || !isObject(message)) return false;
  const { message: text } = message;
  const isText = typeof text === 'string' || text instanceof vscode.MarkdownString;
  return isText && typeof test['label'] === 'string';
}

/**
 * `aside.explain` and `aside.fix` at a failed test. Both lead into the chat, where the model can
 * read and change the tested code: the fault is seldom in the test.
 */
export async function askAboutTest(
  name: CodeCommandName,
  failed: FailedTest,
  chat: ChatCommands,
): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('Trust this workspace to send the results of its tests.'));
  }
  const text =
    name === 'fix'
      ? vscode.l10n.t('This test fails. Find out why, and fix the code that is wrong.')
      : vscode.l10n.t('Explain why this test fails and how to fix it.');
  const code = await codeOfTest(failed);
  const attachments = [...(code === undefined ? [] : [code]), failureAttachment(failed)];
  await chat.askAbout(
    { text, attachments },
    code === undefined ? undefined : locationOf(failed)?.uri,
  );
}

function locationOf({ test, message: { location } }: FailedTest): vscode.Location | undefined {
  if (test.uri === undefined) return location;
  if (test.range !== undefined) return new vscode.Location(test.uri, test.range);
  const isInTest = location?.uri.toString() === test.uri.toString();
  return isInTest ? location : new vscode.Location(test.uri, new vscode.Position(0, 0));
}

/** The code of the test; undefined if it can't be read. */
async function codeOfTest(failed: FailedTest): Promise<Attachment | undefined> {
  const location = locationOf(failed);
  if (location === undefined) return undefined;
  const document = await openTest(location.uri);
  if (document === undefined) return undefined;
  const range = document.validateRange(location.range);
  const isWhole = failed.test.range !== undefined && !range.isSingleLine;
  return isWhole ? attachmentOf(document, range, newId()) : codeAround(document, range, newId());
}

async function openTest(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
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
  const name = vscode.l10n.t('Test Result');
  const masked = maskSecrets(parts.join('\n')).text;
  return { id: newId(), name, path: name, language: 'plaintext', text: masked };
}

/** The name of a test after those of its suites. */
function nameOf({ label, parent }: FailedTest['test']): string {
  return parent === undefined ? label : `${nameOf(parent)} › ${label}`;
}
