import * as l10n from '@vscode/l10n';
import { parseJson } from '../../core/support/json.ts';

/** Formats a duration: `0.8 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return l10n.t('{0} s', seconds.toFixed(1));
  const whole = Math.round(seconds);
  if (whole < 60) return l10n.t('{0} s', whole);
  return l10n.t('{0} min {1} s', Math.floor(whole / 60), whole % 60);
}

/** Indents JSON; undefined if the text is not JSON. */
export function formatJson(text: string): string | undefined {
  const value = parseJson(text);
  return value === undefined ? undefined : JSON.stringify(value, undefined, 2);
}

/** Lines as one text that a screen reader pauses in. */
export function asSentences(lines: string): string {
  return lines.replaceAll('\n', '. ');
}
