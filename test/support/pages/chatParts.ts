import type {
  Conversation,
  Part,
  ToolCallPart,
  Turn,
} from '../../../src/core/conversation/conversation.ts';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../src/core/conversation/usage.ts';
import type {
  AttachmentChip,
  HostMessage,
  PanelState,
  Snapshot,
} from '../../../src/protocol/messages.ts';
import { unconnected } from '../panelState.ts';
import type { PageState } from './pageState.ts';

/** Start of the turns: two minutes before the time of the pages. */
export const turnTime = Date.UTC(2026, 0, 31, 11, 58);

/** A panel that is ready to send a message. */
export const connected: PanelState = {
  ...unconnected,
  connection: { kind: 'service' },
  model: { id: 'mistralai/mistral-small', fromWorkspace: false, missing: false },
  cost: { tokens: 1200, perCharacter: 0.25, toolTokens: 900 },
};

/** A turn that has ended with a reply. */
export const endedTurn: Turn = {
  id: 'turn',
  question: { text: 'Why is the sum wrong?', attachments: [] },
  model: 'mistralai/mistral-small',
  status: 'finished',
  parts: [textPart('The loop begins at 1, so the first number is left out.')],
  startedAt: turnTime,
  endedAt: turnTime + 3400,
  runningSince: turnTime,
  duration: 3400,
  finishReason: 'stop',
  usage: {
    ...zeroUsage,
    prompt_tokens: 1200,
    completion_tokens: 80,
    total_tokens: 1280,
    requests: 1,
  },
};

export function textPart(text: string): Part {
  return { type: 'text', text };
}

/** A completed tool call. */
export function toolPart(id: string, change: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    id,
    name: 'read_file',
    round: 1,
    status: 'done',
    arguments: '{"path":"src/app.ts"}',
    title: 'Read src/app.ts, lines 1–80',
    icon: 'file',
    summary: { many: 'Read {0} files', distinct: { argument: 'path', one: 'Read 1 file' } },
    result: '1\tlet a;',
    startedAt: turnTime,
    endedAt: turnTime + 40,
    ...change,
  };
}

export function attachmentChip(id: string, change: Partial<AttachmentChip> = {}): AttachmentChip {
  const { name = `${id}.ts` } = change;
  return { id, name, path: `src/${name}`, icon: 'file', tokens: 340, state: 'attached', ...change };
}

/** A chat with these turns, each of which gets its own id. */
export function chatOf(...turns: Partial<Turn>[]): Conversation {
  const ended = turns.map((turn, index) => ({ ...endedTurn, id: `turn-${index + 1}`, ...turn }));
  return { ...emptyConversation('chat'), turns: ended };
}

/** A chat whose last turn is running. */
export function runningChat(change: Partial<Turn>): Conversation {
  const unknown = { endedAt: undefined, finishReason: undefined, usage: undefined };
  const running: Turn = { ...endedTurn, ...unknown, parts: [], status: 'streaming' };
  return { ...chatOf({ id: 'before' }), running: { ...running, ...change } };
}

export interface ChatState extends PageState {
  readonly snapshot: Snapshot;
  readonly messages: readonly HostMessage[];
}

interface ChatStateOptions extends Partial<Omit<Snapshot, 'state'>>, Pick<PageState, 'act'> {
  readonly state?: Partial<PanelState>;
  /** Host messages after the snapshot. */
  readonly then?: readonly HostMessage[];
}

export function chatState(
  name: string,
  drawn: readonly string[],
  { act, state, then = [], ...change }: ChatStateOptions = {},
): ChatState {
  const snapshot: Snapshot = {
    conversation: emptyConversation('chat'),
    before: 0,
    after: 0,
    draft: '',
    now: turnTime + 120_000,
    ...change,
    state: { ...connected, ...state },
  };
  const messages: ChatState['messages'] = [{ type: 'snapshot', snapshot }, ...then];
  return { name, kind: 'main', drawn, snapshot, messages, ...(act && { act }) };
}
