/**
 * A window that shows one chat, as a process of its own: it opens, sends messages, lists turns and
 * closes as its parent tells it. Started by `test/unit/host/chat/oneWriter.test.ts`.
 */
import * as z from 'zod/mini';
import { turnText } from '../../src/core/conversation/conversation.ts';
import type { Client, CompletionEvent } from '../../src/core/service/client.ts';
import { systemClock, type Clock } from '../../src/core/support/clock.ts';
import type { Chat } from '../../src/host/chat/chat.ts';
import { ChatLocks } from '../../src/host/chat/chatLocks.ts';
import { JournalFiles } from '../../src/host/chat/journalFiles.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { hostProcess } from '../../src/host/node/thisMachine.ts';
import { openChat } from '../unit/host/chat/openChatRig.ts';

export const windowCall = z.discriminatedUnion('name', [
  /** Replies with whether this window may write the chat, which stays open. */
  z.object({ name: z.literal('open') }),
  /** Sends messages one after the other, replying with each text that is stored. */
  z.object({ name: z.literal('send'), texts: z.array(z.string()) }),
  /** Replies with the messages and replies of the chat. */
  z.object({ name: z.literal('list') }),
  z.object({ name: z.literal('close') }),
]);

const [, , folder = '', chatId = ''] = process.argv;

/** The system's clock, by which waits are a hundred times shorter. */
const clock: Clock = {
  wall: () => systemClock.wall(),
  monotonic: () => systemClock.monotonic() * 100,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 100, callback),
};

async function* stream(message: string): AsyncGenerator<CompletionEvent, void> {
  // In parts, so that a kill can come between them.
  for (const part of ['Reply ', 'to ', message]) {
    await new Promise((resolve) => setImmediate(resolve));
    yield { type: 'text', text: part };
  }
  const fields = { usage: undefined, model: undefined, fault: undefined };
  const end = { toolCalls: [], finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
  yield { type: 'end', completion: { ...end, ...fields } };
}

const client: Client = {
  address: { baseUrl: '', origin: '', host: '' },
  stream: (request) => stream(String(request.messages.at(-1)?.content)),
};

const files = new DiskFiles(folder);
// Locks are renewed and expire in real time.
const locks = new ChatLocks(files.folder('locks'), hostProcess(), systemClock);
const storage = new JournalFiles(files.folder('chats'), systemClock, locks);

function open(): Chat {
  return openChat(
    { id: chatId, origin: 'stored' },
    {
      clock,
      storage,
      locks,
      state: { get: () => undefined, update: () => Promise.resolve() },
      onError: (what, error) => reply({ error: `${what}: ${String(error)}` }),
      onUnread: () => reply({ error: 'unread' }),
      chat: { clock: systemClock, connect: () => Promise.resolve({ client, demo: false }) },
    },
  );
}

function reply(message: object): void {
  process.send?.(message);
}

let chat = open();

async function handle(call: z.infer<typeof windowCall>): Promise<void> {
  switch (call.name) {
    case 'open':
      chat.dispose();
      chat = open();
      await chat.allRead();
      reply({ mayWrite: chat.access.mayWrite });
      return;
    case 'send':
      for (const text of call.texts) {
        const turn = await chat.send({ text, attachments: [] }, 'm');
        await chat.store.flush();
        if (turn.status === 'finished' && chat.store.isSaved) reply({ stored: text });
      }
      return;
    case 'list':
      reply({
        turns: chat.conversation.turns.map((turn) => [turn.question.text, turnText(turn)]),
      });
      return;
    case 'close':
      await chat.store.flush();
      await chat.store.release();
      reply({ closed: true });
  }
}

process.on('message', (message) => {
  handle(windowCall.parse(message)).catch((error: unknown) => reply({ error: String(error) }));
});
process.on('disconnect', () => process.exit());
reply({ ready: true });
