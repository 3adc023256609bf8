import type { Conversation } from '../../core/conversation/conversation.ts';
import { revealInvisible, truncateText } from '../../core/support/text.ts';

/** Characters of a name. */
const maxLength = 80;

/** What a chat is called: the first line of its first message; empty if there is none. */
export function chatName({ turns, running }: Pick<Conversation, 'turns' | 'running'>): string {
  const text = (turns[0] ?? running)?.question.text.trimStart() ?? '';
  const [line = ''] = text.slice(0, maxLength * 2).split('\n', 1);
  return shortName(line);
}

/** One line of a text that a model or a file may have written. */
export function shortName(text: string): string {
  const line = text
    .slice(0, maxLength * 2)
    .trim()
    .replaceAll(/\s+/g, ' ');
  const short = truncateText(line, maxLength);
  return revealInvisible(short === line ? line : `${short}…`).text;
}
