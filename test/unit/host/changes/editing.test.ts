import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PartlyAllowed } from '../../../../src/core/approval/gate.ts';
import { maskSecrets } from '../../../../src/core/support/secretTokens.ts';
import { createFile, editFile } from '../../../../src/host/changes/editing.ts';
import { toolContext } from '../../../support/grantingGate.ts';
import { patch } from '../../../support/patch.ts';
import { runs } from '../../../support/sample.ts';
import { rig, type Rig } from './rig.ts';

function edit(made: Rig, path: string, search: string, replace: string): Promise<string> {
  return editFile(path, [{ search, replace }], made, toolContext());
}

describe('editFile', () => {
  it('reads through the gate, passes it the whole change, and writes what it approved', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\ntwo\nthree\n');
    const words = await edit(made, 'a.ts', 'two', '2\n2');
    assert.equal(words, 'Changed a.ts: +2 −1, lines 2–3.');
    assert.equal(made.texts.files.get('a.ts'), 'one\n2\n2\nthree\n');
    assert.equal(made.gate.requests[0], 'a.ts');
    const [planned] = made.gate.changes;
    assert.equal(planned?.before, 'one\ntwo\nthree\n');
    assert.equal(planned.after, 'one\n2\n2\nthree\n');
    assert.equal(planned.kind, 'edit');
  });

  it('writes nothing if denied', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\n');
    made.gate.denies = true;
    await assert.rejects(edit(made, 'a.ts', 'one', 'two'), { outcome: 'denied' });
    assert.equal(made.texts.files.get('a.ts'), 'one\n');
    assert.deepEqual(await made.changes.list('t'), []);
  });

  it('does not request approval of edits that do not match', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\n');
    await assert.rejects(edit(made, 'a.ts', 'two', '2'), /not in the file/);
    assert.deepEqual(made.gate.changes, []);
  });

  it('writes nothing if the file changes during the approval', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\n');
    made.gate.meanwhile = () => {
      made.texts.files.set('a.ts', 'one\nmine\n');
      return Promise.resolve();
    };
    await assert.rejects(
      edit(made, 'a.ts', 'one', 'two'),
      /has changed since it was read.*Read it/,
    );
    assert.equal(made.texts.files.get('a.ts'), 'one\nmine\n');
  });

  it('writes nothing through a path that leads elsewhere, and reverts earlier writes', async () => {
    for (const looks of [1, 2]) {
      const made = rig();
      made.texts.files.set('a.ts', 'one\n');
      let looksLeft = looks;
      made.gate.isInPlace = () => --looksLeft > 0;
      await assert.rejects(edit(made, 'a.ts', 'one', 'two'), { outcome: 'denied' });
      assert.equal(made.texts.files.get('a.ts'), 'one\n', `after ${looks} looks`);
      looksLeft = looks;
      await assert.rejects(createFile('b.ts', 'new', made, toolContext()), { outcome: 'denied' });
      assert.equal(made.texts.files.has('b.ts'), false);
      assert.deepEqual(await made.changes.list('t'), []);
    }
  });

  it('keeps secrets that the model sees as masks, and writes no mask', async () => {
    const made = rig();
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const mask = maskSecrets(token).text;
    made.texts.files.set('a.ts', `const token = '${token}';\n`);
    await edit(made, 'a.ts', `const token = '${mask}';`, `export const token = '${mask}';`);
    assert.equal(made.texts.files.get('a.ts'), `export const token = '${token}';\n`);
    made.texts.files.set('b.ts', 'b\n');
    await assert.rejects(edit(made, 'b.ts', 'b', mask), /stands for a secret/);
    await assert.rejects(createFile('c.ts', mask, made, toolContext()), /stands for a secret/);
    assert.deepEqual(made.gate.changes.length, 1, 'nobody was asked');
  });

  it('edits a file with a secret that the person allowed to be sent unmasked', async () => {
    const made = rig();
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    made.texts.files.set('.env', `TOKEN=${token}\n`);
    await edit(made, '.env', 'ghp_a1B2', 'x');
    assert.equal(made.texts.files.get('.env'), `TOKEN=${token.replace('ghp_a1B2', 'x')}\n`);
    await assert.rejects(edit(made, '.env', 'TOKEN', maskSecrets(token).text), /stands for/);
  });

  it('writes nothing if another file with the same text is in its place', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\n');
    const isCurrent = (): Promise<boolean> => Promise.resolve(false);
    const content = { kind: 'text', text: 'one\n', isLossy: false, isCurrent } as const;
    const files = { readFile: () => Promise.resolve(content) };
    await assert.rejects(
      edit({ ...made, files }, 'a.ts', 'one', 'two'),
      /has changed since it was read/,
    );
    assert.equal(made.texts.files.get('a.ts'), 'one\n');
  });

  it('writes nothing after Stop', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\n');
    const stop = new AbortController();
    made.gate.meanwhile = () => {
      stop.abort();
      return Promise.resolve();
    };
    const edits = [{ search: 'one', replace: 'two' }];
    await assert.rejects(editFile('a.ts', edits, made, toolContext('t', stop.signal)), {
      name: 'AbortError',
    });
    assert.equal(made.texts.files.get('a.ts'), 'one\n');
    assert.deepEqual(made.events, []);
  });

  it('reports changes of a formatter, and a file that stays unsaved', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\n').set('b.ts', 'one\n');
    made.texts.dirty.add('b.ts');
    made.texts.format = (text) => text.replaceAll(' ', '');
    assert.match(
      await edit(made, 'a.ts', 'one', 'a = 1'),
      /\+1 −1, line 1\. Saving it made more changes/,
    );
    assert.match(
      await edit(made, 'b.ts', 'one', 'a = 1'),
      /line 1\. It already had unsaved changes/,
    );
  });

  it("reports why a file can't be edited", async () => {
    const made = rig();
    await assert.rejects(edit(made, 'a.ts', 'a', 'b'), /no file a\.ts.*create_file/);
    for (const [kind, words] of [
      ['binary', /bytes that are not text/],
      ['huge', /too large/],
      ['folder', /a folder/],
    ] as const) {
      const files = { readFile: () => Promise.resolve({ kind }) };
      await assert.rejects(edit({ ...made, files }, 'a', 'a', 'b'), words);
    }
    made.texts.files.set('lossy', 'a\ufffd\n');
    await assert.rejects(edit(made, 'lossy', 'a', 'b'), /bytes that are not text/);
    made.texts.files.set('a.ts', 'one\n');
    await assert.rejects(
      edit(made, 'a.ts', 'one', 'x'.repeat(2_000_001)),
      /the maximum is 2000000/,
    );
  });
});

