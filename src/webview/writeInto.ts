import type { Draft } from './draft.ts';

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Writes into the composer as if it were typed; the cursor is behind it then. */
export function writeInto(
  field: HTMLTextAreaElement,
  draft: Pick<Draft, 'replace'>,
  { start, end, text }: Change,
): void {
  field.setRangeText(text, start, end, 'end');
  draft.replace(field.value);
  field.focus();
}
