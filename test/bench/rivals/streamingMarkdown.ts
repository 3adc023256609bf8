import { default_renderer, parser, parser_end, parser_write } from 'streaming-markdown';
import type { Subject } from '../rendering/page/subject.ts';
import { eachFrame } from './eachFrame.ts';

export { prepare, stream } from '../rendering/page/drive.ts';

/** streaming-markdown, once per frame. It writes into the page directly, and highlights nothing. */
export function createSubject(container: HTMLElement): Subject {
  const state = parser(default_renderer(container));
  return eachFrame((added, isEnded) => {
    parser_write(state, added);
    if (isEnded) parser_end(state);
  });
}
