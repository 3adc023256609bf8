import assert from 'node:assert/strict';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { contextKeys } from '../../../../src/host/contributions.ts';
import { WalkthroughSteps } from '../../../../src/host/platform/walkthrough.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { turnStart } from '../../../support/turns.ts';
import { FakeMemento } from '../fakes.ts';

/** Context keys that are set after these events. */
function contextsAfter(...events: readonly ConversationEvent[]): readonly string[] {
  const { steps, contexts } = rig();
  for (const event of events) steps.noteEvent(event);
  return contexts;
}

function rig(state = new FakeMemento()) {
  const contexts: string[] = [];
  const clock = new ManualClock();
  const setContext = (key: string, value: boolean | string): void =>
    void contexts.push(value === true ? key : `${key} ${value}`);
  return { steps: new WalkthroughSteps(state, clock, setContext), contexts, clock, state };
}

function message(text: string): ConversationEvent {
  const attachment = { id: 'a', name: 'app.ts', path: 'app.ts', language: 'typescript', text };
  return turnStart({ id: 'turn-1', question: { text: 'Why?', attachments: [attachment] }, at: 0 });
}

const asks: ConversationEvent = {
  type: 'tool-call-ask',
  id: 'call-1',
  question: { by: 'panel', forChat: true, files: [] },
};
const runs: ConversationEvent = { type: 'tool-call-run', id: 'call-1', at: 0 };

function ends(outcome: 'done' | 'failed' | 'denied' | 'stopped'): ConversationEvent {
  return { type: 'tool-call-result', id: 'call-1', outcome, result: '', at: 0 };
}

describe('the steps of the walkthrough', () => {
  it('are completed by connecting to a service or to the demo, each reported once', () => {
    for (const kind of ['demo', 'service'] as const) {
      const { steps, contexts } = rig();
      steps.noteConnection({ kind: 'none' });
      assert.deepEqual(contexts, []);
      for (const state of [kind, 'none', kind] as const) steps.noteConnection({ kind: state });
      assert.deepEqual(contexts, [contextKeys.connected]);
    }
  });

  it('are completed by a model and a budget in the settings, and by commands', () => {
    const { steps, contexts } = rig();
    steps.noteSettings({ model: '', budget: { unit: 'tokens' } });
    steps.noteCommand('aside.newChat');
    assert.deepEqual(contexts, []);
    steps.noteSettings({ model: 'm', budget: { unit: 'tokens' } });
    steps.noteCommand('aside.rejectEdit');
    steps.noteCommand('aside.showUsage');
    steps.noteCommand('aside.acceptEdit');
    const { modelSelected, editDecided, usageSeen } = contextKeys;
    assert.deepEqual(contexts, [modelSelected, editDecided, usageSeen]);
    const other = rig();
    other.steps.noteSettings({ model: '', budget: { day: 5, unit: 'money' } });
    assert.deepEqual(other.contexts, [usageSeen]);
  });

  it('are reported again, with another condition each time, after an editor was opened', async () => {
    const { steps, contexts, clock } = rig();
    steps.noteOpened();
    await clock.advance(400);
    steps.noteOpened();
    await clock.advance(400);
    assert.deepEqual(contexts, []);
    await clock.advance(10_000);
    assert.deepEqual(
      contexts,
      ['1', '2', '3'].map((round) => `${contextKeys.walkthroughRound} ${round}`),
    );
    steps.noteOpened();
    steps.dispose();
    await clock.advance(10_000);
    assert.equal(contexts.length, 3);
  });

  it('are completed by a message with code, and not by one without', () => {
    assert.deepEqual(contextsAfter(message('const a = 1;')), [contextKeys.askedAboutCode]);
    assert.deepEqual(contextsAfter(message('')), []);
  });

  it('are completed by a decision on a tool call, and by nothing else', () => {
    const decided = [contextKeys.toolDecided];
    assert.deepEqual(contextsAfter(asks, runs, ends('done')), decided);
    assert.deepEqual(contextsAfter(asks, ends('denied')), decided);
    for (const outcome of ['stopped', 'failed'] as const)
      assert.deepEqual(contextsAfter(asks, ends(outcome)), [], outcome);
    // A call that needs no approval, and one that the policy denies.
    assert.deepEqual(contextsAfter(runs, ends('done'), ends('denied')), []);
  });
});
