import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, link, mkdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import fc from 'fast-check';
import {
  deniedPlaces,
  isWithinAny,
  RealPlaces,
} from '../../../../src/core/approval/deniedPlaces.ts';
import type { Location, Target } from '../../../../src/core/files/places.ts';
import { readKnownFile } from '../../../../src/core/files/disk.ts';
import { resolveTarget } from '../../../../src/core/files/resolveTarget.ts';
import { usualSituation } from '../../core/approval/policyRig.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { runs } from '../../../support/sample.ts';
import { commitAll, gitIn, gitProgram } from '../../../support/gitIn.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { trackedBy } from '../../../../src/host/node/thisMachine.ts';

const { diskView } = await withoutVsCode(() => import('../../../../src/host/node/thisMachine.ts'));

const seed = Number(process.env['SEED'] ?? 7);

function fileAt(path: string): Location {
  return { scheme: 'file', authority: '', path };
}

/** The real path. If there is no such file, the real path of its folder with the name. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return join(await realPathOf(dirname(path)), path.slice(path.lastIndexOf(sep) + 1));
  }
}

describe('the disk', () => {
  let temporary: TemporaryFolder;
  let folder = '';
  let workspace = '';

  const resolve = (path: string): Promise<Target> =>
    resolveTarget(
      path,
      { folders: [{ name: 'ws', location: fileAt(workspace) }], platform: 'linux' },
      diskView,
    );

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = temporary.path;
    workspace = join(folder, 'ws');
    await temporary.put('ws/src/app.ts', 'inside');
    await temporary.put('out/secret.txt', 'outside');
    await mkdir(join(folder, 'out/deep'));
  });

  afterEach(() => temporary.dispose());

  /** Links, and their targets: inside and outside, near and far, files and folders. */
  const linkNames = ['a', 'b', 'src/c', 'src/d'];
  const linkTargets = [
    'src',
    '../out',
    '../out/secret.txt',
    'src/app.ts',
    '.',
    '..',
    'a',
    'b/deep',
  ];
  const names = ['a', 'b', 'c', 'd', 'src', 'app.ts', 'secret.txt', 'deep', 'new', '..', '.'];

  it('counts a location as inside exactly if its real path is', async () => {
    const numRuns = runs(400, 4);
    let inside = 0;
    let outside = 0;
    const chosen = fc.record({
      targets: fc.tuple(...linkNames.map(() => fc.constantFrom(...linkTargets))),
      absolute: fc.boolean(),
      path: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(chosen, async ({ targets: to, absolute, path }) => {
        for (const [index, name] of linkNames.entries()) {
          const link = join(workspace, name);
          const goal = to[index] ?? '.';
          await rm(link, { force: true });
          await symlink(
            absolute ? join(workspace, goal) : join(name.includes('/') ? '..' : '.', goal),
            link,
          );
        }
        const text = path.join('/');
        const target = await resolve(text).catch(() => undefined);
        // A circular or broken link.
        if (target === undefined) return;
        const real = await realPathOf(normalize(join(workspace, text)));
        const isInside = `${real}/`.startsWith(`${await realpath(workspace)}/`);
        assert.equal(target.location.path, real.length > 1 ? real.replace(/\/$/, '') : real);
        assert.equal(target.inside, isInside);
        if (isInside) inside++;
        else outside++;
      }),
      { seed, numRuns },
    );
    const few = numRuns / 8;
    assert.ok(inside > few && outside > few, `${inside} inside, ${outside} outside`);
  });

  it('refuses a broken link, and a circular one', async () => {
    await symlink(join(folder, 'out/new.txt'), join(workspace, 'nowhere'));
    await symlink('circle', join(workspace, 'circle'));
    await assert.rejects(resolve('nowhere'), /broken link/);
    await assert.rejects(resolve('circle'));
    await assert.rejects(resolve('circle/a'));
  });

  it('distinguishes a replaced file from the one before', async () => {
    const first = await resolve('src/app.ts');
    await rm(join(workspace, 'src/app.ts'));
    await writeFile(join(workspace, 'src/app.ts'), 'other');
    const second = await resolve('src/app.ts');
    assert.notEqual(first.identity, '');
    assert.notEqual(first.identity, second.identity);
  });

  it('detects hard links, programs, folders and system files', async () => {
    await link(join(folder, 'out/secret.txt'), join(workspace, 'same'));
    await temporary.put('ws/run', '#!/bin/sh\n', 0o755);
    assert.equal((await resolve('same')).hardLinks, 2);
    assert.equal((await resolve('src/app.ts')).hardLinks, 1);
    assert.equal((await resolve('run')).executable, true);
    assert.equal((await resolve('src/app.ts')).executable, false);
    assert.equal((await resolve('src')).kind, 'folder');
    assert.equal((await resolve('src')).executable, false);
    assert.equal((await resolve('/dev/null')).kind, 'special');
  });

  it('reads only the file that it inspected', async () => {
    const { location, identity } = await resolve('src/app.ts');
    const read = async (path = location.path): Promise<string> =>
      new TextDecoder().decode(await readKnownFile(diskView, fileAt(path), { identity }, 5));
    const text = await read();
    assert.equal(text.length, 5);
    assert.equal(await read(join(workspace, 'src/../src/app.ts')), text);
    const replaced = /changed while it was being read/;
    await rename(location.path, join(workspace, 'moved.ts'));
    await symlink(join(workspace, 'moved.ts'), location.path);
    // A link to the same file is refused too: its target may change at any moment.
    await assert.rejects(read(), replaced);
    await rm(location.path);
    await assert.rejects(read(), replaced);
    await writeFile(location.path, 'another');
    await assert.rejects(read(), replaced);
    await assert.rejects(read(join(folder, 'out/secret.txt')), replaced);
    await assert.rejects(read(workspace), replaced);
  });

  if (process.platform !== 'win32') {
    it('does not wait at a pipe', async () => {
      const path = join(workspace, 'pipe.key');
      execFileSync('mkfifo', [path]);
      const status = await diskView.status(fileAt(path));
      assert.equal(status?.kind, 'special');
      assert.equal(await diskView.read(fileAt(path), status.identity, 10), undefined);
    });
  }

  it('detects links in a folder, and protects the targets of links in the home folder', async () => {
    const home = folder;
    await temporary.put('ws/ssh/work_key', 'key');
    await symlink('ws/ssh', join(home, '.ssh'));
    assert.deepEqual(await diskView.links(fileAt(home)), ['.ssh']);
    const known = {
      ...usualSituation,
      folders: [{ name: 'ws', location: fileAt(join(home, 'ws')) }],
      home: fileAt(home),
      denied: deniedPlaces([fileAt(home)], []),
    };
    const { denied, linkedFromHome } = await new RealPlaces(diskView).find(known);
    assert.equal(isWithinAny(fileAt(join(home, 'ws/ssh/work_key')), denied), true);
    assert.equal(isWithinAny(fileAt(join(home, 'ws/src/app.ts')), denied), false);
    assert.deepEqual(linkedFromHome, [fileAt(join(home, 'ws/ssh'))]);
  });

  it('throws without permission', async () => {
    await assert.rejects(diskView.realPath({ ...fileAt('/x'), scheme: 'vscode-vfs' }));
    const file = await resolve('src/app.ts/below');
    assert.equal(file.kind, 'missing');
  });
});

