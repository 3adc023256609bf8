import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { revealInvisible } from '../../core/support/invisible.ts';

/** What a call does, in one line; the tool's name where its request could not be understood. */
export function toolTitle({ name, title = name }: ToolCallPart): string {
  return revealInvisible(title).text.replace(/\s+/g, ' ');
}
