import type { Completions } from '../../protocol/messages.ts';

/** The word behind `@` or `/` that is being written. */
export interface TriggerWord {
  readonly trigger: Completions['trigger'];
  /** Without the trigger. */
  readonly query: string;
  /** Where the trigger stands in the text, and where the word ends: at the cursor. */
  readonly start: number;
  readonly end: number;
}

/** Nobody looks for something this long; it also bounds what a key costs in a long text. */
const longest = 500;

/** `@` begins a word, or stands behind what opens a bracket or a quotation: not in an address. */
const mention = /(?<![^\s([{"'`])@([^\s@]*)$/;
const command = /^\/([^\s/]*)$/;

/** What is to be completed at the cursor; commands stand at the start of a message. */
export function triggerWordAt(text: string, cursor: number): TriggerWord | undefined {
  const from = Math.max(0, cursor - longest);
  const before = text.slice(from, cursor);
  const atStart = from === 0 ? command.exec(before) : null;
  const found = atStart ?? mention.exec(before);
  if (found === null) return undefined;
  return {
    trigger: atStart === null ? '@' : '/',
    query: found[1] ?? '',
    start: from + found.index,
    end: cursor,
  };
}
