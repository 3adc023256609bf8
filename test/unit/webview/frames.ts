interface Frames {
  /** Lets time pass without a frame. */
  pass(milliseconds: number): void;
  /** Draws the next frame, by default as late that text is drawn in each one, however fast it comes. */
  draw(milliseconds?: number): void;
  /** Gives drawing back to the document. */
  close(): void;
}

/** Lets the test decide when a frame is drawn and time passes. One may be opened while another is. */
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
