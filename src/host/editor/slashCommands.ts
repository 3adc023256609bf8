import * as vscode from 'vscode';
import { withAttachment } from '../../core/turn/messagePieces.ts';
import {
  codeCommandOffers,
  codeCommands,
  planCommand,
  type CodeCommandName,
} from '../../core/code/codeCommands.ts';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { newId } from '../../core/support/id.ts';
import { codeCommandId } from '../contributions.ts';
import { UserError } from '../platform/errors.ts';
import { activeCode, codeAtCursor } from '../platform/selection.ts';
import type { FileOffer } from '../context/fileOffers.ts';
import { ownFirst, type SlashCommand } from '../context/customFiles.ts';
import type { Skills } from '../context/skills.ts';
import {
  fillPrompt,
  nothingSent,
  type PromptFiles,
  type PromptLocation,
  type PromptSource,
} from './promptFiles.ts';
import type { MaySend } from './textGenerator.ts';

export interface SlashCommandsOptions {
  readonly prompts: Pick<PromptFiles, 'list' | 'read'>;
  readonly skills: Pick<Skills, 'read' | 'attachmentOf'>;
  /**
   * The code that a command would apply to: the selection, the symbol at the cursor, or the file.
   */
  readonly code: () => Promise<Attachment | undefined>;
  /** Runs a command whose result is an edit, with the selected model unless one is passed. */
  readonly run: (name: CodeCommandName, instruction: string, model?: string) => void;
  readonly variables: PromptSource;
  /**
   * The model that a file specifies; undefined for the selected one.
   *
   * @param isEdit true if the result is an edit, for which another model may be configured
   * @throws {UserError} if the person cancels
   */
  readonly acceptModel: (offer: FileOffer, isEdit: boolean) => Promise<string | undefined>;
}

/** Replaces a message that starts with a slash command. */
export interface ExpandedMessage {
  readonly message: UserMessage;
  /** The model for this message only; absent for the selected one. */
  readonly model?: string | undefined;
}

/** A command that is a file: a prompt or a skill. */
interface FileCommand extends SlashCommand {
  readonly prompt?: PromptLocation;
  /** False for a skill that can't be used, or that the person doesn't allow. */
  readonly isOffered: boolean;
}

/** Lists the slash commands: Aside's own, then those of files. */
export async function listCommands(
  sources: Pick<SlashCommandsOptions, 'prompts' | 'skills'>,
): Promise<readonly SlashCommand[]> {
  return [
    ...Object.entries(codeCommands).map(([name, { description }]) => ({
      name,
      description: description(vscode.l10n),
    })),
    { name: planCommand.name, description: planCommand.description(vscode.l10n) },
    ...(await commandsOfFiles(sources)).filter(({ isOffered }) => isOffered),
  ];
}

/**
 * Commands of files, with unique names. The person's own come first, so no file of a repository takes
 * the name of one. A name doesn't depend on whether its skill may be used now.
 */
async function commandsOfFiles({
  prompts,
  skills,
}: Pick<SlashCommandsOptions, 'prompts' | 'skills'>): Promise<readonly FileCommand[]> {
  const [files, found] = await Promise.all([prompts.list(), skills.read()]);
  const commands = [
    ...files.map(({ name, description, detail, key, uri, isOwn }) => ({
      name,
      description: description || detail,
      key,
      isOwn,
      prompt: { uri, isOwn },
      isOffered: true,
    })),
    ...found
      .filter(({ isCommand }) => isCommand)
      .map(({ name, description, hint, path, key, isOwn, problem, isAllowed }) => ({
        name,
        description,
        hint,
        key,
        isOwn,
        skill: path,
        isOffered: problem === undefined && isAllowed !== false,
      })),
  ];
  return withUniqueNames(ownFirst(commands), [...Object.keys(codeCommands), planCommand.name]);
}

/**
 * Makes names unique: the first file keeps its name, later ones get their key as a prefix. So no file
 * takes the name of one before it.
 *
 * @param reserved names of Aside's own commands
 */
