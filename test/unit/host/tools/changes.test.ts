import assert from 'node:assert/strict';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { toolContext } from '../../../support/grantingGate.ts';
import { create, createRig, edit, type Rig } from './rig.ts';

async function list(rig: Rig, turn = 't'): Promise<readonly string[]> {
  return (await rig.changes.list(turn)).map(
    ({ path, kind, addedLines, removedLines, status }) =>
      `${kind} ${path} +${addedLines} −${removedLines} ${status}`,
  );
}

describe('Changes', () => {
  it('lists each file once, from its first to its last text', async () => {
    const rig = createRig();
    rig.texts.files.set('a', 'one\ntwo\n').set('b', 'one\n');
    await edit(rig, 'a', 'one', '1');
    await edit(rig, 'b', 'one', 'two\nthree');
    await edit(rig, 'a', 'two', '2');
    assert.deepEqual(await list(rig), ['edit a +2 −2 changed', 'edit b +2 −1 changed']);
    assert.deepEqual(await list(rig, 'other'), []);
    assert.equal(rig.events.length, 3);
    assert.deepEqual(rig.events.at(-1), { turn: 't', changes: await rig.changes.list('t') });
    const [first] = await rig.changes.texts('t');
    assert.deepEqual([first?.before, first?.after], ['one\ntwo\n', '1\n2\n']);
  });

  it('undoes nothing if one file cannot be written, and says so', async () => {
    const rig = createRig();
    rig.texts.files.set('a', 'one\n');
    await edit(rig, 'a', 'one', '1');
    rig.texts.broken = true;
    await assert.rejects(rig.changes.undo('t'), /disk is full/);
    assert.deepEqual(await list(rig), ['edit a +1 −1 changed']);
    rig.texts.broken = false;
    assert.deepEqual((await rig.changes.undo('t')).skipped, []);
    assert.equal(rig.texts.files.get('a'), 'one\n');
  });

  it('undoes what was written before the window was killed, at whatever step', async () => {
    const stepsOf = async (stepOfKill: number): Promise<number> => {
      const { texts, storage, ...rig } = createRig();
      texts.files.set('a', 'one\n');
      let steps = 0;
      const live = <Result>(work: () => Promise<Result>): Promise<Result> =>
        steps++ < stepOfKill ? work() : new Promise(() => undefined);
      const write = texts.write.bind(texts);
      const store = storage.write.bind(storage);
      texts.write = (changes) => live(() => write(changes));
      storage.write = (path, text) => live(() => store(path, text));
      const killed = { texts, storage, ...rig };
      const working = (async () => {
        await edit(killed, 'a', 'one', '1');
        await edit(killed, 'a', '1', '2');
        await create(killed, 'b', 'new\n');
      })();
      await Promise.race([working, new Promise(setImmediate)]);
      Object.assign(texts, { write });
      Object.assign(storage, { write: store });
      const { changes } = createRig(texts, storage);
      await changes.recover('t');
      assert.deepEqual((await changes.undo('t')).skipped, []);
      assert.deepEqual([...texts.files], [['a', 'one\n']], `killed at step ${stepOfKill}`);
      return steps;
    };
    const all = await stepsOf(Infinity);
    assert.ok(all > 9);
    for (let step = 0; step < all; step++) await stepsOf(step);
  });

  it('writes nothing if the mode was lowered while it looked whether the file is current', async () => {
    const rig = createRig();
    rig.texts.files.set('a', 'one\n');
    let isLowered = false;
    const context = {
      ...toolContext(),
      requireAllowed: () => {
        if (isLowered) throw new ToolError('Not run: this mode reads only.', 'denied');
      },
    };
    const isCurrent = (): Promise<boolean> => {
      isLowered = true;
      return Promise.resolve(true);
    };
    const planned = { kind: 'edit', path: 'a', before: 'one\n', after: '1\n', isCurrent } as const;
    await assert.rejects(rig.editing.apply([planned], context), /reads only/);
    assert.equal(rig.texts.files.get('a'), 'one\n');
  });

  it('counts a new file that was deleted as undone, and does not restore it', async () => {
    const rig = createRig();
    await create(rig, 'a', 'new\n');
    rig.texts.files.delete('a');
    assert.deepEqual((await rig.changes.undo('t')).skipped, []);
    assert.deepEqual(await list(rig), ['create a +1 −0 undone']);
    assert.equal(rig.texts.files.size, 0);
    assert.deepEqual((await rig.changes.redo('t')).skipped, []);
    assert.deepEqual(await list(rig), ['create a +1 −0 changed']);
    assert.equal(rig.texts.files.size, 0, 'The person deleted it.');
  });

  it('does not undo changes that the person kept', async () => {
    const rig = createRig();
    rig.texts.files.set('a', 'one\n');
    await edit(rig, 'a', 'one', '1');
    await rig.changes.keep('t');
    assert.deepEqual((await rig.changes.undo('t')).skipped, []);
    assert.equal(rig.texts.files.get('a'), '1\n');
    await edit(rig, 'a', '1', '2');
    assert.deepEqual(await list(rig), ['edit a +1 −1 kept', 'edit a +1 −1 changed']);
    assert.deepEqual((await rig.changes.undo('t')).skipped, []);
    assert.equal(rig.texts.files.get('a'), '1\n');
  });

  it('reuses the entry of an undone change, and drops one without a difference', async () => {
    const rig = createRig();
    rig.texts.files.set('a', 'one\n');
    await edit(rig, 'a', 'one', '1');
    await rig.changes.undo('t');
    await edit(rig, 'a', 'one', '1\n2');
    assert.deepEqual(await list(rig), ['edit a +2 −1 changed']);
    await edit(rig, 'a', '1\n2', 'one');
    assert.deepEqual(await list(rig), []);
    await edit(rig, 'a', 'one', '1', toolContext('next'));
    assert.deepEqual(await list(rig, 'next'), ['edit a +1 −1 changed']);
  });

  it('keeps in memory what cannot be stored', async () => {
    const rig = createRig();
    rig.texts.files.set('a', 'one\n').set('b', 'one\n');
    rig.storage.broken = true;
    await edit(rig, 'a', 'one', '1');
    assert.ok(rig.errors.length > 0);
    rig.storage.read = () => Promise.reject(new Error('EIO'));
    await edit(rig, 'b', 'one', '1');
    assert.equal(rig.texts.files.get('b'), '1\n');
    rig.storage.read = () => Promise.resolve(undefined);
    assert.deepEqual((await rig.changes.undo('t')).skipped, []);
    assert.equal(rig.texts.files.get('a'), 'one\n');
  });

  it('rejects an ID that leads out of its folder, and ignores damaged records', async () => {
    const rig = createRig();
    await assert.rejects(rig.changes.list('../../secret'), /not the ID/);
    await assert.rejects(rig.changes.undo('a/b'), /not the ID/);
    rig.texts.files.set('a', 'one\n');
    await edit(rig, 'a', 'one', '1');
    const path = 'chat/t/changes.json';
    const whole = rig.storage.texts.get(path) ?? '';
    const damaged = ['', '{', whole.slice(0, -9), whole.replace('"1"', '"../../x"')];
    for (const text of damaged) {
      rig.storage.texts.set(path, text);
      assert.deepEqual(await list(rig), [], text);
      assert.deepEqual((await rig.changes.undo('t')).skipped, []);
    }
    assert.equal(rig.texts.files.get('a'), '1\n');
  });

  it('names a file whose text is missing, and continues with the others', async () => {
    for (const type of ['undo', 'redo'] as const)
      for (const side of ['before', 'after']) {
        const rig = createRig();
        for (const path of ['a', 'b']) {
          rig.texts.files.set(path, 'one\n');
          await edit(rig, path, 'one', '1');
        }
        if (type === 'redo') await rig.changes.undo('t');
        const [first, second] = await rig.changes.list('t');
        rig.storage.texts.delete(`chat/t/${first?.id}.${side}.txt`);
        const before = rig.texts.files.get('a');
        const single = await rig.changes[type]('t', first?.id);
        assert.deepEqual([single.reversals, single.skipped, single.lost], [[], [], ['a']]);
        const all = await rig.changes[type]('t');
        assert.deepEqual([all.skipped, all.lost], [[], ['a']]);
        assert.equal(rig.texts.files.get('a'), before);
        assert.equal(rig.texts.files.get('b'), type === 'undo' ? 'one\n' : '1\n');
        const statuses = (await rig.changes.list('t')).map(({ status }) => status);
        const [open, closed] = type === 'undo' ? ['changed', 'undone'] : ['undone', 'changed'];
        assert.deepEqual([statuses, second?.path], [[open, closed], 'b']);
      }
  });
});
