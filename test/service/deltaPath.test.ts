/** Counts messages and writes for 100,000 deltas on their way from the socket to view and disk. */
import assert from 'node:assert/strict';
import { turnText } from '../../src/core/conversation/conversation.ts';
import { readJournal } from '../../src/core/conversation/journalReader.ts';
import type { JournalStorage } from '../../src/host/journal/journal.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeltaPath } from '../support/deltaPath.ts';
import { ManualClock } from '../support/manualClock.ts';
import { delta, done, stop } from '../support/rawReply.ts';

const seconds = 10;
const readsASecond = 100;
const deltasARead = 100;
const text = 'word '.repeat(seconds * readsASecond * deltasARead);

class CountingStorage implements JournalStorage {
  text = '';
  writes = 0;

  append(_: string, more: string): Promise<void> {
    this.writes += 1;
    this.text += more;
    return Promise.resolve();
  }

  read(): Promise<string> {
    return Promise.resolve(this.text);
  }
}

/** Streams 10,000 deltas a second for ten seconds. `isReading` is true if the view acknowledges messages. */
async function play(
  isReading: boolean,
): Promise<{ posted: HostMessage[]; storage: CountingStorage }> {
  const clock = new ManualClock();
  const storage = new CountingStorage();
  const posted: HostMessage[] = [];
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const body = writable.getWriter();
  const path = createDeltaPath({
    baseUrl: 'https://service.test/v1',
    fetch: () => Promise.resolve(new Response(readable)),
    clock,
    storage,
    post(message, acknowledge) {
      posted.push(message);
      if (isReading && message.type === 'events') queueMicrotask(acknowledge);
    },
  });
  const pending = path.ask();
  const read = new TextEncoder().encode(delta('word ').repeat(deltasARead));
  for (let count = 0; count < seconds * readsASecond; count++) {
    await body.write(read);
    await clock.advance(1000 / readsASecond);
  }
  await body.write(new TextEncoder().encode(stop + done));
  assert.equal(turnText(await pending), text);
  return { posted, storage };
}

function eventsOf(posted: readonly HostMessage[]): HostMessage[] {
  return posted.filter((message) => message.type === 'events');
}

describe('100,000 deltas', () => {
  it('reach a view that reads them, one message per read, each once', async () => {
    const { posted } = await play(true);
    const messages = eventsOf(posted);
    const reads = seconds * readsASecond;
    // One message per read, and those for the start of the turn, its usage and its end.
    assert.ok(messages.length <= reads + 4, `${messages.length} messages`);
    assert.ok(JSON.stringify(posted).length < text.length + 120 * messages.length + 1000);
  });

  it('wait in one message for a view that does not read them', async () => {
    const { posted } = await play(false);
    const messages = eventsOf(posted);
    assert.equal(messages.length, 1);
    assert.ok(JSON.stringify(posted).length < 1000);
  });

  it('are written five times a second, each once', async () => {
    const { storage } = await play(true);
    // Five writes a second, and those for the message, the first text, the usage and the end.
    assert.ok(storage.writes <= 5 * seconds + 5, `${storage.writes} writes`);
    assert.ok(storage.text.length < text.length + 120 * storage.writes + 1000);
    const [turn] = readJournal('c', storage.text).conversation.turns;
    assert.equal(turn && turnText(turn), text);
  });
});
