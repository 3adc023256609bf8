import assert from 'node:assert/strict';
import { lastTurn, turnText } from '../../../../src/core/conversation/conversation.ts';
import { until } from '../../../support/until.ts';
import { messageOf, turnRig } from './turnRig.ts';

describe('ChatTurns', () => {
  it('resolves with a turn that has ended', async () => {
    const { turns, requests, reply } = turnRig();
    const turn = turns.start(messageOf('Hi'), 'm');
    await until(() => requests.length === 1);
    await new Promise(setImmediate);
    reply();
    assert.deepEqual([(await turn).status, turnText(await turn)], ['finished', 'Hello']);
  });

  it('keeps the text of a turn that is stopped', async () => {
    const { conversation, turns } = turnRig();
    const turn = turns.start(messageOf('Hi'), 'm');
    await until(() => turnText(lastTurn(conversation.current) ?? fail()) !== '');
    await turns.end();
    assert.deepEqual([(await turn).status, turnText(await turn)], ['stopped', 'Hello']);
  });

  it('sends nothing for a turn that starts after it was closed', async () => {
    const { turns, requests } = turnRig();
    await turns.close();
    const { status } = await turns.start(messageOf('Hi'), 'm');
    assert.deepEqual([status, requests], ['stopped', []]);
  });

  it('keeps an earlier message as another version when it is sent again', async () => {
    const { conversation, turns } = turnRig();
    await turns.close();
    const first = await turns.start(messageOf('One'), 'm');
    const again = await turns.resend(first, messageOf('Two'), {});
    assert.equal(again.question.text, 'Two');
    assert.deepEqual(
      conversation.current.turns.map(({ id }) => id),
      [again.id],
    );
    assert.equal(conversation.current.others?.length, 1);
  });
});

function fail(): never {
  throw new Error('There is no turn.');
}
