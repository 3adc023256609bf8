import {
  emptyConversation,
  lastTurn,
  type Turn,
  type UserMessage,
} from '../../../../src/core/conversation/conversation.ts';
import { LiveConversation } from '../../../../src/core/conversation/liveConversation.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { RequestPlanner, turnStart, type TurnHost } from '../../../../src/core/turn/nextTurn.ts';
import { runTurn, TurnControl } from '../../../../src/core/turn/runTurn.ts';
import { ManualClock } from '../../../support/manualClock.ts';

export interface TurnRig {
  readonly conversation: LiveConversation;
  readonly planner: RequestPlanner;
  readonly host: TurnHost;
  readonly client: Client;
  readonly control: TurnControl;
  /** The last message of each request. */
  readonly requests: string[];
  /** Starts a turn. Resolves when it has ended. */
  readonly run: (text?: string) => Promise<Turn>;
  /** Ends each running request with a reply. */
  readonly reply: () => void;
}

export function messageOf(text: string): UserMessage {
  return { text, attachments: [] };
}

/** A turn whose reply runs until `reply` is called. */
export function turnRig(changes: Partial<TurnHost> = {}): TurnRig {
  const conversation = new LiveConversation(emptyConversation('c'));
  const requests: string[] = [];
  const replying = new Set<() => void>();
  const client: Client = {
    address: { baseUrl: '', origin: '', host: '' },
    stream(request, signal) {
      requests.push(String(request.messages.at(-1)?.content));
      return reply(replying, signal);
    },
  };
  const host: TurnHost = {
    clock: new ManualClock(),
    meter: { estimate: () => 0, learn: () => undefined },
    settings: () => ({ instructions: '', stream: true, options: {} }),
    connect: () => Promise.resolve({ client, demo: false }),
    tools: () => Promise.resolve(undefined),
    describe: (error) => ({ kind: 'x', message: String(error) }),
    ...changes,
  };
  const planner = new RequestPlanner(conversation, host);
  const control = new TurnControl();
  return {
    conversation,
    planner,
    host,
    client,
    control,
    requests,
    async run(text = 'Hi') {
      conversation.apply(turnStart(messageOf(text), 'm', conversation.current, host));
      for await (const event of runTurn(planner, control)) conversation.apply(event);
      const turn = lastTurn(conversation.current);
      if (turn === undefined) throw new Error('There is no turn.');
      return turn;
    },
    reply() {
      for (const end of replying) end();
    },
  };
}

async function* reply(
  replying: Set<() => void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<CompletionEvent, void> {
  yield { type: 'text', text: 'Hello' };
  await new Promise<void>((resolve) => {
    replying.add(resolve);
    signal?.addEventListener('abort', () => resolve());
  });
  signal?.throwIfAborted();
  const completion = { toolCalls: [], finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
  yield {
    type: 'end',
    completion: { ...completion, usage: undefined, fault: undefined },
  };
}
