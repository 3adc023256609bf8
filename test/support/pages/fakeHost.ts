/** Stands in for VS Code in a page. Runs before the scripts of the page. */
import type { ViewMessage } from '../../../src/protocol/messages.ts';
import type { AnswerMessage, PostedRequest } from '../../../src/protocol/request.ts';
import type { PartText, RequestPageRequests } from '../../../src/protocol/requestMessages.ts';
import type { UsageRequests } from '../../../src/protocol/usageMessages.ts';
import { answersTo } from './hostAnswers.ts';

/** A request of a page in a tab, which belongs to no chat. */
type TabRequest = PostedRequest<RequestPageRequests & UsageRequests>;

function receive(message: ViewMessage | TabRequest): void {
  const isTab = message.type === 'request' && isOfTab(message);
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
