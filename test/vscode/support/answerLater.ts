import { systemClock } from '../../../src/core/support/clock.ts';
import { minResponseDelay } from '../../../src/host/platform/dialogs.ts';

/** The answer of a person who reads a dialog first. It counts, as it doesn't come too soon. */
export function answerLater<Answer>(answer: Answer): Promise<Answer> {
  return new Promise((resolve) => {
    systemClock.after(minResponseDelay + 50, () => resolve(answer));
  });
}
