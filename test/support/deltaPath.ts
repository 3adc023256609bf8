import { meterOf } from './metering.ts';
import type { Turn } from '../../src/core/conversation/conversation.ts';
import { windowAround } from '../../src/core/conversation/window.ts';
import { ServiceClient } from '../../src/core/service/client.ts';
import type { Clock } from '../../src/core/support/clock.ts';
import { Emitter } from '../../src/core/support/event.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import type { Chat } from '../../src/host/chat/chat.ts';
import { Journal, type JournalStorage } from '../../src/host/chat/journal.ts';
import { HostChannel } from '../../src/protocol/hostChannel.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { unconnected } from './panelState.ts';
import { testChat } from '../unit/host/chat/openChatRig.ts';

export interface DeltaPathOptions {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly storage: JournalStorage;
  /** Stands in for the view: receives every message, and may acknowledge it at any time. */
  readonly post: (message: HostMessage, acknowledge: () => void) => void;
}

/** Path of a reply through the extension host, from the socket to the view and the disk. */
export interface DeltaPath {
  /** Sends a message. Resolves when the turn has ended and is saved. */
  ask(): Promise<Turn>;
}

const apiKey = 'sk-delta-0123456789abcdef';

export function createDeltaPath(options: DeltaPathOptions): DeltaPath {
  const { clock, storage } = options;
  const chat = createChat(options);
  const journal = new Journal({ conversation: 'c', workspace: '', records: 0, storage, clock });
  const channel = createChannel(chat, options.post);
  chat.onDidChange((change) => {
    if (change.type !== 'event') return;
    channel.postEvent(change.event);
    journal.append(change.event);
  });
  return {
    async ask() {
      const turn = await chat.send({ text: 'Hello', attachments: [] }, 'some/model');
      await journal.flush();
      return turn;
    },
  };
}

function createChat({ baseUrl, fetch, clock }: DeltaPathOptions): Chat {
  const redactor = createRedactor();
  redactor.setKeys([apiKey]);
  const connection = { baseUrl, apiKey, fetch, clock, silenceLimit: 120_000 };
  const client = new ServiceClient({ ...connection, redactor, meter: meterOf(1) });
  return testChat({
    clock,
    connect: () => Promise.resolve({ client, demo: false }),
    describe: (error) => ({ kind: 'unexpected', message: String(error) }),
  });
}

function createChannel(chat: Chat, post: DeltaPathOptions['post']): HostChannel {
  const fromView = new Emitter<unknown>();
  const channel = new HostChannel(
    {
      post: (message) => post(message, () => fromView.fire({ type: 'acknowledge' })),
      listen: fromView.event,
    },
    {
      snapshot: () => ({
        ...windowAround(chat.conversation),
        state: unconnected,
        draft: '',
        now: 0,
      }),
      turns: () => undefined,
      call: () => Promise.resolve(),
      refusal: () => '',
    },
  );
  fromView.fire({ type: 'ready' });
  return channel;
}
