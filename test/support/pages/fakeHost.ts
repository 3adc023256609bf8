/** Stands in for VS Code in a page. Runs before the scripts of the page. */
import type { ViewMessage } from '../../../src/protocol/messages.ts';
import type { AnswerMessage, PostedCall } from '../../../src/protocol/call.ts';
import type { PartText, RequestPageCalls } from '../../../src/protocol/requestMessages.ts';
import type { UsageCalls } from '../../../src/protocol/usageMessages.ts';
import { answersTo } from './hostAnswers.ts';

/** A request of a page in a tab, which belongs to no chat. */
type TabRequest = PostedCall<RequestPageCalls & UsageCalls>;

function receive(message: ViewMessage | TabRequest): void {
  const isTab = message.type === 'call' && isOfTab(message);
  if (message.type === 'ready' || (isTab && message.call.name === 'ready'))
    Object.assign(globalThis, { isReady: true });
  const answers = isTab ? [answerTo(message)] : answersTo(message);
  for (const data of answers) window.dispatchEvent(new MessageEvent('message', { data }));
}

function isOfTab(message: { readonly conversation?: string | undefined }): message is TabRequest {
  return message.conversation === undefined;
}

function answerTo({ id, call }: TabRequest): AnswerMessage {
  const text: PartText = { text: 'Why is the sum wrong?', isWhole: false };
  return { type: 'answer', id, value: call.name === 'read' ? text : undefined };
}

const api = {
  postMessage: (message: ViewMessage): void => queueMicrotask(() => receive(message)),
  getState: (): unknown => undefined,
  setState: (): void => undefined,
};
Object.assign(globalThis, { acquireVsCodeApi: () => api });
