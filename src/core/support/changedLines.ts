/** The first lines of a change, as the chat shows them: beside an approval, and after the edit. */

export interface ChangedLine {
  readonly sign: '-' | '+';
  /** Counted from 1, in the text before a removed line, and after an added one. */
  readonly number: number;
  readonly text: string;
}

export interface ChangedLines {
  readonly lines: readonly ChangedLine[];
  /** Number of further lines. */
  readonly more: number;
}

/** Maximum number of lines that the chat shows of a change; the diff has the others. */
export const mostChangedLines = 12;

/**
 * Reads what `outputOfChange` of core/edits/lineDiff.ts wrote, for each file of an edit. Undefined for
 * the output of another call.
 */
export function changeInOutput(output: string): ChangedLines | undefined {
  if (!/^(?:(?:[-+]\d+\t.*|…\d+)\n)+$/.test(output)) return undefined;
  const lines = [...output.matchAll(/^([-+])(\d+)\t(.*)$/gm)].map(
    ([, sign, number, text = '']): ChangedLine => ({
      sign: sign === '+' ? '+' : '-',
      number: Number(number),
      text,
    }),
  );
  const more = [...output.matchAll(/^…(\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  return { lines, more };
}
