import assert from 'node:assert/strict';
import { Composer } from '../../../../src/host/attachments/composer.ts';

/** A composer whose drafts are judged when the test says so. */
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
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { composer, judge, kept: () => [...state.values()][0] };
}

describe('Composer', () => {
  it('keeps a draft only after it was found to be without a key', async () => {
    const { composer, judge, kept } = rig();
    composer.setDraft('Hello');
    assert.equal(kept(), undefined);
    await judge(true);
    assert.equal(kept(), 'Hello');
    composer.setDraft('My key is');
    await judge(false);
    assert.equal(kept(), undefined);
    assert.equal(composer.draft, 'My key is');
  });

  it('keeps nothing that is no draft any more', async () => {
    const { composer, judge, kept } = rig();
    composer.setDraft('Hello');
    composer.setDraft('');
    await judge(true);
    assert.equal(kept(), undefined);
  });

  it('lets a message wait for everything that is being attached, also where that fails', async () => {
    const { composer } = rig();
    await composer.attached();
    const attach: (() => void)[] = [];
    composer.waitFor(new Promise<void>((resolve) => attach.push(resolve)));
    composer.waitFor(Promise.reject(new Error('denied')));
    let isSent = false;
    const sending = composer.attached().then(() => (isSent = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isSent, false);
    for (const done of attach) done();
    await sending;
    assert.equal(isSent, true);
  });
});
