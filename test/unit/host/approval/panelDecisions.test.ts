import assert from 'node:assert/strict';
import { PanelDecisions } from '../../../../src/host/approval/panelDecisions.ts';

const call = { turn: 't', call: 'c' };

describe('PanelDecisions', () => {
  it('hands on one decision on a call that waits', async () => {
    const decisions = new PanelDecisions();
    const decided = decisions.wait(
      call,
      { forChat: true, changes: [] },
      new AbortController().signal,
    );
    assert.equal(decisions.decide('t', 'other', 'once'), false);
    assert.equal(decisions.decide('other', 'c', 'once'), false);
    assert.equal(decisions.decide('t', 'c', 'deny'), true);
    assert.equal(decisions.decide('t', 'c', 'once'), false);
    assert.equal(await decided, 'deny');
  });

  it('takes nothing for the chat where that was not offered', async () => {
    const decisions = new PanelDecisions();
    const { signal } = new AbortController();
    const decided = decisions.wait(call, { forChat: false, changes: [] }, signal);
    assert.equal(decisions.decide('t', 'c', 'chat'), false);
    assert.equal(decisions.decide('t', 'c', 'once'), true);
    assert.equal(await decided, 'once');
  });

  it('has nothing to decide after Stop', async () => {
    const decisions = new PanelDecisions();
    const stop = new AbortController();
    const decided = decisions.wait(call, { forChat: true, changes: [] }, stop.signal);
    stop.abort();
    await assert.rejects(decided, { name: 'AbortError' });
    assert.equal(decisions.decide('t', 'c', 'once'), false);
    await assert.rejects(decisions.wait(call, { forChat: true, changes: [] }, stop.signal));
    assert.equal(decisions.changesOf('t', 'c'), undefined);
  });
});
