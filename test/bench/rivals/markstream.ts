import MarkdownRender, { MarkdownCodeBlockNode, setCustomComponents } from 'markstream-vue';
import 'markstream-vue/index.css';
import { createApp, h, shallowRef } from 'vue';
import type { Subject } from '../rendering/page/subject.ts';
import { eachFrame } from './eachFrame.ts';

export { prepare, stream } from '../rendering/page/drive.ts';

// Its blocks of code that are highlighted by Shiki, through stream-markdown. Version 2 highlights
// only through stream-diffs, which npm doesn't have.
setCustomComponents({ code_block: MarkdownCodeBlockNode });

/** As its documentation advises for a stream, without what holds text back or fades it in. */
const options = {
  maxLiveNodes: 0,
  renderBatchSize: 16,
  renderBatchDelay: 8,
  renderBatchBudgetMs: 4,
  smoothStreaming: false,
  fade: false,
};

/** Markstream with highlighting, once per frame. */
export function createSubject(container: HTMLElement): Subject {
  let text = '';
  const reply = shallowRef({ content: '', final: false });
  createApp(() => h(MarkdownRender, { ...reply.value, ...options })).mount(container);
  return eachFrame((added, isEnded) => {
    text += added;
    reply.value = { content: text, final: isEnded };
  });
}
