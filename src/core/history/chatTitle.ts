import { lastTurn, type Conversation, type UserMessage } from '../conversation/conversation.ts';
import { lastSegment, oneLine } from '../support/text.ts';

/** Maximum number of characters of a title, and of a default title. */
const maxTitle = 200;
const maxDefaultTitle = 80;

/** Characters of a line that a title is taken from. */
const maxLine = 1000;

/** A line that only begins or ends a code block. */
const fence = /^\s*(?:`{3,}[^`]*|~{3}.*)$/;

/**
 * The title of a chat, on one line: the name that the person gave it, otherwise that of its first
 * message. Empty for a chat without either.
 */
export function titleOf({
  title = '',
  turns,
  running,
}: Pick<Conversation, 'title' | 'turns' | 'running'>): string {
  const first = turns[0] ?? running;
  return cleanTitle(title) || (first === undefined ? '' : titleOfMessage(first.question));
}

/**
 * The title of a chat that begins with a message: its first line with words, otherwise the name of
 * an attachment. Empty without both.
 */
export function titleOfMessage({
  text,
  attachments,
}: Pick<UserMessage, 'text'> & {
  readonly attachments: readonly { readonly name: string }[];
}): string {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const title = fence.test(line)
      ? ''
      : oneLine(line.trimStart().slice(0, maxLine), maxDefaultTitle);
    if (title !== '') return title;
  }
  return oneLine(attachments[0]?.name ?? '', maxDefaultTitle);
}

/** A title as it is stored: on one line, without invisible characters, and not too long. */
export function cleanTitle(title: string): string {
  return oneLine(title, maxTitle - 1);
}

/** True if a chat has nothing worth keeping. */
export function isEmptyChat(conversation: Conversation): boolean {
  return lastTurn(conversation) === undefined;
}

/** The name of a workspace's folder, from its address; empty without a workspace. */
export function workspaceName(workspace: string): string {
  const name = lastSegment(workspace);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
