/** Runs promises that aren't awaited, and reports their errors. */

type Sink = (error: unknown) => void;

let sink: Sink = (error) => {
  queueMicrotask(() => {
    throw error;
  });
};

/**
 * Sets the destination of errors, and returns the previous one. The host sets its log. By default,
 * an error is thrown unhandled: the console of a page shows it, and a test fails. Each script has
 * its own copy of this module.
 */
export function reportTo(next: Sink): Sink {
  const before = sink;
  sink = next;
  return before;
}

/** Reports an unhandled error, unless it is an abort. */
export function report(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) sink(error);
}

/** Runs work without waiting for it. If it fails, its error is reported. */
export function background(work: PromiseLike<unknown> | undefined): void {
  work?.then(undefined, report);
}

/** Resolves with undefined if the work fails, whose error is reported. */
export async function reported<Value>(work: PromiseLike<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** Resolves with undefined if the work fails: for a failure that is an answer, or handled elsewhere. */
export async function orUndefined<Value>(work: PromiseLike<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch {
    return undefined;
  }
}

/** Marks a promise as handled if its error is handled later, or irrelevant by then. */
export function markHandled(promise: Promise<unknown>): void {
  background(orUndefined(promise));
}
