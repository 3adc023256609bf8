import { reportTo } from '../../src/core/support/background.ts';

/** Errors that are reported during the work, including its pending promises. */
export async function reportedErrors(work: () => unknown): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const before = reportTo((error) => errors.push(error));
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    reportTo(before);
  }
  return errors;
}