export function withUniqueNames<T extends { readonly name: string; readonly key: string }>(
  files: readonly T[],
  reserved: readonly string[],
): T[] {
  const usedNames = new Set(reserved);
  return files.map((file) => {
    let { name } = file;
    if (usedNames.has(name)) {
      const full = `${file.key.trim().replace(/[^\p{L}\p{M}\p{N}_.]+/gu, '-')}:${name}`;
      name = full;
      for (let number = 2; usedNames.has(name); number++) name = `${full}-${number}`;
    }
    usedNames.add(name);
    return { ...file, name };
  });
}

/**
 * Expands a message that starts with a slash command to the text of a prompt file, to an attached
 * skill, or to a command on the code at the cursor, followed by the rest of the message. The expanded
 * text is shown as the person's message. `/plan` adds its instruction. Other messages are returned
 * unchanged; undefined if there is nothing to send, because the result is an edit.
 *
 * @throws {UserError}
 */
export async function expandCommand(
  message: UserMessage,
  options: SlashCommandsOptions,
): Promise<ExpandedMessage | undefined> {
  const [, name, words = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(message.text) ?? [];
  if (name === undefined) return { message };
  if (name === planCommand.name) {
    // The person's words are first: they name the chat.
    const text = joined(words, planCommand.instruction(vscode.l10n));
    return { message: { ...message, text, plan: true } };
  }
  const command = codeCommandOffers.find((offer) => offer.name === name)?.name;
  if (command !== undefined) {
    if (codeCommands[command].result !== 'chat') {
      options.run(command, words.trim());
      return undefined;
    }
    // About the attachments, or else the code at the cursor.
    const text = joined(codeCommands[command].instruction(vscode.l10n), words);
    if (message.attachments.length > 0) {
      return { message: { text, attachments: message.attachments } };
    }
    const code = await options.code();
    if (code === undefined) {
      throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
    }
    return { message: { text, attachments: [code] } };
  }
  const { prompt: file, skill: path } =
    (await commandsOfFiles(options)).find((candidate) => candidate.name === name) ?? {};
  if (path !== undefined) {
    const skill = await options.skills.attachmentOf(path);
    if (skill === undefined) throw nothingSent();
    const text = joined(words, vscode.l10n.t('Follow the attached skill {0}.', name));
    return {
      message: { ...message, text, attachments: withAttachment(message.attachments, skill) },
    };
  }
  if (file === undefined) return { message };
  const prompt = await options.prompts.read(file);
  const filled = await fillPrompt(prompt.text, name, message.attachments, options.variables);
  const model = prompt.offer && (await options.acceptModel(prompt.offer, prompt.isEdit));
  const text = joined(filled.text, words);
  if (!prompt.isEdit) return { message: { ...message, ...filled, text }, model };
  options.run('edit', text, model);
  return undefined;
}

function joined(prompt: string, words: string): string {
  return [prompt.trim(), words.trim()].filter((part) => part !== '').join('\n\n');
}

/**
 * The code that a command would apply to now.
 * @throws {UserError} if the person does not want it sent
 */
export async function activeEditorCode(maySend: MaySend): Promise<Attachment | undefined> {
  const editor = activeCode();
  const code = editor && (await codeAtCursor(editor, newId()));
  if (editor === undefined || code === undefined) return undefined;
  if (await maySend(editor.document.uri, code.text)) return code;
  throw nothingSent();
}

/** Runs a command at the cursor. It shows its own progress and errors. */
export function runAtCursor(name: CodeCommandName, instruction: string, model?: string): void {
  const editor = activeCode();
  const argument = editor && {
    uri: editor.document.uri,
    range: editor.selection,
    instruction,
    ...(model !== undefined && { model }),
  };
  const args = instruction === '' || argument === undefined ? [] : [argument];
  background(vscode.commands.executeCommand(codeCommandId(name), ...args));
}
