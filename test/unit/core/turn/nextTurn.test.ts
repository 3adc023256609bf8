import assert from 'node:assert/strict';
import { emptyConversation, lastTurn } from '../../../../src/core/conversation/conversation.ts';
import type { TurnEnd } from '../../../../src/core/conversation/events.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { modelToRetry } from '../../../../src/core/turn/nextTurn.ts';
import { turnStart } from '../../../support/turns.ts';

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
