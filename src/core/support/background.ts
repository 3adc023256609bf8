/** Work that nobody waits for, and where its errors go. */

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

/** Reports an error that nobody else handles. */
export function report(error: unknown): void {
  sink(error);
}

/** Lets work go on that nobody waits for. If it fails, its error is reported. */
export function background(work: PromiseLike<unknown> | undefined): void {
  work?.then(undefined, report);
}
