import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import type { ChatMode } from '../../../../src/core/conversation/mode.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { defineTool } from '../../../../src/core/tools/tool.ts';
import { Toolbox, type ToolboxOptions } from '../../../../src/core/tools/toolbox.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { anyLook, change, look, toolRig } from '../../../support/toolTurn.ts';

const options: ToolboxOptions = {
  clock: new ManualClock(),
  redactor: createRedactor(),
  onError: assert.ifError,
};
const toolbox = new Toolbox([look, change], options);

describe('the mode of a chat', () => {
  it('is proposed to a new chat, which keeps it', async () => {
    let proposed: ChatMode = 'ask';
    const { chat, ask } = toolRig({ script: ['Yes.'], proposedMode: () => proposed });
    assert.equal(chat.mode, 'ask');
    await ask();
    proposed = 'agent';
    assert.equal(chat.mode, 'ask');
    chat.setOptions({ temperature: 1 });
    assert.deepEqual(chat.conversation.options, { temperature: 1, mode: 'ask' });
    chat.setMode('chat');
    assert.deepEqual([chat.mode, chat.conversation.options.temperature], ['chat', 1]);
  });

  it('is Agent for a chat of an earlier version, whatever is proposed', async () => {
    let proposed: ChatMode = 'agent';
    const { chat, ask } = toolRig({ script: ['Yes.'], proposedMode: () => proposed });
    await ask();
    proposed = 'chat';
    assert.equal(chat.mode, 'agent');
  });

  it('selects the tools of a request', () => {
    const names = (mode: ChatMode): readonly string[] => toolbox.inMode(() => mode)?.names ?? [];
    assert.deepEqual([names('chat'), names('ask')], [[], ['look']]);
    assert.deepEqual(names('agent'), ['look', 'change']);
  });

  it('refuses the calls that it excludes, whatever the model sends', async () => {
    let mode: ChatMode = 'agent';
    const lower = defineTool({
      ...anyLook,
      name: 'look',
      category: 'read',
      description: 'Looks.',
      schema: z.strictObject({ name: z.string() }),
      title: () => 'Look',
      run() {
        mode = 'ask';
        return Promise.resolve('Seen.');
      },
    });
    const box = new Toolbox([lower, change], options);
    const rig = toolRig({
      script: [
        [
          ['look', { name: 'a' }],
          ['change', { name: 'b' }],
        ],
        'Done.',
      ],
      tools: () => {
        const tools = box.inMode(() => mode);
        return Promise.resolve(tools && { toolbox: tools, maxRounds: 25 });
      },
    });
    const turn = await rig.ask();
    const calls = turn.parts.filter((part) => part.type === 'tool-call');
    assert.deepEqual(
      calls.map(({ name, status }) => [name, status]),
      [
        ['look', 'done'],
        ['change', 'denied'],
      ],
    );
    mode = 'ask';
    const again = toolRig({
      script: [[['change', { name: 'b' }]], 'Done.'],
      tools: () => {
        const tools = toolbox.inMode(() => mode);
        return Promise.resolve(tools && { toolbox: tools, maxRounds: 25 });
      },
    });
    const { parts } = await again.ask();
    assert.deepEqual(
      parts.flatMap((part) => (part.type === 'tool-call' ? part.status : [])),
      ['failed'],
    );
  });
});
