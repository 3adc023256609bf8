import assert from 'node:assert/strict';
import { IgnoredFiles } from '../../../../src/core/approval/ignoredFiles.ts';
import type { Location } from '../../../../src/core/workspace/places.ts';
import { FakeDisk } from '../workspace/fakeDisk.ts';
import { change, GateRig } from './gateRig.ts';
import { fileAt } from './policyRig.ts';

const createDisk = (): FakeDisk =>
  new FakeDisk()
    .folder('/repo/.git')
    .folder('/repo/ws/src')
    .file('/repo/.gitignore', '/ws/outer\n*.log\nsecret*\n!secret.md\n# a\n\nlocal/\n')
    .file('/repo/ws/.gitignore', 'dist/\n!keep.log\n*.LOCAL\nbuild/**\n/only-here\n')
    .file('/repo/ws/src/.gitignore', '!deep.log\ngenerated.ts\n');

async function ignores(
  disk: FakeDisk,
  path: string,
  folders: readonly string[] = ['/repo/ws'],
): Promise<boolean> {
  const workspaceFolders = folders.map((folder) => ({ name: folder, location: fileAt(folder) }));
  const context = {
    folders: workspaceFolders,
    platform: 'linux',
    home: fileAt('/home/me'),
  } as const;
  return new IgnoredFiles(context, disk, [fileAt(path)]).has(fileAt(path));
}

/** Paths below the workspace folder, and whether Git ignores them. */
const table: readonly (readonly [string, boolean])[] = [
  ['src/app.ts', false],
  ['src/generated.ts', true],
  ['generated.ts', false],
  ['outer/a.ts', true],
  ['a.log', true],
  ['keep.log', false],
  ['src/keep.log', false],
  ['src/deep.log', false],
  ['deep.log', true],
  ['dist/a.js', true],
  ['src/dist/new/deep/a.js', true],
  ['dist', false],
  ['dist/keep.log', true],
  ['secret.txt', true],
  ['secret.md', false],
  ['local/a.ts', true],
  ['src/local/a/b.ts', true],
  ['a.local', true],
  ['build/a.js', true],
  ['only-here', true],
  ['src/only-here', false],
  ['DIST/a.js', true],
  ['Secret.txt', true],
];

describe('files that Git ignores', () => {
  for (const [path, expected] of table) {
    it(`${expected ? 'include' : 'exclude'} ${path}`, async () => {
      assert.equal(await ignores(createDisk(), `/repo/ws/${path}`), expected);
    });
  }

  it('include those that Git ignores by its configuration and `.git/info/exclude`', async () => {
    const disk = createDisk()
      .file('/repo/.git/info/exclude', 'mine/\n')
      .file('/home/me/.config/git/ignore', '*.swp\n')
      .file('/home/me/.gitconfig', '[core]\n\texcludesFile = ~/ignore-all\n')
      .file('/home/me/ignore-all', 'notes.txt\n')
      .file('/repo/.git/config', '[core]\n\texcludesfile="/etc/ignore"\n')
      .file('/etc/ignore', '*.bak');
    for (const path of ['mine/a.ts', 'a.swp', 'src/notes.txt', 'a.bak']) {
      assert.equal(await ignores(disk, `/repo/ws/${path}`), true, path);
    }
    assert.equal(await ignores(disk, '/repo/ws/src/app.ts'), false);
  });

  it('include those that `.git/info/exclude` names for a linked working tree', async () => {
    const disk = new FakeDisk()
      .file('/tree/.git', 'gitdir: /main/.git/worktrees/tree\n')
      .file('/main/.git/info/exclude', 'mine\n')
      .file('/main/.git/worktrees/tree/HEAD');
    assert.equal(await ignores(disk, '/tree/mine', ['/tree']), true);
    assert.equal(await ignores(disk, '/tree/other', ['/tree']), false);
  });

  it('follow the rules of the innermost workspace folder, and need no repository', async () => {
    const disk = new FakeDisk()
      .file('/.gitignore', '*')
      .file('/a/.gitignore', 'x.ts')
      .file('/a/b/.gitignore', '!x.ts');
    assert.equal(await ignores(disk, '/a/x.ts', ['/a', '/a/b']), true);
    assert.equal(await ignores(disk, '/a/b/x.ts', ['/a', '/a/b']), false);
    assert.equal(await ignores(disk, '/a/y.ts', ['/a']), false);
  });

  it("include all files if the rules can't be determined", async () => {
    const broken = createDisk();
    broken.broken = 'read';
    assert.equal(await ignores(broken, '/repo/ws/src/app.ts'), true);
    broken.broken = 'status';
    assert.equal(await ignores(broken, '/repo/ws/src/app.ts'), true);
    const long = createDisk().file('/repo/ws/.gitignore', '#'.repeat(70_000));
    assert.equal(await ignores(long, '/repo/ws/src/app.ts'), true);
    const classes = createDisk().file('/repo/ws/.gitignore', '[[:alpha:]].ts');
    assert.equal(await ignores(classes, '/repo/ws/src/app.ts'), true);
    assert.equal(await ignores(createDisk().special('/repo/ws/.gitignore'), '/repo/ws/a.ts'), true);
    assert.equal(await ignores(createDisk(), '/elsewhere/a.ts'), true);
    const nowhere = { folders: [], platform: 'linux', home: undefined } as const;
    assert.equal(await new IgnoredFiles(nowhere, undefined, []).has(fileAt('/a.ts')), true);
  });
});

