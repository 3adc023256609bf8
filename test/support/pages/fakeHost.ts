/** Stands in for VS Code in a page: a script that runs there, before those of the page. */
import type { HostMessage, ViewMessage } from '../../../src/protocol/messages.ts';
import type {
  RequestHostMessage,
  RequestViewMessage,
} from '../../../src/protocol/requestMessages.ts';
import { answersTo } from './hostAnswers.ts';

/** As much as is answered of what the pages say. */
type Asked = ViewMessage | Extract<RequestViewMessage, { type: 'read' }>;

function hear(message: Asked): void {
  if (message.type === 'ready') Object.assign(globalThis, { isReady: true });
  for (const data of answers(message)) window.dispatchEvent(new MessageEvent('message', { data }));
}

function answers(message: Asked): readonly (HostMessage | RequestHostMessage)[] {
  if (message.type !== 'read') return answersTo(message);
  return [{ type: 'text', part: message.part, text: 'Why is the sum wrong?', isWhole: false }];
}

const api = {
  postMessage: (message: Asked): void => queueMicrotask(() => hear(message)),
  getState: (): unknown => undefined,
  setState: (): void => undefined,
};
Object.assign(globalThis, { acquireVsCodeApi: () => api });
