import { IncremarkContent } from '@incremark/react';
import '@incremark/theme/styles.css';
import type { Subject } from '../rendering/page/subject.ts';
import { reactSubject, type ReplyProps } from './reactSubject.ts';

export { prepare, stream } from '../rendering/page/drive.ts';

const options = { gfm: true };

function Reply({ text, isEnded }: ReplyProps) {
  return <IncremarkContent content={text} isFinished={isEnded} incremarkOptions={options} />;
}

/** Incremark with tables; its blocks of code are highlighted by Shiki. */
export function createSubject(container: HTMLElement): Subject {
  return reactSubject(container, Reply);
}
