/** A chat as plain Markdown for a model: what was said, without what was attached or thought. */
import type { UserMessage } from '../conversation/conversation.ts';
import { oneLine, truncateText } from '../support/text.ts';
import type { ChatFile } from './chatFile.ts';

type FileTurn = ChatFile['turns'][number];

/** A saved chat as text that can be attached to a message of another one. */
export interface ChatText {
  /** Empty for a chat without a name and a message. */
  readonly title: string;
  readonly text: string;
  /** True if it may contain text of an external tool (threats: T38). */
  readonly isTainted: boolean;
}

const cutNote = '\n\n(truncated)';

/**
 * The turns of a path, oldest first. If they don't all fit, the newest ones are there, and a line at
 * the end says how many others are not. Of a newest turn that doesn't fit by itself, the beginning is
 * there.
 *
 * @param most maximum number of characters, enough for the notes
 */
export function chatText(turns: readonly FileTurn[], most: number): string {
  const blocks: string[] = [];
  let room = most - leftOutNote(turns.length).length;
  for (const turn of turns.toReversed()) {
    const text = textOf(turn);
    const isFirst = blocks.length === 0;
    if (text.length > room && !isFirst) break;
    blocks.unshift(text.length > room ? truncateText(text, room - cutNote.length) + cutNote : text);
    room -= text.length + separator.length;
  }
  return blocks.join(separator) + leftOutNote(turns.length - blocks.length);
}

const separator = '\n\n';

function leftOutNote(count: number): string {
  return count === 0 ? '' : `\n\n(Older messages with their replies, left out: ${count})`;
}

function textOf({ question, model, parts }: FileTurn): string {
  const blocks = messageBlocks(question);
  let isReply = false;
  for (const part of parts) {
    if (part.type === 'message') {
      blocks.push(...messageBlocks(part.message));
      isReply = false;
      continue;
    }
    if (part.type === 'reasoning') continue;
    const text =
      part.type === 'text'
        ? part.text.trim()
        : `- Tool call: ${oneLine(part.title ?? part.name)} (${part.status})`;
    if (text === '') continue;
    if (!isReply) blocks.push(`## Assistant (${oneLine(model)})`);
    isReply = true;
    blocks.push(text);
  }
  return blocks.join(separator);
}

function messageBlocks({ text, attachments }: UserMessage): string[] {
  const names = attachments.map(({ name }) => oneLine(name)).join(', ');
  const blocks = ['## User', text.trim(), names === '' ? '' : `Attached: ${names}`];
  return blocks.filter((block) => block !== '');
}
