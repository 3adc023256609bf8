import * as vscode from 'vscode';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { commands } from '../contributions.ts';
import { UserError } from '../errors.ts';
import { codeAtCursor } from '../workspace/selection.ts';
import type { PromptFiles } from './promptFiles.ts';
import type { MaySend } from './textGenerator.ts';

export interface SlashCommandsOptions {
  readonly prompts: Pick<PromptFiles, 'read'>;
  /**
   * The code that a command would apply to: the selection, the symbol at the cursor, or the file.
   */
  readonly code: () => Promise<Attachment | undefined>;
  /** Runs a code command whose result is an edit. */
  readonly run: (name: EditingCommand, instruction: string) => void;
}

/** Commands whose result is an edit. */
export const editingCommands = ['fix', 'improve', 'document', 'writeTests', 'edit'] as const;
export type EditingCommand = (typeof editingCommands)[number];

/** Commands that no prompt file may replace. */
export const slashCommands: readonly string[] = ['explain', ...editingCommands];

/** The commands to complete after a slash: the built-in ones, then the person's. */
export async function listCommands(
  prompts: Pick<PromptFiles, 'list'>,
): Promise<readonly { readonly name: string; readonly description: string }[]> {
  const own = {
    explain: vscode.l10n.t('Explain the code'),
    fix: vscode.l10n.t('Fix the code'),
    improve: vscode.l10n.t('Improve the code'),
    document: vscode.l10n.t('Document the code'),
    writeTests: vscode.l10n.t('Write tests for the code'),
    edit: vscode.l10n.t('Change the code as you describe'),
  };
  const files = await prompts.list();
  return [
    ...Object.entries(own).map(([name, description]) => ({ name, description })),
    ...files.map(({ name, description, detail }) => ({ name, description: description || detail })),
  ];
}

/**
 * Expands a message that starts with a slash command: into the text of a prompt file, or a command
 * on the code at the cursor, followed by the rest of the message. The expanded text is shown as the
 * person's message. Other messages are returned unchanged; undefined if there is nothing to send,
 * because the result is an edit.
 *
 * @throws {UserError}
 */
export async function expandCommand(
  message: UserMessage,
  options: SlashCommandsOptions,
): Promise<UserMessage | undefined> {
  const [, name, words = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(message.text) ?? [];
  if (name === undefined) return message;
  if (name === 'explain') return explanation(message, words, options);
  const editing = editingCommands.find((one) => one === name);
  if (editing !== undefined) {
    options.run(editing, words.trim());
    return undefined;
  }
  const prompt = await options.prompts.read(name);
  if (prompt === undefined) return message;
  const text = joined(prompt.text, words);
  if (!prompt.isEdit) return { ...message, text };
  options.run('edit', text);
  return undefined;
}

/** Explains the attachments, or else the code at the cursor. */
async function explanation(
  { attachments }: UserMessage,
  words: string,
  { code }: SlashCommandsOptions,
): Promise<UserMessage> {
  const text = joined(vscode.l10n.t('Explain this code.'), words);
  if (attachments.length > 0) return { text, attachments };
  const selected = await code();
  if (selected === undefined) {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  return { text, attachments: [selected] };
}

function joined(prompt: string, words: string): string {
  return [prompt.trim(), words.trim()].filter((part) => part !== '').join('\n\n');
}

/**
 * The code that a command would apply to now.
 * @throws {UserError} if the person does not want it sent
 */
export async function activeEditorCode(maySend: MaySend): Promise<Attachment | undefined> {
  const editor = vscode.window.activeTextEditor;
  const code = editor && (await codeAtCursor(editor, crypto.randomUUID()));
  if (editor === undefined || code === undefined) return undefined;
  if (await maySend(editor.document.uri, code.text)) return code;
  throw new UserError(vscode.l10n.t('Nothing was sent.'));
}

/** Runs a command at the cursor. It shows its own progress and errors. */
export function runAtCursor(name: EditingCommand, instruction: string): void {
  const editor = vscode.window.activeTextEditor;
  const argument = editor && {
    uri: editor.document.uri,
    range: editor.selection,
    instruction,
  };
  const given = instruction === '' || argument === undefined ? [] : [argument];
  void vscode.commands.executeCommand(commands[name], ...given);
}
