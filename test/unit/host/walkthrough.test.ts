import assert from 'node:assert/strict';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import { contextKeys } from '../../../src/host/contributions.ts';
import { WalkthroughSteps } from '../../../src/host/walkthrough.ts';

/** The keys that are told for these events. */
function toldFor(...events: readonly ConversationEvent[]): readonly string[] {
  const told: string[] = [];
  const steps = new WalkthroughSteps((key) => told.push(key));
  for (const event of events) steps.noteEvent(event);
  return told;
}

function message(text: string): ConversationEvent {
  const attachment = { id: 'a', name: 'app.ts', path: 'app.ts', language: 'typescript', text };
  return {
    type: 'turn-start',
    id: 'turn-1',
    question: { text: 'Why?', attachments: [attachment] },
    model: 'm',
    json: false,
    at: 0,
  };
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
  it('are taken by connecting to a service or to the demo, and each is told once', () => {
    for (const kind of ['demo', 'service'] as const) {
      const told: string[] = [];
      const steps = new WalkthroughSteps((key) => told.push(key));
      steps.noteConnection({ kind: 'none' });
      assert.deepEqual(told, []);
      for (const state of [kind, 'none', kind] as const) steps.noteConnection({ kind: state });
      assert.deepEqual(told, [contextKeys.connected]);
    }
  });

  it('are taken by a message with code, and not by one without', () => {
    assert.deepEqual(toldFor(message('const a = 1;')), [contextKeys.askedAboutCode]);
    assert.deepEqual(toldFor(message('')), []);
  });

  it('are taken by a decision on a tool call, and by nothing else that becomes of it', () => {
    const decided = [contextKeys.toolDecided];
    assert.deepEqual(toldFor(asks, runs, ends('done')), decided);
    assert.deepEqual(toldFor(asks, ends('denied')), decided);
    const compared = (event: ConversationEvent): ConversationEvent[] =>
      event.type === 'tool-call-ask' || event.type === 'tool-call-run'
        ? [{ type: 'compared-turn-event', turn: 'turn-1', event }]
        : [];
    assert.deepEqual(toldFor(...compared(asks), ...compared(runs)), decided);
    for (const outcome of ['stopped', 'failed'] as const)
      assert.deepEqual(toldFor(asks, ends(outcome)), [], outcome);
    // It runs without a question, or the policy denies it.
    assert.deepEqual(toldFor(runs, ends('done'), ends('denied')), []);
  });
});
