import assert from 'node:assert/strict';
import type { ImageUrls } from '../../../../src/core/turn/messagePieces.ts';
import { RequestPlanner } from '../../../../src/core/turn/requestPlanner.ts';
import { messageOf, turnRig } from './turnRig.ts';

describe('RequestPlanner', () => {
  it('plans the request of a message, and sends nothing', async () => {
    const { planner, conversation, requests } = turnRig();
    const { request, last } = await planner.plan(messageOf('Hi'), 'm');
    assert.equal(request.messages.at(-1)?.content, 'Hi');
    assert.deepEqual([last, requests, conversation.current.turns], [undefined, [], []]);
  });

  it('plans a message that replaces a turn without that turn and all later ones', async () => {
    const { planner, turns } = turnRig();
    await turns.close();
    await turns.start(messageOf('One'), 'm');
    const second = await turns.start(messageOf('Two'), 'm');
    await turns.start(messageOf('Three'), 'm');
    const { conversation } = planner.preview(messageOf('New'), 'm', second.id);
    assert.deepEqual(
      conversation.turns.map(({ question }) => question.text),
      ['One'],
    );
  });

  it('waits for settings that load instructions, which asks the person nothing', async () => {
    const { conversation, options } = turnRig();
    let instructions = '';
    const planner = new RequestPlanner(conversation, {
      ...options,
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
    const { conversation, options } = turnRig();
    let reads = 0;
    const outlines: ImageUrls = () => undefined;
    for (const images of [undefined, outlines]) {
      const planner = new RequestPlanner(conversation, {
        ...options,
        settings: () => ({ instructions: '', stream: true, options: {}, images }),
        loadImages() {
          reads += 1;
          return Promise.resolve(outlines);
        },
      });
      await planner.plan(messageOf('Hi'), 'm');
    }
    assert.equal(reads, 1);
  });
});
