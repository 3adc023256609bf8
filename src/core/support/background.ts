/** Promises that nobody awaits, and the report of their errors. */

type Sink = (error: unknown) => void;

let sink: Sink = (error) => {
  queueMicrotask(() => {
    throw error;
  });
};

/**
 * Sets where errors are reported to, and returns where they were reported before. The wiring of the host
 * sets its log. Otherwise an error is thrown where nobody catches it: the console of a page shows it, and
 * a test fails. Each script has its own copy of this module.
 */
export function reportTo(next: Sink): Sink {
  const before = sink;
  sink = next;
  return before;
}

/** Reports an error that nobody else handles. Work that was stopped has none. */
export function report(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) sink(error);
}

/** Lets work go on that nobody waits for. If it fails, its error is reported. */
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

/** Marks a promise as handled whose error is handled later, or means nothing by then. */
export function markHandled(promise: Promise<unknown>): void {
  background(orUndefined(promise));
}
