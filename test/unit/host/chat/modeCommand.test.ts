import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { ChatMode } from '../../../../src/core/conversation/mode.ts';
import { LastMode } from '../../../../src/host/chat/modeModel.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../fakes.ts';

const { setMode } = await withoutVsCode(() => import('../../../../src/host/chat/modeCommand.ts'));

interface Rig {
  readonly modeNow: () => ChatMode;
  readonly last: LastMode;
  readonly questions: string[];
  readonly descriptions: (string | undefined)[];
  readonly run: (argument?: unknown) => Promise<void>;
}

/**
 * @param picked the mode that the person picks
 * @param allows the person's answer to a confirmation
 */
function rig(picked?: ChatMode, allows = false): Rig {
  const last = new LastMode(new FakeMemento());
  const { chat } = toolRig({ proposedMode: () => last.current });
  const questions: string[] = [];
  const descriptions: (string | undefined)[] = [];
  const dialogs = dialogsWith({
    pick(choices) {
      descriptions.push(...choices.map(({ description }) => description));
      return Promise.resolve(choices.find(({ value }) => value === picked)?.value);
    },
    confirm(message) {
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
    run: (argument) => setMode({ chat, last, dialogs, toolsOf }, argument),
  };
}

describe('aside.setMode', () => {
  it('sets the mode that the person picks, for this chat and the next', async () => {
    const { modeNow, last, run, descriptions, questions } = rig('ask');
    assert.equal(modeNow(), 'agent');
    await run();
    assert.deepEqual([modeNow(), last.current, questions], ['ask', 'ask', []]);
    assert.deepEqual(descriptions, [
      undefined,
      '9 tools, ≈600 tokens per request',
      '9 tools, ≈600 tokens per request',
    ]);
  });

  it('changes nothing when the person cancels', async () => {
    const { modeNow, run } = rig();
    await run();
    assert.equal(modeNow(), 'agent');
  });

  it('lowers the mode for other code, and asks before it raises it', async () => {
    const { modeNow, last, questions, run } = rig();
    await run('chat');
    assert.deepEqual([modeNow(), last.current, questions.length], ['chat', 'agent', 0]);
    await run('agent');
    assert.deepEqual([modeNow(), questions.length], ['chat', 1]);
    const allowed = rig(undefined, true);
    await allowed.run('ask');
    await allowed.run('agent');
    assert.deepEqual([allowed.modeNow(), allowed.questions.length], ['agent', 1]);
  });

  it('refuses an invalid mode', async () => {
    for (const argument of ['write', 7, {}, null])
      await assert.rejects(rig().run(argument), /chat, ask, agent/);
  });
});
