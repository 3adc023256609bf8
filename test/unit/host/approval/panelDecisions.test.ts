import assert from 'node:assert/strict';
import { PartlyAllowed, type ResolvedChange } from '../../../../src/core/approval/gate.ts';
import { DeniedByPerson } from '../../../../src/core/support/toolError.ts';
import { PanelDecisions } from '../../../../src/host/approval/panelDecisions.ts';

const call = { turn: 't', call: 'c' };
const { signal } = new AbortController();
/** A call that nothing is known about, but that it may be allowed for the chat. */
const any = { forChat: true, changes: [] };
const reviewed = () => new Map([['./src/a.ts', 'one']]);

describe('PanelDecisions', () => {
  it('passes on one decision about a waiting call', async () => {
    const decisions = new PanelDecisions();
    const decided = decisions.wait(call, any, signal);
    assert.equal(decisions.decide('t', 'other', 'once'), false);
    assert.equal(decisions.decide('other', 'c', 'once'), false);
    assert.equal(decisions.decide('t', 'c', 'deny'), true);
    assert.equal(decisions.decide('t', 'c', 'once'), false);
    assert.equal(await decided, 'deny');
  });

  it("denies with the person's reason, even if a hunk was rejected before", async () => {
    const decisions = new PanelDecisions();
    for (const isNarrowed of [false, true]) {
      const decided = decisions.wait(call, { forChat: true, changes: [changeOf('both')] }, signal);
      if (isNarrowed) decisions.limit('t', 'c', reviewed);
      assert.equal(decisions.decide('t', 'c', 'deny', ' Use\nthe old name. '), true);
      await assert.rejects(decided, (error) => {
        assert.ok(error instanceof DeniedByPerson);
        assert.deepEqual([error.outcome, error.reason], ['denied', 'Use the old name.']);
        assert.match(error.message, /Their reason: Use the old name\.$/);
        return true;
      });
    }
  });

  it('accepts no grant for the chat unless it was offered', async () => {
    const decisions = new PanelDecisions();
    const decided = decisions.wait(call, { forChat: false, changes: [] }, signal);
    assert.equal(decisions.decide('t', 'c', 'chat'), false);
    assert.equal(decisions.decide('t', 'c', 'once'), true);
    assert.equal(await decided, 'once');
  });

  it('has nothing to decide after Stop', async () => {
    const decisions = new PanelDecisions();
    const stop = new AbortController();
    const decided = decisions.wait(call, any, stop.signal);
    stop.abort();
    await assert.rejects(decided, { name: 'AbortError' });
    assert.equal(decisions.decide('t', 'c', 'once'), false);
    await assert.rejects(decisions.wait(call, any, stop.signal));
    assert.equal(decisions.changesOf('t', 'c'), undefined);
  });

  it('passes on the hunks that were not rejected, and expects only those in the second request', async () => {
    const decisions = new PanelDecisions();
    const wait = (after: string): Promise<unknown> =>
      decisions
        .wait(call, { forChat: true, changes: [changeOf(after)] }, signal)
        .catch((error: unknown) => error);
    const first = wait('both');
    decisions.limit('t', 'c', reviewed);
    assert.equal(decisions.decide('t', 'c', 'chat'), true);
    const error = await first;
    assert.ok(error instanceof PartlyAllowed);
    assert.deepEqual([...error.texts], [['./src/a.ts', 'one']]);
    assert.equal(await wait('one'), 'chat');

    const another = wait('both');
    assert.ok(decisions.changesOf('t', 'c'), 'Anything else is asked again.');
    decisions.limit('t', 'c', reviewed);
    decisions.decide('t', 'c', 'once');
    assert.ok((await another) instanceof PartlyAllowed);
    const other = wait('other');
    assert.equal(decisions.decide('t', 'c', 'deny'), true);
    assert.equal(await other, 'deny');
  });

  it('uses the result of the review at the time when the edit is allowed', async () => {
    const decisions = new PanelDecisions();
    const error = decisions
      .wait(call, { forChat: true, changes: [changeOf('both')] }, signal)
      .catch((reason: unknown) => reason);
    const texts = new Map([['./src/a.ts', 'one']]);
    decisions.limit('t', 'c', () => texts);
    texts.set('./src/a.ts', 'mine');
    decisions.decide('t', 'c', 'once');
    const allowed = await error;
    assert.ok(allowed instanceof PartlyAllowed);
    assert.deepEqual([...allowed.texts.values()], ['mine']);
    const again = decisions.wait(call, { forChat: true, changes: [changeOf('mine')] }, signal);
    assert.equal(await again, 'once');
  });

  it('reports when a call no longer waits, whatever was decided', async () => {
    const decisions = new PanelDecisions();
    const stop = new AbortController();
    let ended = 0;
    decisions.onDidEnd(() => ended++);
    const decided = decisions.wait(call, any, stop.signal);
    decisions.decide('t', 'c', 'deny');
    await decided;
    assert.equal(ended, 1);
    const stopped = decisions.wait(call, any, stop.signal);
    stop.abort();
    await assert.rejects(stopped);
    assert.equal(ended, 2);
  });
});

function changeOf(after: string): ResolvedChange {
  const location = { scheme: 'file', authority: '', path: '/src/a.ts' };
  return {
    kind: 'edit',
    path: './src/a.ts',
    before: '',
    after,
    isCurrent: () => Promise.resolve(true),
    ofGit: false,
    isInPlace: () => Promise.resolve(true),
    target: {
      requested: './src/a.ts',
      location,
      named: location,
      label: 'src/a.ts',
      inside: true,
      kind: 'file',
      identity: '',
      hardLinks: 1,
      executable: false,
    },
  };
}
