import type { Subject } from '../rendering/page/subject.ts';

/** Shows what was pushed once per frame, and the rest at the end. */
export function eachFrame(show: (added: string, isEnded: boolean) => void): Subject {
  let added = '';
  let frame: number | undefined;
  const flush = (isEnded: boolean): void => {
    const text = added;
    added = '';
    frame = undefined;
    show(text, isEnded);
  };
  return {
    push(chunk) {
      added += chunk;
      frame ??= requestAnimationFrame(() => flush(false));
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      flush(true);
    },
  };
}
