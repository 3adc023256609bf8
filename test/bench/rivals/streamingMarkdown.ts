import { default_renderer, parser, parser_end, parser_write } from 'streaming-markdown';
import type { Subject } from '../rendering/page/subject.ts';

export { prepare, stream } from '../rendering/page/drive.ts';

/** streaming-markdown, once per frame. It writes into the page directly, and highlights nothing. */
export function createSubject(container: HTMLElement): Subject {
  const state = parser(default_renderer(container));
  let text = '';
  let frame: number | undefined;
  const flush = (): void => {
    frame = undefined;
    parser_write(state, text);
    text = '';
  };
  return {
    push(chunk) {
      text += chunk;
      frame ??= requestAnimationFrame(flush);
    },
    end() {
      if (frame !== undefined) cancelAnimationFrame(frame);
      flush();
      parser_end(state);
    },
  };
}
