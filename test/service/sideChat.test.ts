import assert from 'node:assert/strict';
import { lastTurn } from '../../src/core/conversation/conversation.ts';
import { sideChatEvents } from '../../src/core/history/chatImport.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import { ManualClock } from '../support/manualClock.ts';
import { change, look, toolRig, usualLimits } from '../support/toolTurn.ts';

describe('a side chat', () => {
  it('runs only tools that read', async () => {
    const main = toolRig({
      list: [look, change],
      script: [[['look', { name: 'a' }]], [['change', { name: 'a' }]], 'It is changed.'],
    });
    await main.ask();
    const tools = new Toolbox([look, change], {
      clock: new ManualClock(),
      redactor: createRedactor(),
      onError: () => undefined,
    });
    const side = toolRig({
      script: [
        [
          ['look', { name: 'b' }],
          ['change', { name: 'b' }],
        ],
        'It may not.',
      ],
      tools: () => Promise.resolve({ toolbox: tools.runningReading, ...usualLimits }),
    });
    side.chat.show(sideChatEvents(main.chat.conversation, 'Why?'));
    await side.ask('Why?');

    const [, second] = side.requests();
    assert.deepEqual(
      second?.messages.slice(-2).map(({ content }) => content),
      ['This is b.', 'Not run: the person has chosen a mode with tools that read only.'],
    );
    const calls = lastTurn(side.chat.conversation)?.parts.flatMap((part) =>
      part.type === 'tool-call' ? [[part.name, part.status]] : [],
    );
    assert.deepEqual(calls, [
      ['look', 'done'],
      ['change', 'failed'],
    ]);
  });

  it('runs no tool if its chat has none', () => {
    const tools = new Toolbox(
      [look],
      { clock: new ManualClock(), redactor: createRedactor(), onError: () => undefined },
      () => 'chat',
    );
    const checked = tools.runningReading.check('look', '{"name":"a"}');
    assert.ok('refused' in checked && checked.refused.text.includes('without tools'));
  });
});
