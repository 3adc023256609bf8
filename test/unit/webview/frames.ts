import { mock } from 'node:test';

interface Frames {
  /** Draws a frame now. */
  draw(): void;
  /** Gives drawing back to the document. */
  close(): void;
}

/** Milliseconds of a frame: long enough that text is drawn in each one, however fast it comes. */
const frameTime = 34;

/** Lets the test decide when a frame is drawn. Time passes with frames only. */
export function openFrames(): Frames {
  let now = performance.now();
  const clock = mock.method(performance, 'now', () => now);
  const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = globalThis;
  let waiting = new Map<number, FrameRequestCallback>();
  let lastId = 0;
  globalThis.requestAnimationFrame = (callback) => {
    waiting.set(++lastId, callback);
    return lastId;
  };
  globalThis.cancelAnimationFrame = (id) => void waiting.delete(id);
  return {
    draw() {
      now += frameTime;
      const due = waiting;
      waiting = new Map();
      for (const callback of due.values()) callback(0);
    },
    close() {
      clock.mock.restore();
      globalThis.requestAnimationFrame = request;
      globalThis.cancelAnimationFrame = cancel;
    },
  };
}
