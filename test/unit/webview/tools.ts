import type {
  Conversation,
  Part,
  ToolCallPart,
  ApprovalRequest,
  Turn,
} from '../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import type { AttachmentChip } from '../../../src/protocol/messages.ts';
import { turnStart, turnWith } from '../../support/turns.ts';
import { PanelPage } from './panel.ts';

export const startedAt = Date.UTC(2026, 0, 1);

/** A finished turn without a reply. */
export const finished: Turn = turnWith({
  id: 'turn',
  model: 'mistralai/mistral-small',
  startedAt,
  endedAt: startedAt + 3400,
  runningSince: startedAt,
  duration: 3400,
  finishReason: 'stop',
});

/** A finished turn with a message and a reply. */
export function said(id: string, question = 'Why?', reply = `Reply to ${question}`): Turn {
  return {
    ...finished,
    id,
    question: { text: question, attachments: [] },
    parts: [{ type: 'text', text: reply }],
  };
}

export const chip: AttachmentChip = {
  id: 'a1',
  name: 'app.ts',
  path: 'src/app.ts',
  icon: 'file-code',
  tokens: 1234,
  state: 'attached',
};

export const start = turnStart({
  id: 'turn',
  model: 'mistralai/mistral-small',
  at: startedAt,
});
export const end: ConversationEvent = {
  type: 'turn-end',
  status: 'finished',
  at: startedAt + 3400,
};

/** How calls of `read_file` are displayed. */
export const readFiles = {
  icon: 'file',
  summary: { many: 'Read {0} files', distinct: { argument: 'path', one: 'Read 1 file' } },
};

/** A finished call of `read_file`, in a chat of an earlier version. */
export function call(change: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    id: 'c1',
    name: 'read_file',
    round: 1,
    status: 'done',
    arguments: '{"path":"src/app.ts"}',
    title: 'Read src/app.ts, lines 1–80',
    result: '1\tlet a;',
    startedAt,
    endedAt: startedAt + 40,
    ...change,
  };
}

/** The events of a call until it runs. */
export function begin(id: string, name = 'read_file', at = startedAt): ConversationEvent[] {
  const part = { id, name, arguments: `{"path":"${id}.ts"}`, round: 1, title: `Read ${id}.ts` };
  return [
    { type: 'tool-call-start', call: part },
    { type: 'tool-call-run', id, at },
  ];
}

export function result(id: string, outcome: 'done' | 'failed' = 'done'): ConversationEvent {
  return { type: 'tool-call-result', id, outcome, result: `Of ${id}`, at: startedAt + 40 };
}

/** An edit that the person approves in the panel. */
export const edit: ApprovalRequest = {
  by: 'panel',
  forChat: true,
  files: [{ path: 'src/app.ts', kind: 'edit', addedLines: 3, removedLines: 1 }],
};

/** Selects the card of a tool call. */
export const callCard = '[role=group][aria-label^="Tool call: "]';

export function isOpen(element: HTMLElement): boolean {
  return element.hasAttribute('open');
}

export async function openChat(conversation: Conversation = chat()): Promise<PanelPage> {
  const page = await PanelPage.open({ conversation });
  await page.drawn();
  return page;
}

export function chat(...turns: Turn[]): Conversation {
  return { id: 'chat', options: {}, turns, running: undefined, usage: {} };
}

export function chatWithParts(parts: readonly Part[], change: Partial<Turn> = {}): Conversation {
  return chat({ ...finished, parts, ...change });
}
