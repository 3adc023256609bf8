import { charactersOf } from './requestUsage.ts';
import type { CompletionRequest, WireMessage } from './wire.ts';

/** What a request shares with the last one of its chat: that part the service may have cached. */
export interface SharedBeginning {
  /** Characters (UTF-16 units) from the start, in the order tools, instructions, messages. */
  readonly characters: number;
  /** What differs before the newest message; absent if the chat only grew. */
  readonly changed?: 'tools' | 'instructions' | 'messages';
}

/** Compares a request with the last one, which went to the same model. */
export function sharedBeginning(last: CompletionRequest, next: CompletionRequest): SharedBeginning {
  const tools = JSON.stringify(next.tools ?? []);
  if (tools !== JSON.stringify(last.tools ?? [])) return { characters: 0, changed: 'tools' };
  let characters = next.tools === undefined ? 0 : tools.length;
  for (const [index, message] of next.messages.entries()) {
    const before = last.messages[index];
    if (before !== undefined && isSame(before, message)) {
      characters += charactersOf(message);
      continue;
    }
    if (index === 0 && message.role === 'system') return { characters, changed: 'instructions' };
    const isNewest = before === undefined || index === next.messages.length - 1;
    return isNewest ? { characters } : { characters, changed: 'messages' };
  }
  return { characters };
}

function isSame(first: WireMessage, second: WireMessage): boolean {
  if (first.role !== second.role || first.content !== second.content) return false;
  // Comparing equal texts first makes the rare comparison of everything cheap.
  return JSON.stringify({ ...first, content: '' }) === JSON.stringify({ ...second, content: '' });
}
