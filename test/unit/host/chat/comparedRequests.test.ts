import assert from 'node:assert/strict';
import { comparedTurns } from '../../../../src/core/conversation/comparison.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';
import { openChat } from './openChatRig.ts';
import { settled } from './windowRig.ts';
import { noStorage } from '../../../support/memoryStorage.ts';

/** Models that reply immediately, except `slow`, which runs until stopped. `broken` fails. */
function rig(picked: readonly string[] = []) {
  const requests: CompletionRequest[] = [];
  const client: Client = {
    address: { baseUrl: '', origin: '', host: '' },
    listModels: () => Promise.resolve([]),
    async *stream(request, signal): AsyncGenerator<CompletionEvent, void> {
      requests.push(request);
      if (request.model === 'broken') throw new Error('No.');
      yield { type: 'text', text: `${request.model}.` };
      if (request.model === 'slow')
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      signal?.throwIfAborted();
      const fields = { usage: undefined, model: undefined, fault: undefined, toolCalls: [] };
      const completion = { finishReason: 'stop', doneSeen: true, malformedEvents: 0, ...fields };
      yield { type: 'end', completion };
    },
  };
  const open = openChat(
    { id: 'c', origin: 'new' },
    {
      clock: new ManualClock(),
      state: new FakeMemento(),
      storage: noStorage,
      chat: { connect: () => Promise.resolve({ client, demo: false }) },
      pickModels: () => Promise.resolve(picked),
    },
  );
  const { chat } = open;
  const columns = () => comparedTurns(chat.conversation);
  const compare = async (...models: string[]): Promise<void> => {
    void chat.compare({ text: 'Why?', attachments: [] }, models);
    await settled();
  };
  return { open, chat, requests, columns, compare };
}

describe('a request about compared replies', () => {
  it('stops one of them', async () => {
    const { open, columns, compare } = rig();
    await compare('a', 'slow');
    await open.request({ name: 'stop', parameters: { turn: columns()[1]?.id ?? '' } });
    await settled();
    assert.deepEqual(
      columns().map(({ status }) => status),
      ['finished', 'stopped'],
    );
  });

  it('chooses one while others run, which are stopped, and sends queued messages', async () => {
    const { open, chat, columns, compare } = rig();
    await compare('slow', 'a', 'slow');
    open.queue.add({ text: 'How?', attachments: [] }, 'b');
    await open.request({ name: 'choose-reply', parameters: { turn: columns()[1]?.id ?? '' } });
    await settled();
    assert.deepEqual(
      chat.conversation.turns.map(({ model, question }) => [model, question.text]),
      [
        ['a', 'Why?'],
        ['b', 'How?'],
      ],
    );
    assert.equal(turnsOfAllPaths(chat.conversation).length, 4);
  });

  it('sends a failed one again to its own model', async () => {
    const { open, requests, columns, compare } = rig();
    await compare('a', 'broken', 'b');
    await open.request({
      name: 'retry',
      parameters: { turn: columns()[1]?.id ?? '', chooseModel: false },
    });
    await settled();
    assert.equal(requests.at(-1)?.model, 'broken');
    assert.deepEqual(
      columns().map(({ model }) => model),
      ['a', 'broken', 'b'],
    );
  });

  it('continues a stopped one, which chooses it', async () => {
    const { open, chat, columns, compare } = rig();
    await compare('a', 'slow');
    chat.stop();
    await settled();
    const stopped = columns()[1]?.id ?? '';
    await open.request({ name: 'continue', parameters: { turn: stopped } });
    await settled();
    assert.equal(chat.conversation.running?.id, stopped);
    assert.deepEqual(columns(), []);
    chat.stop();
    await settled();
  });

  it('compares the newest message again, whose reply stays as a version', async () => {
    const { open, chat, columns } = rig(['b', 'd']);
    await chat.send({ text: 'Why?', attachments: [] }, 'a');
    await open.request({
      name: 'compare',
      parameters: { turn: chat.conversation.turns[0]?.id ?? '' },
    });
    await settled();
    assert.deepEqual(
      columns().map(({ model, question }) => [model, question.text]),
      [
        ['b', 'Why?'],
        ['d', 'Why?'],
      ],
    );
    await open.request({ name: 'choose-reply', parameters: { turn: columns()[1]?.id ?? '' } });
    const { versions } = open.snapshot(undefined);
    const [turn] = chat.conversation.turns;
    assert.deepEqual(
      [turn?.model, versions?.[turn?.id ?? '']?.reply?.number, chat.conversation.turns.length],
      ['d', 3, 1],
    );
  });

  it('edits the message of all of them, which stay as versions of it', async () => {
    const { open, chat, columns, compare } = rig();
    await compare('a', 'b');
    await open.request({
      name: 'resend',
      parameters: { turn: columns()[0]?.id ?? '', text: 'How?' },
    });
    await settled();
    assert.deepEqual(
      chat.conversation.turns.map(({ question }) => question.text),
      ['How?'],
    );
    assert.equal(turnsOfAllPaths(chat.conversation).length, 3);
  });
});
