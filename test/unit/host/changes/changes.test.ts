import assert from 'node:assert/strict';
import { createFile, editFile } from '../../../../src/host/changes/editing.ts';
import { toolContext } from '../../../support/grantingGate.ts';
import { rig, summaryOf, type Rig } from './rig.ts';

async function edit(
  made: Rig,
  path: string,
  search: string,
  replace: string,
  turn = 't',
): Promise<void> {
  await editFile(path, [{ search, replace }], made, toolContext(turn));
}

async function list(made: Rig, turn = 't'): Promise<readonly string[]> {
  return (await made.changes.list(turn)).map(summaryOf);
}

describe('Changes', () => {
  it('lists each file once, from its first to its last text', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\ntwo\n').set('b', 'one\n');
    await edit(made, 'a', 'one', '1');
    await edit(made, 'b', 'one', 'two\nthree');
    await edit(made, 'a', 'two', '2');
    assert.deepEqual(await list(made), ['edit a +2 −2 changed', 'edit b +2 −1 changed']);
    assert.deepEqual(await list(made, 'other'), []);
    assert.equal(made.events.length, 3);
    assert.deepEqual(made.events.at(-1), { turn: 't', changes: await made.changes.list('t') });
    const [first] = await made.changes.texts('t');
    assert.deepEqual([first?.before, first?.after], ['one\ntwo\n', '1\n2\n']);
  });

  it('restores the previous text with its line endings, also after a reload', async () => {
    const made = rig();
    made.texts.files.set('a', '\ufeffone\r\ntwo').set('b', 'one\n');
    await edit(made, 'a', 'one', '1');
    await edit(made, 'b', 'one', '2');
    await createFile('c', 'new\n', made, toolContext());
    const later = rig(made.texts, made.storage);
    assert.deepEqual(await list(later), await list(made));
    const [first] = await later.changes.list('t');
    assert.deepEqual((await later.changes.undo('t', first?.id)).skipped, []);
    assert.deepEqual(
      [...made.texts.files],
      [
        ['a', '\ufeffone\r\ntwo'],
        ['b', '2\n'],
        ['c', 'new\n'],
      ],
    );
    assert.deepEqual((await later.changes.undo('t')).skipped, []);
    assert.deepEqual(
      [...made.texts.files],
      [
        ['a', '\ufeffone\r\ntwo'],
        ['b', 'one\n'],
      ],
    );
    assert.deepEqual(await list(later), [
      'edit a +1 −1 undone',
      'edit b +1 −1 undone',
      'create c +1 −0 undone',
    ]);
    assert.equal(later.events.length, 2);
  });

  it('undoes all files except those that the person changed since', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n').set('b', 'one\n').set('c', 'one\n');
    for (const path of ['a', 'b', 'c']) await edit(made, path, 'one', '1');
    await createFile('d', 'new\n', made, toolContext());
    made.texts.files.set('a', '1\nmine\n').set('d', 'new\nmine\n');
    made.texts.files.delete('c');
    assert.deepEqual((await made.changes.undo('t')).skipped, ['a', 'c', 'd']);
    assert.deepEqual(
      [...made.texts.files],
      [
        ['a', '1\nmine\n'],
        ['b', 'one\n'],
        ['d', 'new\nmine\n'],
      ],
    );
    assert.deepEqual(
      (await made.changes.list('t')).map(({ status }) => status),
      ['changed', 'undone', 'changed', 'changed'],
    );
  });

  it('undoes nothing if one file cannot be written, and says so', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n');
    await edit(made, 'a', 'one', '1');
    made.texts.broken = true;
    await assert.rejects(made.changes.undo('t'), /disk is full/);
    assert.deepEqual(await list(made), ['edit a +1 −1 changed']);
    made.texts.broken = false;
    assert.deepEqual((await made.changes.undo('t')).skipped, []);
    assert.equal(made.texts.files.get('a'), 'one\n');
  });

  it('counts a new file that was deleted as undone', async () => {
    const made = rig();
    await createFile('a', 'new\n', made, toolContext());
    made.texts.files.delete('a');
    assert.deepEqual((await made.changes.undo('t')).skipped, []);
    assert.deepEqual(await list(made), ['create a +1 −0 undone']);
    assert.equal(made.texts.files.size, 0);
  });

  it('does not undo changes that the person kept', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n');
    await edit(made, 'a', 'one', '1');
    await made.changes.keep('t');
    assert.deepEqual((await made.changes.undo('t')).skipped, []);
    assert.equal(made.texts.files.get('a'), '1\n');
    await edit(made, 'a', '1', '2');
    assert.deepEqual(await list(made), ['edit a +1 −1 kept', 'edit a +1 −1 changed']);
    assert.deepEqual((await made.changes.undo('t')).skipped, []);
    assert.equal(made.texts.files.get('a'), '1\n');
  });

  it('does not undo edits of others between two changes', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n');
    await edit(made, 'a', 'one', '1');
    made.texts.files.set('a', '1\nmine\n');
    await edit(made, 'a', '1', '2');
    assert.deepEqual(await list(made), ['edit a +1 −1 changed', 'edit a +1 −1 changed']);
    assert.deepEqual((await made.changes.undo('t')).skipped, ['a']);
    assert.equal(made.texts.files.get('a'), '1\nmine\n');
  });

  it('undoes only the last change of a file that someone else changed in between', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n');
    await edit(made, 'a', 'one', 'two');
    made.texts.files.set('a', 'three\n');
    await edit(made, 'a', 'three', 'two');
    assert.deepEqual((await made.changes.undo('t')).skipped, ['a']);
    assert.equal(made.texts.files.get('a'), 'three\n');
  });

  it('reuses the entry of an undone change, and drops one without a difference', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n');
    await edit(made, 'a', 'one', '1');
    await made.changes.undo('t');
    await edit(made, 'a', 'one', '1\n2');
    assert.deepEqual(await list(made), ['edit a +2 −1 changed']);
    await edit(made, 'a', '1\n2', 'one');
    assert.deepEqual(await list(made), []);
    await edit(made, 'a', 'one', '1', 'next');
    assert.deepEqual(await list(made, 'next'), ['edit a +1 −1 changed']);
  });

  it("stores the formatted text as the turn's result", async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n');
    made.texts.format = (text) => `${text}formatted\n`;
    await edit(made, 'a', 'one', '1');
    made.texts.format = (text) => text;
    assert.deepEqual((await made.changes.undo('t')).skipped, []);
    assert.equal(made.texts.files.get('a'), 'one\n');
  });

  it('keeps in memory what cannot be stored', async () => {
    const made = rig();
    made.texts.files.set('a', 'one\n').set('b', 'one\n');
    made.storage.broken = true;
    await edit(made, 'a', 'one', '1');
    assert.ok(made.errors.length > 0);
    made.storage.read = () => Promise.reject(new Error('EIO'));
    await edit(made, 'b', 'one', '1');
    assert.equal(made.texts.files.get('b'), '1\n');
    made.storage.read = () => Promise.resolve(undefined);
    assert.deepEqual((await made.changes.undo('t')).skipped, []);
    assert.equal(made.texts.files.get('a'), 'one\n');
  });

  it('rejects an ID that leads out of its folder, and ignores damaged records', async () => {
    const made = rig();
    await assert.rejects(made.changes.list('../../secret'), /not the ID/);
    await assert.rejects(made.changes.undo('a/b'), /not the ID/);
    made.texts.files.set('a', 'one\n');
    await edit(made, 'a', 'one', '1');
    const path = 'chat/t/changes.json';
    const whole = made.storage.texts.get(path) ?? '';
    const damaged = ['', '{', whole.slice(0, -9), whole.replace('"1"', '"../../x"')];
    for (const text of damaged) {
      made.storage.texts.set(path, text);
      assert.deepEqual(await list(made), [], text);
      assert.deepEqual((await made.changes.undo('t')).skipped, []);
    }
    assert.equal(made.texts.files.get('a'), '1\n');
  });

  for (const type of ['undo', 'redo'] as const)
    for (const side of ['before', 'after'])
      it(`names a file whose text ${side} a change is missing, and continues ${type} with the others`, async () => {
        const made = rig();
        for (const path of ['a', 'b']) {
          made.texts.files.set(path, 'one\n');
          await edit(made, path, 'one', '1');
        }
        if (type === 'redo') await made.changes.undo('t');
        const [first, second] = await made.changes.list('t');
        made.storage.texts.delete(`chat/t/${first?.id}.${side}.txt`);
        const before = made.texts.files.get('a');
        const single = await made.changes[type]('t', first?.id);
        assert.deepEqual([single.reversals, single.skipped, single.lost], [[], [], ['a']]);
        const all = await made.changes[type]('t');
        assert.deepEqual([all.skipped, all.lost], [[], ['a']]);
        assert.equal(made.texts.files.get('a'), before);
        assert.equal(made.texts.files.get('b'), type === 'undo' ? 'one\n' : '1\n');
        const statuses = (await made.changes.list('t')).map(({ status }) => status);
        const [open, closed] = type === 'undo' ? ['changed', 'undone'] : ['undone', 'changed'];
        assert.deepEqual([statuses, second?.path], [[open, closed], 'b']);
      });

  describe('of two chats', () => {
    it('are applied in order, and the second fails if it has not read the first', async () => {
      const made = rig();
      made.texts.files.set('a', 'one\ntwo\n');
      const results = await Promise.allSettled([
        edit(made, 'a', 'one', '1', 't'),
        edit(made, 'a', 'two', '2', 'other'),
      ]);
      assert.equal(results[0].status, 'fulfilled');
      const both = results[1].status === 'fulfilled';
      assert.equal(made.texts.files.get('a'), both ? '1\n2\n' : '1\ntwo\n');
      if (!both) await edit(made, 'a', 'two', '2', 'other');
      assert.equal(made.texts.files.get('a'), '1\n2\n');
      assert.deepEqual(await list(made, 't'), ['edit a +1 −1 changed']);
      assert.deepEqual(await list(made, 'other'), ['edit a +1 −1 changed']);
    });

    it('are undone without those of the other, or the file is named and skipped', async () => {
      for (const first of ['t', 'other']) {
        const second = first === 't' ? 'other' : 't';
        const made = rig();
        made.texts.files.set('a', 'one\ntwo\n').set('b', 'one\n');
        await edit(made, 'a', 'one', '1', first);
        await edit(made, 'b', 'one', '1', first);
        await edit(made, 'a', 'two', '2', second);
        assert.deepEqual((await made.changes.undo(first)).skipped, ['a']);
        assert.equal(made.texts.files.get('a'), '1\n2\n');
        assert.equal(made.texts.files.get('b'), 'one\n');
        assert.deepEqual((await made.changes.undo(second)).skipped, []);
        assert.equal(made.texts.files.get('a'), '1\ntwo\n');
        assert.deepEqual((await made.changes.undo(first)).skipped, []);
        assert.equal(made.texts.files.get('a'), 'one\ntwo\n');
      }
    });
  });
});
