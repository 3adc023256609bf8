import { useState, type FunctionComponent, createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { Subject } from '../rendering/page/subject.ts';

/** A component that renders the text so far, once per frame. */
export function reactSubject(
  container: HTMLElement,
  Reply: FunctionComponent<{ readonly text: string }>,
): Subject {
  let show: (text: string) => void = () => undefined;
  let text = '';
  let frame: number | undefined;
  function Frame() {
    const [shown, setShown] = useState('');
    show = setShown;
    return createElement(Reply, { text: shown });
  }
  const root = createRoot(container);
  flushSync(() => root.render(createElement(Frame)));
  const flush = (): void => {
    frame = undefined;
    show(text);
  };
  return {
    push(chunk) {
      text += chunk;
      frame ??= requestAnimationFrame(flush);
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      flushSync(flush);
    },
  };
}
