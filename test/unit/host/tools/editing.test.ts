import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PartlyAllowed } from '../../../../src/core/approval/gate.ts';
import { maskSecrets } from '../../../../src/core/support/secretTokens.ts';
import { toolContext } from '../../../support/grantingGate.ts';
import { patch } from '../../../support/patch.ts';
import { runs } from '../../../support/sample.ts';
import { create, createRig, edit } from './rig.ts';

describe('editFile', () => {
  it('reads through the gate, passes it the whole change, and writes what it approved', async () => {
    const rig = createRig();
    rig.texts.files.set('a.ts', 'one\ntwo\nthree\n');
    const words = await edit(rig, 'a.ts', 'two', '2\n2');
    assert.equal(words, 'Changed a.ts: +2 −1, lines 2–3.');
    assert.equal(rig.texts.files.get('a.ts'), 'one\n2\n2\nthree\n');
    assert.equal(rig.gate.requests[0], 'a.ts');
    const [planned] = rig.gate.changes;
    assert.equal(planned?.before, 'one\ntwo\nthree\n');
    assert.equal(planned.after, 'one\n2\n2\nthree\n');
    assert.equal(planned.kind, 'edit');
  });

  it('shows the model an edit that was fitted to the file', async () => {
    const rig = createRig();
    rig.texts.files.set('a.py', 'def f():\n    one()\n    two()\n');
    const words = await edit(rig, 'a.py', 'one()\ntwo()', 'one()\nthree()');
    assert.match(
      words,
      /line 3\. The edit was fitted .*change:\n@@.*-    two\(\)\n\+    three\(\)/s,
    );
    assert.doesNotMatch(await edit(rig, 'a.py', 'three', 'four'), /fitted/);
  });

  it('writes nothing if denied', async () => {
    const rig = createRig();
    rig.texts.files.set('a.ts', 'one\n');
    rig.gate.denies = true;
    await assert.rejects(edit(rig, 'a.ts', 'one', 'two'), { outcome: 'denied' });
    assert.equal(rig.texts.files.get('a.ts'), 'one\n');
    assert.deepEqual(await rig.changes.list('t'), []);
  });

  it('writes nothing if the file changes during the approval', async () => {
    const rig = createRig();
    rig.texts.files.set('a.ts', 'one\n');
    rig.gate.meanwhile = () => {
      rig.texts.files.set('a.ts', 'one\nmine\n');
      return Promise.resolve();
    };
    await assert.rejects(edit(rig, 'a.ts', 'one', 'two'), /has changed since it was read.*Read it/);
    assert.equal(rig.texts.files.get('a.ts'), 'one\nmine\n');
  });

  it('writes nothing through a path that leads elsewhere, and reverts earlier writes', async () => {
    for (const looks of [1, 2]) {
      const rig = createRig();
      rig.texts.files.set('a.ts', 'one\n');
      let looksLeft = looks;
      rig.gate.isInPlace = () => --looksLeft > 0;
      const message = looks === 1 ? /Nothing was written/ : /The change was undone/;
      await assert.rejects(edit(rig, 'a.ts', 'one', 'two'), { outcome: 'denied', message });
      assert.equal(rig.texts.files.get('a.ts'), 'one\n', `after ${looks} looks`);
      looksLeft = looks;
      await assert.rejects(create(rig, 'b.ts', 'new'), { outcome: 'denied' });
      assert.equal(rig.texts.files.has('b.ts'), false);
      assert.deepEqual(await rig.changes.list('t'), []);
    }
  });

  it('keeps secrets that the model sees as masks, and writes no mask', async () => {
    const rig = createRig();
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const mask = maskSecrets(token).text;
    rig.texts.files.set('a.ts', `const token = '${token}';\n`);
    await edit(rig, 'a.ts', `const token = '${mask}';`, `export const token = '${mask}';`);
    assert.equal(rig.texts.files.get('a.ts'), `export const token = '${token}';\n`);
    rig.texts.files.set('b.ts', 'b\n');
    await assert.rejects(edit(rig, 'b.ts', 'b', mask), /stands for a secret/);
    await assert.rejects(create(rig, 'c.ts', mask), /stands for a secret/);
    assert.deepEqual(rig.gate.changes.length, 1, 'nobody was asked');
  });

  it('writes nothing if another file with the same text is in its place', async () => {
    const rig = createRig();
    rig.texts.files.set('a.ts', 'one\n');
    const isCurrent = (): Promise<boolean> => Promise.resolve(false);
    const content = { kind: 'text', text: 'one\n', isLossy: false, isCurrent } as const;
    rig.readFile = () => Promise.resolve(content);
    await assert.rejects(edit(rig, 'a.ts', 'one', 'two'), /has changed since it was read/);
    assert.equal(rig.texts.files.get('a.ts'), 'one\n');
  });

  it('writes nothing after Stop', async () => {
    const rig = createRig();
    rig.texts.files.set('a.ts', 'one\n');
    const stop = new AbortController();
    rig.gate.meanwhile = () => {
      stop.abort();
      return Promise.resolve();
    };
    const stopped = edit(rig, 'a.ts', 'one', 'two', toolContext('t', stop.signal));
    await assert.rejects(stopped, { name: 'AbortError' });
    assert.equal(rig.texts.files.get('a.ts'), 'one\n');
    assert.deepEqual(rig.events, []);
  });

  it("reports why a file can't be edited", async () => {
    const rig = createRig();
    await assert.rejects(edit(rig, 'a.ts', 'a', 'b'), /no file a\.ts.*create_file/);
    for (const [kind, words] of [
      ['binary', /bytes that are not text/],
      ['huge', /too large/],
      ['folder', /a folder/],
    ] as const) {
      const other = createRig();
      other.readFile = () => Promise.resolve({ kind });
      await assert.rejects(edit(other, 'a', 'a', 'b'), words);
    }
    rig.texts.files.set('lossy', 'a\ufffd\n');
    await assert.rejects(edit(rig, 'lossy', 'a', 'b'), /bytes that are not text/);
    rig.texts.files.set('a.ts', 'one\n');
    await assert.rejects(edit(rig, 'a.ts', 'one', 'x'.repeat(2_000_001)), /the maximum is 2000000/);
  });
});

