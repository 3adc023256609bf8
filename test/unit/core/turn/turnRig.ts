import {
  emptyConversation,
  type UserMessage,
} from '../../../../src/core/conversation/conversation.ts';
import { LiveConversation } from '../../../../src/core/conversation/liveConversation.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { ChatTurns, type TurnRunnerOptions } from '../../../../src/core/turn/chatTurns.ts';
import { RequestPlanner } from '../../../../src/core/turn/requestPlanner.ts';
import { ManualClock } from '../../../support/manualClock.ts';

export interface TurnRig {
  readonly conversation: LiveConversation;
  readonly planner: RequestPlanner;
  readonly turns: ChatTurns;
  readonly options: TurnRunnerOptions;
  /** The last message of each request. */
  readonly requests: string[];
  /** Ends each running request with a reply. */
  readonly reply: () => void;
}

export function messageOf(text: string): UserMessage {
  return { text, attachments: [] };
}

/** Turns whose replies run until `reply` is called. */
export function turnRig(changes: Partial<TurnRunnerOptions> = {}): TurnRig {
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
  const options: TurnRunnerOptions = {
    clock: new ManualClock(),
    meter: { estimate: () => 0, learn: () => undefined },
    settings: () => ({ instructions: '', stream: true, options: {} }),
    connect: () => Promise.resolve({ client, demo: false }),
    tools: () => Promise.resolve(undefined),
    describe: (error) => ({ kind: 'x', message: String(error) }),
    ...changes,
  };
  const planner = new RequestPlanner(conversation, options);
  const turns = new ChatTurns(conversation, planner, options);
  return {
    conversation,
    planner,
    turns,
    options,
    requests,
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
