import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import type { ChatMode } from '../../../../src/core/conversation/mode.ts';
import { LastMode } from '../../../../src/host/chat/modes.ts';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import { turnWith } from '../../../support/turns.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../fakes.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { defineTool } from '../../../../src/core/tools/tool.ts';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { Toolbox, type ToolboxOptions } from '../../../../src/core/tools/toolbox.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { anyLook, change, look, toolRig, usualLimits } from '../../../support/toolTurn.ts';

const { setMode } = await withoutVsCode(() => import('../../../../src/host/chat/modes.ts'));

const options: ToolboxOptions = {
  clock: new ManualClock(),
  redactor: createRedactor(),
  onError: assert.ifError,
};

describe('the mode of a chat', () => {
  it('is proposed to a new chat, which keeps it', async () => {
    let proposed: ChatMode = 'ask';
    const { chat, ask } = toolRig({
      script: ['Yes.'],
      get proposedMode() {
        return proposed;
      },
    });
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
    const { chat, ask } = toolRig({
      script: ['Yes.'],
      get proposedMode() {
        return proposed;
      },
    });
    await ask();
    proposed = 'chat';
    assert.equal(chat.mode, 'agent');
  });

  it('is proposed to an imported chat until it goes on here', async () => {
    const { chat, ask } = toolRig({ script: ['Yes.'], proposedMode: 'ask' });
    chat.restoreWith(() =>
      Promise.resolve({
        ...emptyConversation(chat.conversation.id),
        turns: [
          turnWith({ mode: 'agent', imported: true, parts: [{ type: 'text', text: 'So.' }] }),
        ],
      }),
    );
    await chat.allRead();
    assert.equal(chat.mode, 'ask');
    await ask();
    assert.equal(chat.conversation.options.mode, 'ask');
  });
});

describe('a call that the mode of its chat excludes', () => {
  /** How the calls of a turn end, which has these tools in the mode at each moment. */
  async function statusesOf(
    tools: readonly Tool[],
    mode: () => ChatMode,
    ...names: readonly string[]
  ): Promise<readonly string[]> {
    const { ask } = toolRig({
      script: [names.map((name) => [name, { name: 'a' }] as const), 'Done.'],
      tools: () => {
        const toolbox = new Toolbox(tools, options).inMode(mode);
        return Promise.resolve(toolbox && { toolbox, ...usualLimits });
      },
    });
    const { parts } = await ask();
    return parts.flatMap((part) => (part.type === 'tool-call' ? part.status : []));
  }

  it('is refused, whatever the model sends', async () => {
    assert.deepEqual(await statusesOf([look, change], () => 'ask', 'change'), ['failed']);
  });

  it('is refused once the mode is lowered by then', async () => {
    let mode: ChatMode = 'agent';
    const lowering = defineTool({
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
    const statuses = await statusesOf([lowering, change], () => mode, 'look', 'change');
    assert.deepEqual(statuses, ['done', 'denied']);
  });

  it('has no further effect if the mode is lowered while it is checked', async () => {
    let mode: ChatMode = 'agent';
    let changes = 0;
    const slow = defineTool({
      ...anyLook,
      name: 'change',
      category: 'edit',
      description: 'Changes.',
      schema: z.strictObject({ name: z.string() }),
      title: () => 'Change',
      run(_, { requireAllowed }) {
        requireAllowed?.();
        changes++;
        mode = 'ask';
        requireAllowed?.();
        changes++;
        return Promise.resolve('Changed.');
      },
    });
    assert.deepEqual(await statusesOf([slow], () => mode, 'change'), ['denied']);
    assert.equal(changes, 1);
  });
});

/**
 * @param picked the mode that the person picks
 * @param allows the person's answer to a confirmation
 */
function commandRig(picked?: ChatMode, allows = false) {
  const last = new LastMode(new FakeMemento());
  const { chat } = toolRig({
    get proposedMode() {
      return last.current;
    },
  });
  const questions: string[] = [];
  const descriptions: (string | undefined)[] = [];
  const dialogs = dialogsWith({
    pick(choices) {
      descriptions.push(...choices.map(({ description }) => description));
      return Promise.resolve(choices.find(({ value }) => value === picked)?.value);
    },
    decide(message) {
      questions.push(message);
      return Promise.resolve(allows);
    },
  });
  const toolsOf = (mode: ChatMode) =>
    Promise.resolve(mode === 'chat' ? { count: 0, tokens: 0 } : { count: 9, tokens: 600 });
  return {
    modeNow: () => chat.mode,
    last,
    questions,
    descriptions,
    run: (argument?: unknown) => setMode({ chat, last, dialogs, toolsOf }, argument),
  };
}

describe('aside.setMode', () => {
  it('sets the mode that the person picks, for this chat and the next', async () => {
    const { modeNow, last, run, descriptions, questions } = commandRig('ask');
    assert.equal(modeNow(), 'agent');
    await run();
    assert.deepEqual([modeNow(), last.current, questions], ['ask', 'ask', []]);
    assert.deepEqual(descriptions, [
      undefined,
      '9 tools, ≈600 tokens per request',
      '9 tools, ≈600 tokens per request',
    ]);
  });

  it('lowers the mode for other code, and asks before it raises it', async () => {
    const { modeNow, last, questions, run } = commandRig();
    await run('chat');
    assert.deepEqual([modeNow(), last.current, questions.length], ['chat', 'agent', 0]);
    await run('agent');
    assert.deepEqual([modeNow(), questions.length], ['chat', 1]);
    const allowed = commandRig(undefined, true);
    await allowed.run('ask');
    await allowed.run('agent');
    assert.deepEqual([allowed.modeNow(), allowed.questions.length], ['agent', 1]);
  });

  it('refuses an invalid mode', async () => {
    for (const argument of ['write', 7, {}, null])
      await assert.rejects(commandRig().run(argument), /chat, ask, agent/);
  });

  it('is Agent if the stored value is not a mode', async () => {
    const state = new FakeMemento();
    await state.update('aside.mode', 'no mode');
    assert.equal(new LastMode(state).current, 'agent');
  });
});
