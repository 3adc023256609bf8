import { median } from '../measure.ts';
import type { Run } from './subjectPage.ts';

/** Main thread's time by kind, as medians of the runs. */
export function parts(runs: readonly Run[]): string {
  const part = (read: (run: Run) => number): string => median(runs.map(read)).toFixed(0);
  const otherTime = part(({ cpu, script, style, layout }) => cpu - script - style - layout);
  return [
    `script ${part(({ script }) => script)}`,
    `style ${part(({ style }) => style)}`,
    `layout ${part(({ layout }) => layout)}`,
    `paint and the rest ${otherTime}`,
  ].join(', ');
}
