import assert from 'node:assert/strict';
import fc from 'fast-check';
import { GitDirectories } from '../../../../src/core/files/gitDirectories.ts';
import type { Location } from '../../../../src/core/files/places.ts';
import { runs } from '../../../support/sample.ts';
import { GateRig, change } from '../approval/gateRig.ts';
import { fileAt } from '../approval/policyRig.ts';
import { FakeDisk } from './fakeDisk.ts';

/** Sets of files, each of which makes a folder a Git directory. */
const fileSets = [
  ['HEAD', 'objects/x', 'refs/x'],
  ['HEAD', 'objects/pack/x', 'refs/heads/a/b', 'config'],
  ['HEAD', 'commondir'],
];
const folders = ['', 'docs/', 'docs/deep/er/', 'docs.git/', 'my-repo/'];
const writes = fc
  .tuple(fc.constantFrom(...fileSets), fc.constantFrom(...folders))
  .chain(([names, folder]) =>
    fc.record({
      folder: fc.constant(folder),
      // Later files are in the Git directory that the earlier ones make.
      paths: fc
        .shuffledSubarray(names, { minLength: names.length })
        .map((all) => [...all, 'hooks/post-checkout', 'info/a/b/c'].map((name) => folder + name)),
      size: fc.integer({ min: 1, max: 5 }),
      isVirtual: fc.boolean(),
    }),
  );

function isGitDirectory(files: ReadonlySet<string>, folder: string): boolean {
  const has = (name: string): boolean =>
    [...files].some((file) => `${file}/`.startsWith(`/ws/${folder}${name}/`));
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

/** A gate that allows all edits, and asks in a dialog about protected files. */
function allowingRig(isVirtual = false): GateRig {
  const rig = new GateRig({ isVirtual });
  rig.reply = rig.click = 'once';
  rig.situation.denied = [];
  if (isVirtual)
    rig.situation.folders = [{ name: 'ws', location: { ...fileAt('/ws'), scheme: 'memfs' } }];
  return rig;
}

const created = { kind: 'create', before: '' } as const;

async function isProtected(rig: GateRig, ...paths: readonly string[]): Promise<boolean> {
  const { length } = rig.dialogs;
  await rig.edit(...paths.map((path) => change(path, created)));
  return rig.dialogs.length > length;
}

describe('Git directories', () => {
  it('need approval if a write turns a folder into one, and afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(writes, async ({ folder, paths, size, isVirtual }) => {
        const rig = allowingRig(isVirtual);
        const files = new Set<string>();
        for (let start = 0; start < paths.length; start += size) {
          const call = paths.slice(start, start + size);
          for (const path of call) files.add(`/ws/${path}`);
          const isGit = isGitDirectory(files, folder);
          assert.equal(await isProtected(rig, ...call), isGit, call.join());
          for (const path of call) rig.disk.file(`/ws/${path}`);
        }
        const isStillProtected = await isProtected(rig, `${folder}other`);
        assert.ok(isStillProtected);
      }),
      { numRuns: runs(30) },
    );
  });

  it('are recognized by links, even by broken ones', async () => {
    const rig = allowingRig();
    rig.disk
      .folder('/ws/docs')
      .folder('/ws/store/objects')
      .folder('/ws/store/refs')
      .link('/ws/docs/objects', '/ws/store/objects')
      .link('/ws/docs/refs', '/ws/store/refs');
    assert.ok(await isProtected(rig, 'docs/HEAD'));
    rig.disk.link('/ws/docs/HEAD', 'refs/heads/nothing');
    assert.ok(await isProtected(rig, 'docs/config'));
    // One file is reached through a link to a Git directory, the other through a link in it.
    rig.disk.link('/ws/other', '/ws/docs').folder('/ws/hooks').link('/ws/docs/hooks', '/ws/hooks');
    assert.ok(await isProtected(rig, 'other/config'));
    assert.ok(await isProtected(rig, 'docs/hooks/post-checkout'));
  });

  it('are recognized in any case, and by names that Windows and Mac volumes read the same', async () => {
    for (const name of ['head', 'Head', 'HEAD.', 'HE\u{200c}AD']) {
      const rig = allowingRig();
      rig.disk.folder('/ws/docs/objects').folder('/ws/docs/refs');
      assert.ok(await isProtected(rig, `docs/${name}`), name);
    }
  });

  it('are protected below any `.git`, unlike folders that only look similar', async () => {
    const rig = allowingRig();
    for (const path of ['a/b/.git', 'a/.git/x', 'a/.GIT/hooks/x', 'x/y/.git./config'])
      assert.ok(await isProtected(rig, path), path);
    rig.disk.file('/ws/docs/HEAD').folder('/ws/docs/refs').folder('/ws/lib/objects');
    for (const path of ['docs/a.txt', 'docs/objects.ts', 'lib/refs/a.ts', 'lib/HEAD.md', 'HEAD'])
      assert.ok(!(await isProtected(rig, path)), path);
  });

  it('are detected above the workspace, up to a working tree', async () => {
    const disk = new FakeDisk()
      .file('/r.git/HEAD')
      .folder('/r.git/objects')
      .folder('/r.git/refs')
      .folder('/r.git/hooks')
      .file('/r.git/tree/.git', 'gitdir: /r.git/worktrees/tree')
      .folder('/r.git/tree/src');
    const isInGitDirectory = (root: string, file: string): Promise<boolean> => {
      const context = {
        folders: [{ name: 'x', location: fileAt(root) }],
        platform: 'linux',
      } as const;
      const exists = (location: Location): Promise<boolean> =>
        disk.realPath(location).then((real) => real !== undefined);
      return new GitDirectories(context, { view: disk, exists }).holds(fileAt(file), []);
    };
    assert.ok(await isInGitDirectory('/r.git/hooks', '/r.git/hooks/post-checkout'));
    assert.ok(!(await isInGitDirectory('/r.git/tree', '/r.git/tree/a')));
    assert.ok(!(await isInGitDirectory('/r.git/tree/src', '/r.git/tree/src/a')));
  });

  it('deny an edit if another window completes one before or during the write', async () => {
    const rig = allowingRig();
    rig.disk.folder('/ws/docs/objects');
    const states: boolean[] = [];
    await rig.gate.edit([change('docs/HEAD', created)], rig.context(), async ({ value }) => {
      const [planned] = value;
      assert.ok(planned);
      states.push(await planned.isInPlace());
      rig.disk.folder('/ws/docs/refs');
      states.push(await planned.isInPlace());
    });
    assert.deepEqual(states, [true, false]);
    const first = rig.effects;
    rig.disk.remove('/ws/docs/refs');
    rig.click = () => {
      rig.disk.folder('/ws/docs/refs');
      return 'once';
    };
    await assert.rejects(isProtected(rig, 'docs/HEAD'), /changed while/);
    assert.equal(rig.effects, first);
  });
});