const program = gitProgram();

describe('the list of files that Git tracks', () => {
  let temporary: TemporaryFolder;
  let folder: string;

  const tracked = (...paths: readonly string[]): Promise<readonly string[]> =>
    trackedBy({ program, folder }, paths);
  const git = (...words: readonly string[]): string => gitIn(folder, ...words);

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = join(temporary.path, 'repo');
    await temporary.put('repo/tracked.ts', '');
    await temporary.put('repo/src/b.ts', '');
    commitAll(folder, 'first');
  });
  afterEach(() => temporary.dispose());

  it('has the files of the index, whatever their names, and no folders', async () => {
    const names = ['ü "x".ts', ':(top)tracked.ts', '*.ts', '-d.ts', 'a\nb.ts', 'H x.ts'];
    for (const name of names) await temporary.put(`repo/${name}`, '');
    const all = [...names, 'tracked.ts', 'src/b.ts', 'src', 'SRC/b.ts', 'new.ts'];
    assert.deepEqual([...(await tracked(...all))].sort(), ['src/b.ts', 'tracked.ts']);
    git('add', '.');
    assert.deepEqual(
      [...(await tracked(...all))].sort(),
      [...names, 'src/b.ts', 'tracked.ts'].sort(),
    );
    assert.deepEqual(await tracked(), []);
  });

  it('has no files that are ignored, or whose changes Git was told not to show', async () => {
    await temporary.put('repo/.gitignore', '*.log\n');
    for (const name of ['a.log', 'skipped.ts', 'unchanged.ts'])
      await temporary.put(`repo/${name}`, '');
    git('add', '.');
    git('update-index', '--skip-worktree', 'skipped.ts');
    git('update-index', '--assume-unchanged', 'unchanged.ts');
    assert.deepEqual(await tracked('a.log', 'skipped.ts', 'unchanged.ts', 'tracked.ts'), [
      'tracked.ts',
    ]);
  });

  it('has files with conflicts, once', async () => {
    git('checkout', '--quiet', '-b', 'other');
    await temporary.put('repo/tracked.ts', 'theirs\n');
    commitAll(folder, 'theirs');
    git('checkout', '--quiet', 'main');
    await temporary.put('repo/tracked.ts', 'ours\n');
    commitAll(folder, 'ours');
    assert.throws(() => git('merge', '--quiet', 'other'));
    assert.deepEqual(await tracked('tracked.ts'), ['tracked.ts']);
  });

  it('has no files of a submodule, which has an index of its own', async () => {
    const other = join(temporary.path, 'other');
    await temporary.put('other/a.ts', '');
    commitAll(other, 'other');
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
    assert.deepEqual(await tracked('sub/a.ts'), []);
    folder = join(folder, 'sub');
    assert.deepEqual(await tracked('a.ts', 'new.ts'), ['a.ts']);
  });

  it('is of this folder, whatever the repository says is its working tree', async () => {
    for (const worktree of [temporary.path, '/', join(folder, 'src')]) {
      git('config', 'core.worktree', worktree);
      assert.deepEqual(await tracked('tracked.ts', 'b.ts'), ['tracked.ts'], worktree);
    }
  });

  it('starts no program of the repository', async () => {
    const seen = join(temporary.path, 'seen');
    const text = `#!/bin/sh\ntouch '${seen}'\n`;
    const script = await temporary.put('run.sh', text, 0o755);
    git('config', 'filter.a.clean', script);
    await temporary.put('repo/.gitattributes', '* filter=a diff=a\n');
    for (const name of ['fsmonitor', 'pager', 'sshCommand', 'editor'])
      git('config', `core.${name}`, script);
    git('config', 'diff.a.textconv', script);
    git('config', 'alias.ls-files', `!${script}`);
    for (const hook of ['fsmonitor-watchman', 'post-index-change'])
      await temporary.put(`repo/.git/hooks/${hook}`, text, 0o755);
    await temporary.put('repo/tracked.ts', 'changed');
    assert.deepEqual(await tracked('tracked.ts', 'new.ts'), ['tracked.ts']);
    await assert.rejects(access(seen));
  });

  it("fails if it can't be determined, or Git is missing", async () => {
    await temporary.put('repo/.git/config', '[core\n');
    await assert.rejects(tracked('tracked.ts'));
    await assert.rejects(trackedBy({ program: join(folder, 'missing'), folder }, ['a']));
  });
});