describe('ignored files according to Git', () => {
  const folders = [{ name: 'ws', location: fileAt('/repo/ws') }];
  const context = { folders, platform: 'linux', home: undefined } as const;
  const files = ['a.ts', 'src/b.ts', 'keep.log'].map((path) => fileAt(`/repo/ws/${path}`));

  it('are determined by one call with all files, regardless of the rules', async () => {
    const disk = createDisk();
    const queried: string[] = [];
    const view = Object.assign(disk, {
      ignoredByGit: (repository: Location, all: readonly Location[]) => {
        queried.push([repository, ...all].map(({ path }) => path).join(' '));
        return Promise.resolve(new Set(['/repo/ws/src/b.ts']));
      },
    });
    const ignored = new IgnoredFiles(context, view, files);
    const answers = await Promise.all(files.map((file) => ignored.has(file)));
    assert.deepEqual(answers, [false, true, false]);
    assert.deepEqual(queried, ['/repo /repo/ws/a.ts /repo/ws/src/b.ts /repo/ws/keep.log']);
  });

  it('follow the rules without Git, and include all files if Git fails', async () => {
    const none = Object.assign(createDisk(), { ignoredByGit: () => Promise.resolve(undefined) });
    const failing = Object.assign(createDisk(), {
      ignoredByGit: () => Promise.reject(new Error('dubious ownership')),
    });
    const log = fileAt('/repo/ws/a.log');
    const all = [...files, log];
    const byRules = new IgnoredFiles(context, none, all);
    assert.deepEqual(await Promise.all(all.map((file) => byRules.has(file))), [
      ...[false, false, false],
      true,
    ]);
    const unknown = new IgnoredFiles(context, failing, all);
    for (const file of all) assert.equal(await unknown.has(file), true);
  });
});

describe('the gate before an edit of files that tools run or Git ignores', () => {
  it('asks each time in the panel, even if edits are allowed in this chat', async () => {
    const rig = new GateRig();
    rig.disk.folder('/ws/.git').file('/ws/.gitignore', 'out/\n').file('/ws/vite.config.ts');
    rig.disk.file('/ws/out/a.js').file('/ws/node_modules/a/b.js');
    rig.click = 'chat';
    await rig.edit(change('src/app.ts'));
    await rig.edit(change('src/app.ts'));
    assert.equal(rig.panels.length, 1);
    for (const path of ['vite.config.ts', 'out/a.js', 'node_modules/a/b.js', 'out/new.js']) {
      const panelCount: number = rig.panels.length;
      rig.click = 'chat';
      await assert.rejects(rig.edit(change(path)), /denied/, path);
      rig.click = 'once';
      await rig.edit(change(path));
      await rig.edit(change('src/app.ts'), change(path));
      assert.equal(rig.panels.length, panelCount + 3, path);
      assert.ok(rig.panels.slice(panelCount).every(({ forChat }) => !forChat));
    }
    assert.deepEqual(rig.dialogs, []);
  });
});
