import { code } from '@streamdown/code';
import { Streamdown } from 'streamdown';
import type { Subject } from '../rendering/page/subject.ts';
import { reactSubject } from './reactSubject.ts';

export { prepare, stream } from '../rendering/page/drive.ts';

const plugins = { code };

function Reply({ text }: { readonly text: string }) {
  return <Streamdown plugins={plugins}>{text}</Streamdown>;
}

/** Streamdown with its highlighting plugin. */
export function createSubject(container: HTMLElement): Subject {
  return reactSubject(container, Reply);
}
