import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import type { Subject } from './subject.ts';

export { prepare, stream } from './drive.ts';
export { typeSample } from './typing.ts';

/** Renders inside the same elements as in the panel. */
export function createSubject(container: HTMLElement): Subject {
  const prose = document.createElement('div');
  prose.className = 'prose';
  const body = document.createElement('div');
  prose.append(body);
  container.append(prose);
  return createMarkdownStream(body);
}
