import Markdown from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import remarkGfm from 'remark-gfm';
import type { Subject } from '../rendering/page/subject.ts';
import { reactSubject } from './reactSubject.ts';

export { prepare, stream } from '../rendering/page/drive.ts';

const remarkPlugins = [remarkGfm];
const rehypePlugins = [rehypeHighlight];

function Reply({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins}>
      {text}
    </Markdown>
  );
}

/** react-markdown with tables and highlighting. */
export function createSubject(container: HTMLElement): Subject {
  return reactSubject(container, Reply);
}
