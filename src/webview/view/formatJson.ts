import { parseJson } from '../../core/support/json.ts';

/** JSON over several lines, as models rarely write it; undefined where the text is none. */
export function formatJson(text: string): string | undefined {
  const value = parseJson(text);
  return value === undefined ? undefined : JSON.stringify(value, undefined, 2);
}
