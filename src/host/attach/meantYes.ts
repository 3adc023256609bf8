import type { Clock } from '../../core/support/clock.ts';
import { mostShown, soonestAnswer } from '../tools/approvalDialog.ts';

/**
 * Asks until the answer is no, or a yes of somebody who could have read the question: the key that
 * chose a file in a list may still be down when the dialog comes.
 */
export async function meantYes(ask: () => PromiseLike<boolean>, clock: Clock): Promise<boolean> {
  for (let shown = 0; shown < mostShown; shown++) {
    const opened = clock.monotonic();
    if (!(await ask())) return false;
    if (clock.monotonic() - opened >= soonestAnswer) return true;
  }
  return false;
}
