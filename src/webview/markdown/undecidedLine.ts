/** Quotes and the markers of items that a line begins with, as far as something follows on them. */
const containers = /(?:[\s>]|(?:\d{1,9}[.)]|[-+*])(?=\s)){0,200}/y;
const opening = /^(?:(?:\d{1,9}[.)]?|[-+*]|#{1,6})\s*|[-=_*~`|:\s]*)$/;
const task = /^\[[ xX]?\]?\s*$/;

/**
 * Whether a line may still become anything: a list, a heading, a rule, a table or plain text. Items
 * that begin with items are no exception, and the box of a task is one only after a marker.
 */
export function isUndecided(line: string): boolean {
  containers.lastIndex = 0;
  const [before = ''] = containers.exec(line) ?? [];
  const rest = line.slice(before.length);
  return opening.test(rest) || (/[^\s>]/.test(before) && task.test(rest));
}