describe('an edit that the person changed', () => {
  async function createChanged(proposed: string, accepted: string) {
    const rig = createRig();
    const texts = new Map([['a.ts', accepted]]);
    const answers = [Promise.reject(new PartlyAllowed(texts)), Promise.resolve('once' as const)];
    rig.gate.panel = () => answers.shift() ?? assert.fail('asked again');
    const words = await create(rig, 'a.ts', proposed);
    return { words, text: rig.texts.files.get('a.ts') };
  }

  const intro = /This diff leads from your text to what was written:\na\.ts\n([^]*)$/;

  it('is written as the person made it, and the diff leads there from what the model wrote', async () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n');
    const text = fc
      .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    const pair = fc
      .tuple(text, text)
      .filter(([proposed, accepted]) => accepted !== '' && proposed !== accepted);
    await fc.assert(
      fc.asyncProperty(pair, async ([proposed, accepted]) => {
        const { words, text: written } = await createChanged(proposed, accepted);
        assert.equal(written, accepted);
        assert.equal(patch(proposed, intro.exec(words)?.[1] ?? ''), accepted);
      }),
      { numRuns: runs(100) },
    );
  });

  it('is not written if nothing of it is left', async () => {
    await assert.rejects(createChanged('a\n', ''), /removed all of your edit/);
  });
});

describe('createFile', () => {
  it('creates a file, unless it exists', async () => {
    const rig = createRig();
    assert.equal(await create(rig, 'new.ts', 'a\nb\n'), 'Created new.ts: 2 lines.');
    assert.equal(await create(createRig(), 'one.ts', 'a'), 'Created one.ts: 1 line.');
    assert.equal(rig.texts.files.get('new.ts'), 'a\nb\n');
    assert.deepEqual(
      rig.gate.changes.map(({ kind, before }) => [kind, before]),
      [['create', '']],
    );
    await assert.rejects(create(rig, 'new.ts', 'c'), /already exists/);
    assert.equal(rig.texts.files.get('new.ts'), 'a\nb\n');
  });

  it('creates none if one appears during the approval', async () => {
    const rig = createRig();
    rig.gate.meanwhile = () => {
      rig.texts.files.set('new.ts', 'mine');
      return Promise.resolve();
    };
    await assert.rejects(create(rig, 'new.ts', 'c'), /has changed since it was read/);
    assert.equal(rig.texts.files.get('new.ts'), 'mine');
  });
});
