import { nonEmpty } from '../support/json.ts';

/**
 * The `index` of a choice (section 2.2) or of a tool call, to be compared: some services write the
 * number as a text. Undefined where there is none.
 */
export function readIndex(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}` : nonEmpty(value);
}
