import { reportTo } from '../../src/core/support/background.ts';

/** The errors that are reported while the work runs, and until nothing of it is pending. */
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
