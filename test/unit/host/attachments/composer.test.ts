import assert from 'node:assert/strict';
import { Composer } from '../../../../src/host/attachments/composer.ts';
import { FakeMemento } from '../fakes.ts';

const settled = (): Promise<void> => new Promise(setImmediate);

/** A composer for whose drafts the test decides if they may be stored. */
function rig() {
  const state = new Map<string, unknown>();
  const verdicts: ((mayBeKept: boolean) => void)[] = [];
  const composer = new Composer(
    {
      get: (key: string) => state.get(key),
      update: (key, value) => Promise.resolve(void state.set(key, value)),
    },
    () => new Promise((resolve) => verdicts.push(resolve)),
  );
  const judge = async (mayBeKept: boolean): Promise<void> => {
    verdicts.shift()?.(mayBeKept);
    await settled();
  };
  return { composer, judge, storedDraft: () => [...state.values()][0] };
}

describe('Composer', () => {
  it('stores a draft only after checking that it contains no key', async () => {
    const { composer, judge, storedDraft } = rig();
    void composer.setDraft('Hello');
    assert.equal(storedDraft(), undefined);
    await judge(true);
    assert.deepEqual(storedDraft(), { text: 'Hello', at: 0 });
    void composer.setDraft('My key is');
    await judge(false);
    assert.equal(storedDraft(), undefined);
    assert.equal(composer.draft, 'My key is');
  });

  it('accepts no draft older than its own, even after a reload', async () => {
    const state = new FakeMemento();
    const composer = new Composer(state, () => Promise.resolve(true));
    await composer.setTyped({ text: 'Newer', at: 7 }, 'a page');
    for (const reopened of [composer, new Composer(state, () => Promise.resolve(true))]) {
      await reopened.setTyped({ text: 'Older', at: 6 }, 'another page');
      assert.deepEqual([reopened.draft, reopened.draftAt], ['Newer', 7]);
    }
  });

  it('makes a message wait for pending attachments, even failing ones', async () => {
    const { composer } = rig();
    await composer.attached();
    const attach: (() => void)[] = [];
    composer.waitFor(new Promise<void>((resolve) => attach.push(resolve)));
    composer.waitFor(Promise.reject(new Error('denied')));
    let isSent = false;
    const sending = composer.attached().then(() => (isSent = true));
    await settled();
    assert.equal(isSent, false);
    for (const done of attach) done();
    await sending;
    assert.equal(isSent, true);
  });

  it('has the attachments again after a reload, except those with a key', async () => {
    const state = new FakeMemento();
    const open = (): Composer =>
      new Composer(state, (text) => Promise.resolve(!text.includes('key')));
    const textsIn = ({ attachments }: Composer): unknown => attachments.map(({ text }) => text);
    const composer = open();
    // Pasted texts of the same name and length are still separate.
    for (const [id, text] of Object.entries({ a: 'one', b: 'my key', c: 'two' }))
      composer.attach({ id, kind: 'pasted', name: 'P', path: 'P', language: '', text });
    await settled();
    assert.deepEqual(textsIn(composer), ['one', 'my key', 'two']);
    assert.deepEqual(textsIn(open()), ['one', 'two']);
    composer.clearAttachments();
    await settled();
    assert.deepEqual(textsIn(open()), []);
  });

  it('keeps text typed while a message was sent', async () => {
    const state = new FakeMemento();
    const composer = new Composer(state, () => Promise.resolve(true));
    await composer.setDraft('Hello\nAnd');
    composer.acceptDraft('Hello');
    assert.equal(composer.draft, 'And');
    composer.acceptDraft('And');
    assert.equal(composer.draft, '');
  });

  it('removes a stored draft once it is empty', async () => {
    const { composer, judge, storedDraft } = rig();
    void composer.setDraft('Hello');
    void composer.setDraft('');
    await judge(true);
    assert.equal(storedDraft(), undefined);
  });
});
