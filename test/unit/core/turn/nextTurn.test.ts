import assert from 'node:assert/strict';
import { emptyConversation, lastTurn } from '../../../../src/core/conversation/conversation.ts';
import type { TurnEnd } from '../../../../src/core/conversation/events.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import type { ImageUrls } from '../../../../src/core/turn/messagePieces.ts';
import { modelToRetry, RequestPlanner } from '../../../../src/core/turn/nextTurn.ts';
import { turnStart } from '../../../support/turns.ts';
import { messageOf, turnRig } from './turnRig.ts';

/** The model of a retry after another model was selected. */
async function retryModel(model: string, end: Pick<TurnEnd, 'status' | 'error'>): Promise<string> {
  const question = { text: 'Hello', attachments: [] };
  const started = reduce(
    emptyConversation('chat'),
    turnStart({ id: 'turn', question, model, at: 0 }),
  );
  const turn = lastTurn(reduce(started, { type: 'turn-end', at: 1, ...end }));
  assert.ok(turn);
  return modelToRetry(turn, () => Promise.resolve('the/chosen'));
}

describe('modelToRetry', () => {
  it('is the model that replied', async () => {
    assert.equal(await retryModel('the/first', { status: 'finished' }), 'the/first');
    assert.equal(await retryModel('the/first', { status: 'stopped' }), 'the/first');
  });

  it('is the selected model if the first one did not reply', async () => {
    assert.equal(await retryModel('the/gone', { status: 'failed' }), 'the/chosen');
    assert.equal(await retryModel('', { status: 'stopped' }), 'the/chosen');
  });
});

describe('RequestPlanner', () => {
  it('plans the request of a message, and sends nothing', async () => {
    const { planner, conversation, requests } = turnRig();
    const { request, last } = await planner.plan(messageOf('Hi'), 'm');
    assert.equal(request.messages.at(-1)?.content, 'Hi');
    assert.deepEqual([last, requests, conversation.current.turns], [undefined, [], []]);
  });

  it('plans a message that replaces a turn without that turn and all later ones', async () => {
    const { planner, run, control } = turnRig();
    control.stop();
    await run('One');
    const second = await run('Two');
    await run('Three');
    const { conversation } = planner.preview(messageOf('New'), 'm', second.id);
    assert.deepEqual(
      conversation.turns.map(({ question }) => question.text),
      ['One'],
    );
  });

  it('waits for settings that load instructions, which asks the person nothing', async () => {
    const { conversation, host } = turnRig();
    let instructions = '';
    const planner = new RequestPlanner(conversation, {
      ...host,
      settings: () => ({ instructions, stream: true, options: {} }),
      prepare(_, mayAsk) {
        assert.equal(mayAsk, false);
        instructions = 'Be brief.';
        return Promise.resolve();
      },
    });
    const { request } = await planner.plan(messageOf('Hi'), 'm');
    assert.match(JSON.stringify(request.messages), /Be brief\./);
  });

  it('reads images only if the model accepts them', async () => {
    const { conversation, host } = turnRig();
    let reads = 0;
    const outlines: ImageUrls = () => undefined;
    for (const images of [undefined, outlines]) {
      const source = {
        ...host,
        settings: () => ({ instructions: '', stream: true, options: {}, images }),
      };
      const planner = new RequestPlanner(conversation, source, {
        load() {
          reads += 1;
          return Promise.resolve(outlines);
        },
      });
      await planner.plan(messageOf('Hi'), 'm');
    }
    assert.equal(reads, 1);
  });
});
