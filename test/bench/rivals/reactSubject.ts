import { useState, type FunctionComponent, createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { Subject } from '../rendering/page/subject.ts';
import { eachFrame } from './eachFrame.ts';

export interface ReplyProps {
  readonly text: string;
  /** No more text follows. */
  readonly isEnded: boolean;
}

/** A component that renders the text so far, once per frame. */
export function reactSubject(
  container: HTMLElement,
  Reply: FunctionComponent<ReplyProps>,
): Subject {
  let show: (reply: ReplyProps) => void = () => undefined;
  let text = '';
  function Frame() {
    const [shown, setShown] = useState<ReplyProps>({ text: '', isEnded: false });
    show = setShown;
    return createElement(Reply, shown);
  }
  const root = createRoot(container);
  flushSync(() => root.render(createElement(Frame)));
  return eachFrame((added, isEnded) => {
    text += added;
    if (isEnded) flushSync(() => show({ text, isEnded }));
    else show({ text, isEnded });
  });
}
