import assert from 'node:assert/strict';
import { link, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findInPlace } from '../../../../src/core/approval/inspect.ts';
import type { PlannedChange } from '../../../../src/core/approval/gate.ts';
import type { Location } from '../../../../src/core/files/places.ts';
import { Changes, type RestoreScope } from '../../../../src/host/tools/changes.ts';
import { Editing } from '../../../../src/host/tools/editing.ts';
import { StaleFile, type FileWrite } from '../../../../src/host/tools/textStore.ts';
import { GrantingGate, toolContext } from '../../../support/grantingGate.ts';
import { cases } from '../../../support/sample.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { diskView } = await withoutVsCode(() => import('../../../../src/host/node/thisMachine.ts'));

const scope = { chat: 'chat', turns: ['t'], restore: 'r' };

/** The clicks under test, each with the clicks that come before it. */
const clicks: Record<string, readonly [(changes: Changes) => Promise<unknown>, ...Step[]]> = {
  undo: [clicking('undo')],
  redo: [clicking('redo'), clicking('undo')],
  restore: [restoring('undo')],
  'undo of restore': [restoring('redo'), restoring('undo')],
};
type Step = (changes: Changes) => Promise<unknown>;

function clicking(type: RestoreScope['type']): Step {
  return async (changes) => (await changes[type]('t')).skipped;
}

function restoring(type: RestoreScope['type']): Step {
  return async (changes) => (await changes.restore({ ...scope, type })).skipped;
}

const fileLink = 'it became a link outside';

/** Ways to replace the location of a file. `out` has files of the same names and texts. */
const swaps: Record<string, (ws: string, out: string) => Promise<void>> = {
  'its folder became a link outside': async (ws, out) => {
    await rename(join(ws, 'a/docs'), join(ws, 'was'));
    await symlink(join(out, 'a/docs'), join(ws, 'a/docs'));
  },
  'a folder above became a link outside': async (ws, out) => {
    await rename(join(ws, 'a'), join(ws, 'was'));
    await symlink(join(out, 'a'), join(ws, 'a'));
  },
  'the workspace became a link outside': async (ws, out) => {
    await rename(ws, `${ws}-was`);
    await symlink(out, ws);
  },
  'its folder became a link to another folder inside': async (ws, out) => {
    await rename(join(ws, 'a/docs'), join(ws, 'was'));
    await rename(join(out, 'a/docs'), join(ws, 'inside'));
    await symlink(join(ws, 'inside'), join(out, 'a/docs'));
    await symlink('../inside', join(ws, 'a/docs'));
  },
  [fileLink]: async (ws, out) => {
    await rm(join(ws, 'a/docs/x.txt'), { force: true });
    await symlink(join(out, 'a/docs/x.txt'), join(ws, 'a/docs/x.txt'));
  },
};

