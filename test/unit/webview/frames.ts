interface Frames {
  /** Advances the clock without a frame. */
  pass(milliseconds: number): void;
  /** Runs the next frame, by default late enough that text is rendered in each one. */
  draw(milliseconds?: number): void;
  /** Restores the globals. */
  close(): void;
}

/** Replaces the clock and animation frames by ones that the test advances. Calls may be nested. */
export function openFrames(): Frames {
  let now = performance.now();
  const clock = Object.getOwnPropertyDescriptor(performance, 'now');
  // A mock of Node's test runner takes a stack trace of each call, which costs more than a frame.
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true });
  const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = globalThis;
  let waiting = new Map<number, FrameRequestCallback>();
  let lastId = 0;
  globalThis.requestAnimationFrame = (callback) => {
    waiting.set(++lastId, callback);
    return lastId;
  };
  globalThis.cancelAnimationFrame = (id) => void waiting.delete(id);
  return {
    pass(milliseconds) {
      now += milliseconds;
    },
    draw(milliseconds = 34) {
      now += milliseconds;
      const due = waiting;
      waiting = new Map();
      for (const callback of due.values()) callback(0);
    },
    close() {
      Reflect.deleteProperty(performance, 'now');
      if (clock !== undefined) Object.defineProperty(performance, 'now', clock);
      globalThis.requestAnimationFrame = request;
      globalThis.cancelAnimationFrame = cancel;
    },
  };
}
