import * as vscode from 'vscode';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { commands } from '../contributions.ts';
import { UserError } from '../errors.ts';
import { codeAtCursor } from '../workspace/selection.ts';
import type { PromptFiles } from './promptFiles.ts';
import type { MaySend } from './textGenerator.ts';

export interface SlashCommandsOptions {
  readonly prompts: Pick<PromptFiles, 'read'>;
  /** What a command on code would be about now: the selection, the symbol at the cursor, or the file. */
  readonly code: () => Promise<Attachment | undefined>;
  /** Runs a command on code, whose result goes into the editor. */
  readonly run: (name: EditingCommand, instruction: string) => void;
}

/** Commands whose result goes into the editor. */
export const editingCommands = ['fix', 'improve', 'document', 'writeTests', 'edit'] as const;
export type EditingCommand = (typeof editingCommands)[number];

/** Commands that no prompt file may stand in for. */
export const slashCommands: readonly string[] = ['explain', ...editingCommands];

/** What can be typed after a slash: Aside's own commands, then the person's. */
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
 * What a message that begins with a slash asks: the text of a prompt file, or a command on the code
 * at the cursor, with the words that follow its name. The person sees it as their question. Other
 * messages stay what they are; undefined where there is nothing left to ask, since the result goes
 * into the editor.
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

/** About what is attached already, where something is. */
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
 * What a command on code would be about now.
 * @throws {UserError} where the person does not want it sent
 */
export async function activeEditorCode(maySend: MaySend): Promise<Attachment | undefined> {
  const editor = vscode.window.activeTextEditor;
  const code = editor && (await codeAtCursor(editor, newId()));
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
