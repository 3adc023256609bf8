/** Reads chats of other assistants, in whatever of their formats a file is. */
import { isObject, parseJson } from '../support/json.ts';
import { readChatFile, type ChatFile, type ChatFileProblem } from './chatFile.ts';
import { importClineHistory, importClineMessages } from './importCline.ts';
import { importContinue } from './importContinue.ts';
import { chatFileOfImport } from './importedChat.ts';
import { importVsCode, readSessionLog } from './importVsCode.ts';

/** Maximum number of characters of a file. */
const maxFile = 64_000_000;

/** Why a file has no chat: `empty` if it is one without messages. */
export interface ImportProblem extends Pick<ChatFileProblem, 'field'> {
  readonly problem: ChatFileProblem['problem'] | 'empty';
}

/**
 * The chat of a file that anybody may have written (threats: T47): an exported chat of Aside, or a chat
 * of Continue, Cline, Roo Code or VS Code as text, without keys, approvals and grants.
 * @param mask removes secrets from a text
 */
export function readImport(
  text: string,
  now: number,
  mask: (text: string) => string,
): ChatFile | ImportProblem {
  if (text.length > maxFile) return { problem: 'size' };
  const value = parseJson(text.replace(/^\u{feff}/u, ''));
  if (isObject(value) && value['format'] === 'aside-chat') return readChatFile(text);
  const source = value ?? readSessionLog(text);
  const chat =
    importContinue(source) ??
    importVsCode(source) ??
    importClineHistory(source) ??
    importClineMessages(source);
  if (chat === undefined) return { problem: 'format' };
  const messages = chat.messages.map((message) => ({ ...message, text: mask(message.text) }));
  const title = chat.title === undefined ? undefined : mask(chat.title);
  return chatFileOfImport({ title, messages }, now) ?? { problem: 'empty' };
}