describe('an edit with rejected hunks', () => {
  it('writes the other hunks, and informs the model', async () => {
    const made = rig();
    made.texts.files.set('a.ts', 'one\ntwo\nthree\n');
    const texts = new Map([['a.ts', '1\ntwo\nthree\n']]);
    let isFirst = true;
    made.gate.panel = () => {
      const answer = isFirst
        ? Promise.reject(new PartlyAllowed(texts))
        : Promise.resolve('once' as const);
      isFirst = false;
      return answer;
    };
    const edits = [
      { search: 'one', replace: '1' },
      { search: 'three', replace: '3' },
    ];
    const words = await editFile('a.ts', edits, made, toolContext());
    assert.match(
      words,
      /^Changed a\.ts: \+1 −1, line 1\. The person rejected or changed parts of it\./,
    );
    assert.match(words, /-3\n\+three\n/);
    assert.equal(made.texts.files.get('a.ts'), '1\ntwo\nthree\n');
    assert.equal(made.gate.requests.filter((request) => typeof request !== 'string').length, 2);
  });
});

describe('an edit that the person changed', () => {
  async function createChanged(proposed: string, accepted: string) {
    const made = rig();
    const texts = new Map([['a.ts', accepted]]);
    const answers = [Promise.reject(new PartlyAllowed(texts)), Promise.resolve('once' as const)];
    made.gate.panel = () => answers.shift() ?? assert.fail('asked again');
    const words = await createFile('a.ts', proposed, made, toolContext());
    return { words, text: made.texts.files.get('a.ts') };
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
    const made = rig();
    assert.equal(
      await createFile('new.ts', 'a\nb\n', made, toolContext()),
      'Created new.ts: 2 lines.',
    );
    assert.equal(await createFile('one.ts', 'a', rig(), toolContext()), 'Created one.ts: 1 line.');
    assert.equal(made.texts.files.get('new.ts'), 'a\nb\n');
    assert.deepEqual(
      made.gate.changes.map(({ kind, before }) => [kind, before]),
      [['create', '']],
    );
    await assert.rejects(createFile('new.ts', 'c', made, toolContext()), /already exists/);
    assert.equal(made.texts.files.get('new.ts'), 'a\nb\n');
  });

  it('creates none if one appears during the approval', async () => {
    const made = rig();
    made.gate.meanwhile = () => {
      made.texts.files.set('new.ts', 'mine');
      return Promise.resolve();
    };
    await assert.rejects(
      createFile('new.ts', 'c', made, toolContext()),
      /has changed since it was read/,
    );
    assert.equal(made.texts.files.get('new.ts'), 'mine');
  });

  it('creates none if denied', async () => {
    const made = rig();
    made.gate.denies = true;
    await assert.rejects(createFile('new.ts', 'c', made, toolContext()), { outcome: 'denied' });
    assert.equal(made.texts.files.size, 0);
  });
});
