interface Frames {
  /** Draws a frame now. */
  draw(): void;
  /** Gives drawing back to the document. */
  close(): void;
}

/** Lets the test decide when a frame is drawn. */
export function openFrames(): Frames {
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
      const due = waiting;
      waiting = new Map();
      for (const callback of due.values()) callback(0);
    },
    close() {
      globalThis.requestAnimationFrame = request;
      globalThis.cancelAnimationFrame = cancel;
    },
  };
}