async function textAt(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

/** The files of a folder, each with its text. */
async function contents(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const texts = names.map(async (name) => `${name}: ${(await textAt(join(folder, name))) ?? ''}`);
  return (await Promise.all(texts)).sort();
}

describe('a change that was approved, undone or redone by a click', () => {
  let temporary: TemporaryFolder;
  let changes: Changes;
  /** Work of another program, before or after a file is written. */
  let meanwhile: { readonly at: 'write' | 'end'; readonly work: () => Promise<void> } | undefined;

  const path = (name: string): string => join(temporary.path, name);

  async function happen(at: 'write' | 'end'): Promise<void> {
    if (meanwhile?.at !== at) return;
    const { work } = meanwhile;
    meanwhile = undefined;
    await work();
  }

  async function write(change: FileWrite): Promise<void> {
    const { kind, location, before, after } = change;
    const current = await textAt(location.path);
    if (current !== (kind === 'create' ? undefined : before)) throw new StaleFile(location.path);
    if (kind === 'delete') return rm(location.path);
    await mkdir(dirname(location.path), { recursive: true });
    await writeFile(location.path, after);
  }

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    meanwhile = undefined;
    const storage = new Map<string, string>();
    changes = new Changes({
      storage: {
        read: (name) => Promise.resolve(storage.get(name)),
        write(name, text) {
          storage.set(name, text);
          return Promise.resolve();
        },
      },
      texts: {
        read: (location: Location) => textAt(location.path),
        async write(all) {
          await happen('write');
          for (const change of all) await write(change);
          await happen('end');
          return all.map(({ location, before, after }) => ({
            location,
            text: after,
            replaced: before,
            isSaved: true,
          }));
        },
      },
      findInPlace: (files) => {
        const folder = { scheme: 'file', authority: '', path: path('ws') };
        const context = { folders: [{ name: 'ws', location: folder }], platform: 'linux' } as const;
        return findInPlace(files, context, {
          view: diskView,
          exists: () => Promise.resolve(false),
        });
      },
      chatOf: () => 'chat',
      onError: (error) => assert.fail(String(error)),
    });
  });

  afterEach(() => temporary.dispose());

  async function apply(kind: PlannedChange['kind'], name: string, after = 'after'): Promise<void> {
    const gate = new GrantingGate((location) => ({
      scheme: 'file',
      authority: '',
      path: location,
    }));
    const before = kind === 'edit' ? 'before' : '';
    const isCurrent = (): Promise<boolean> => Promise.resolve(true);
    const planned = { kind, path: path(name), before, after, isCurrent };
    const editing = new Editing(gate, () => assert.fail(), changes);
    await editing.apply([planned], toolContext('t'));
  }

  /** Changes `a/docs/x.txt` and clicks, up to the click under test. `out` gets the same files. */
  async function prepare(kind: PlannedChange['kind'], steps: readonly Step[]): Promise<void> {
    for (const folder of ['ws', 'out']) await mkdir(path(`${folder}/a/docs`), { recursive: true });
    if (kind === 'edit') await writeFile(path('ws/a/docs/x.txt'), 'before');
    await apply(kind, 'ws/a/docs/x.txt');
    for (const step of steps) assert.deepEqual(await step(changes), []);
    const text = await textAt(path('ws/a/docs/x.txt'));
    if (text !== undefined) await writeFile(path('out/a/docs/x.txt'), text);
  }

  const all = Object.entries(clicks).flatMap(([click, [run, ...steps]]) =>
    Object.entries(swaps).flatMap(([swap, work]) =>
      (['edit', 'create'] as const).map((kind) => ({ click, run, steps, swap, work, kind })),
    ),
  );
  for (const { click, run, steps, swap, work, kind } of cases(all, 4)) {
    it(`doesn't change the new target by ${click} of ${kind} after ${swap}`, async () => {
      await prepare(kind, steps);
      const listed = await changes.list('t');
      const outside = await contents(path('out'));
      await work(path('ws'), path('out'));
      const named = await run(changes);
      assert.deepEqual(named, [path('ws/a/docs/x.txt')]);
      assert.deepEqual(await contents(path('out')), outside);
      assert.deepEqual(await changes.list('t'), listed);
    });

    it(`reverts writes by ${click} of ${kind} during ${swap}`, async () => {
      await prepare(kind, steps);
      const outside = await contents(path('out'));
      // A file with the same text that is deleted at that moment can't be distinguished from ours.
      // The same applies to a file created through a broken link.
      const isOther = kind === 'create' && (outside.length > 2 || swap === fileLink);
      if (isOther) await writeFile(path('out/a/docs/x.txt'), 'not ours');
      const before = isOther ? await contents(path('out')) : outside;
      meanwhile = { at: 'write', work: () => work(path('ws'), path('out')) };
      // A file with another text is skipped, and named.
      if (isOther) assert.deepEqual(await run(changes), [path('ws/a/docs/x.txt')]);
      else await assert.rejects(run(changes));
      assert.deepEqual(await contents(path('out')), before);
    });

    it(`writes nothing there by ${click} of ${kind} if ${swap} afterwards`, async () => {
      await prepare(kind, steps);
      const outside = await contents(path('out'));
      meanwhile = { at: 'end', work: () => work(path('ws'), path('out')) };
      await assert.rejects(run(changes), { outcome: 'denied' });
      assert.deepEqual(await contents(path('out')), outside);
    });
  }

  it('is not undone into a file that got another name outside', async () => {
    await prepare('edit', []);
    await rm(path('ws/a/docs/x.txt'));
    await link(path('out/a/docs/x.txt'), path('ws/a/docs/x.txt'));
    assert.deepEqual((await changes.undo('t')).skipped, [path('ws/a/docs/x.txt')]);
    assert.equal(await textAt(path('out/a/docs/x.txt')), 'after');
  });

  it('makes no folder a Git directory, one by one or together', async () => {
    const names = ['HEAD', 'objects/x', 'refs/x'].map((name) => `ws/docs/${name}`);
    for (const name of names) {
      await apply('create', name);
      assert.deepEqual((await changes.undo('t')).skipped, []);
    }
    await rm(path('ws/docs'), { recursive: true });
    await assert.rejects(changes.redo('t'), { outcome: 'denied' });
    assert.equal(await textAt(path('ws/docs/HEAD')), undefined);
    const [last, ...others] = (await changes.list('t')).map(({ id }) => id);
    for (const id of others) assert.deepEqual((await changes.redo('t', id)).skipped, []);
    assert.deepEqual((await changes.redo('t', last)).skipped, [path('ws/docs/HEAD')]);
    assert.equal(await textAt(path('ws/docs/HEAD')), undefined);
    assert.deepEqual(await restoring('undo')(changes), []);
    assert.deepEqual(await contents(path('ws/docs/objects')), []);
  });
});
