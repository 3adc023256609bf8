import assert from 'node:assert/strict';
import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoredBy } from '../../../../src/host/node/gitIgnore.ts';
import { commitAll, gitIn, gitProgram } from '../../../support/gitIn.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

const program = gitProgram();

describe('the list of files that Git ignores', () => {
  let temporary: TemporaryFolder;
  let folder: string;
  const known = { HOME: process.env['HOME'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] };

  const put = async (path: string, text: string): Promise<string> => {
    const file = join(temporary.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  const ignored = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const all = new Map(paths.map((path) => [join(folder, path), path]));
    const files = await ignoredBy({ program, folder }, [...all.keys()]);
    return [...files].map((file) => all.get(file) ?? `unknown ${file}`);
  };

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = join(temporary.path, 'repo');
    await put('repo/.gitignore', '*.log\n!keep.log\n/out/\n');
    await put('repo/tracked.ts', '');
    commitAll(folder, 'first');
    process.env['HOME'] = temporary.path;
    process.env['XDG_CONFIG_HOME'] = join(temporary.path, 'xdg');
  });
  afterEach(async () => {
    for (const [name, value] of Object.entries(known)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    await temporary.dispose();
  });

  it('covers many files, whatever their names, with one process', async () => {
    const names = ['a\nb.log', 'ü "x".log', ':(top)c.log', '*.log', '-d.log'];
    assert.deepEqual(await ignored(...names, 'keep.log', 'src/new.ts', 'out/a/b.ts'), [
      ...names,
      'out/a/b.ts',
    ]);
    assert.deepEqual(await ignored('tracked.ts'), []);
    const many = Array.from({ length: 5000 }, (_, index) => `src/${index}.log`);
    assert.equal((await ignored(...many)).length, 5000);
  });

  it('follows rules of another configuration file', async () => {
    const rules = await put('rules', '*.mine\n');
    await put(
      '.gitconfig',
      `[include]\n\tpath = ${await put('more', `[core]\nexcludesFile = ${rules}\n`)}\n`,
    );
    await put('xdg/git/ignore', '*.xdg\n');
    assert.deepEqual(await ignored('a.mine', 'b.ts'), ['a.mine']);
    await put('.gitconfig', '');
    assert.deepEqual(await ignored('a.mine', 'b.xdg'), ['b.xdg']);
    await put('xdg/git/config', `[core]\nexcludesFile = ${rules}\n`);
    assert.deepEqual(await ignored('a.mine', 'b.xdg'), ['a.mine']);
  });

  it('starts no program of the repository', async () => {
    const seen = join(temporary.path, 'seen');
    const script = await put('run.sh', `#!/bin/sh\ntouch '${seen}'\n`);
    await chmod(script, 0o755);
    for (const setting of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.editor',
      'alias.check-ignore',
    ]) {
      gitIn(folder, 'config', setting, setting.startsWith('alias') ? `!${script}` : script);
    }
    for (const hook of ['fsmonitor-watchman', 'post-index-change']) {
      await chmod(await put(`repo/.git/hooks/${hook}`, `#!/bin/sh\ntouch '${seen}'\n`), 0o755);
    }
    assert.deepEqual(await ignored('a.log', 'b.ts'), ['a.log']);
    await assert.rejects(access(seen));
  });

  it("fails if it can't be determined, Git is another program or missing", async () => {
    await put('repo/.git/config', '[core\n');
    await assert.rejects(ignored('a.log'));
    await assert.rejects(ignoredBy({ program: join(folder, 'missing'), folder }, ['a']));
  });
});
