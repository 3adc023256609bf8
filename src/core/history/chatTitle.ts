import { lastTurn, type Conversation } from '../conversation/conversation.ts';
import { oneLine } from '../support/text.ts';

/** Most characters of a title, and of one that is taken from a message. */
const maxTitle = 200;
const maxDefaultTitle = 80;

/**
 * The title of a chat, on one line: the name that the person gave it, or else the first line of its
 * first message. Empty for a chat without either.
 */
export function titleOf({
  title,
  turns,
  running,
}: Pick<Conversation, 'title' | 'turns' | 'running'>): string {
  if (title !== undefined) return cleanTitle(title);
  const text = (turns[0] ?? running)?.question.text.trimStart() ?? '';
  return oneLine(text.split(/[\r\n]/, 1)[0] ?? '', maxDefaultTitle);
}

/** A title as it is stored: on one line, without invisible characters, and not too long. */
export function cleanTitle(title: string): string {
  return oneLine(title, maxTitle - 1);
}

/** Whether there is nothing in a chat that would be worth keeping. */
export function isEmptyChat(conversation: Conversation): boolean {
  return lastTurn(conversation) === undefined;
}

/** The name of the folder of a workspace, which a chat names by its address; empty for none. */
export function workspaceName(workspace: string): string {
  const name = workspace.slice(workspace.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
