import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import type { Client } from '../../../../src/core/service/client.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { openChat, SlowModel } from './openChatRig.ts';

const day = 86_400_000;
/** Changes of the time of day: back a day, none, ahead an hour or a month. */
const jump = fc.constantFrom(-day, 0, 0, day / 24, 30 * day);

/**
 * A message with a change of the clock before it is connected and before each step of its reply.
 */
const message = fc.record({
  jumps: fc.array(jump, { minLength: 4, maxLength: 4 }),
  seconds: fc.array(fc.nat(100), { minLength: 4, maxLength: 4 }),
});

describe('a chat while the time of day changes', () => {
  it('has its turns in order, each with its actual duration, even when read again', () =>
    fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 4 }), async (messages) => {
        const clock = new ManualClock();
        const model = new SlowModel();
        const storage = new MemoryStorage();
        /** Resolves after the first seconds of each message. */
        const connect = async (): Promise<{ client: Client; demo: false }> => {
          await new Promise<void>((resolve) => (connected = resolve));
          return { client: model.client, demo: false };
        };
        let connected = (): void => undefined;
        const chat = openChat({ id: 'c', origin: 'new' }, { clock, storage, chat: { connect } });
        const { store } = chat;
        for (const [index, { jumps, seconds }] of messages.entries()) {
          const sending = chat.send({ text: `${index}`, attachments: [] }, 'm');
          await clock.advance(0);
          const began = clock.monotonic();
          for (const [step, milliseconds] of jumps.entries()) {
            clock.setWall(clock.wall() + milliseconds);
            await clock.advance((seconds[step] ?? 0) * 1000);
            if (step === 0) connected();
            else model.step();
            await clock.advance(0);
          }
          const turn = await sending;
          const sum = seconds.slice(0, 3).reduce((all, time) => all + time, 0);
          assert.equal(turn.duration, sum * 1000, `${clock.monotonic() - began}`);
          assert.equal(turn.status, 'finished');
        }
        await store.flush();
        const { conversation } = readJournal('c', storage.texts.get('c') ?? '');
        assert.deepEqual(conversation.turns, chat.conversation.turns);
        assert.deepEqual(
          conversation.turns.map(({ question }) => question.text),
          messages.map((_, index) => `${index}`),
        );
      }),
      { numRuns: runs(100) },
    ));
});
