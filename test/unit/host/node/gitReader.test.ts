import assert from 'node:assert/strict';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { RepositoryReader } from '../../../../src/host/platform/git.ts';
import { commitAll, gitIn, gitProgram } from '../../../support/gitIn.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { findOnPath, repositoryReader } = await withoutVsCode(
  () => import('../../../../src/host/node/gitReader.ts'),
);

describe('finding Git by the bare name that VS Code reports on Linux', () => {
  let temporary: TemporaryFolder;

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
  });
  afterEach(() => temporary.dispose());

  if (process.platform !== 'win32')
    it('uses the first program in an absolute folder of the path', async () => {
      await mkdir(join(temporary.path, 'empty/git'), { recursive: true });
      const data = dirname(await temporary.put('data/git', 'no program'));
      const first = dirname(await temporary.put('first/git', '', 0o755));
      const second = dirname(await temporary.put('second/git', '', 0o755));
      const empty = join(temporary.path, 'empty');
      const folders = ['', '.', 'bin', empty, data, first, second].join(delimiter);
      assert.equal(await findOnPath('git', folders), join(first, 'git'));
      assert.equal(await findOnPath('git', ['', '.', empty, data].join(delimiter)), undefined);
      assert.equal(await findOnPath('../first/git', second), undefined);
    });
});

describe('reading a repository', () => {
  let temporary: TemporaryFolder;
  let folder: string;

  const put = (path: string, text: string, mode?: number): Promise<string> =>
    temporary.put(join('repo', path), text, mode);
  const git = (...words: readonly string[]): string => gitIn(folder, ...words);
  const open = (): Promise<RepositoryReader> => repositoryReader({ program: gitProgram(), folder });
  const diff = async (path: string, isStaged = false): Promise<string> =>
    (await open()).diff({ base: 'HEAD', path, isStaged });

  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = join(temporary.path, 'repo');
    await put('a.txt', 'one\n');
    commitAll(folder, 'First\n\nMore of it.');
  });
  afterEach(() => temporary.dispose());

  it('returns diffs of the file and of staged changes, and subjects of commits', async () => {
    await put('a.txt', 'two\n');
    git('add', '.');
    git('commit', '--quiet', '--message=Second');
    await put('a.txt', 'three\n');
    git('add', '.');
    await put('a.txt', 'four\n');
    assert.match(await diff('a.txt'), /@@\n-two\n\+four\n$/);
    assert.match(await diff('a.txt', true), /@@\n-two\n\+three\n$/);
    assert.deepEqual(await (await open()).subjects(20), ['Second', 'First']);
    assert.deepEqual(await (await open()).subjects(1), ['Second']);
  });

  it('returns no other file, whatever the path means as a pattern', async () => {
    const names = ['*.txt', ':(top)a.txt', '[a].txt', 'b'];
    for (const name of names) await put(name, 'one\n');
    git('add', '.');
    git('commit', '--quiet', '--message=Second');
    for (const name of ['a.txt', ...names.slice(0, -1)]) await put(name, `${name}\n`);
    for (const name of ['a.txt', ...names.slice(0, -1)]) {
      const text = await diff(name);
      assert.equal(text.split('\n').filter((line) => line.startsWith('diff ')).length, 1, name);
      assert.ok(text.endsWith(`+${name}\n`), name);
    }
    await rm(join(folder, 'b'));
    await put('b/.env', 'SECRET=1\n');
    git('add', '.');
    for (const isStaged of [false, true]) {
      const text = await diff('b', isStaged);
      assert.match(text, /\n-one\n$/);
      assert.doesNotMatch(text, /SECRET/);
    }
  });

  it('returns no file of another folder that the repository says is its working tree', async () => {
    const elsewhere = join(temporary.path, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'a.txt'), 'SECRET=1\n');
    await put('a.txt', 'two\n');
    const settings = [
      () => git('config', 'core.worktree', elsewhere),
      () => git('config', 'core.worktree', '../../elsewhere'),
      () => git('config', 'core.bare', 'true'),
      () => {
        git('config', 'extensions.worktreeConfig', 'true');
        git('config', '--file', join(folder, '.git/config.worktree'), 'core.worktree', elsewhere);
      },
    ];
    for (const set of settings) {
      set();
      assert.match(await diff('a.txt'), /@@\n-one\n\+two\n$/);
      assert.deepEqual(await (await open()).subjects(1), ['First']);
      await put('.git/config', '[core]\n\trepositoryformatversion = 0\n');
    }
  });

  it('returns the files of a linked working tree', async () => {
    const tree = join(temporary.path, 'tree');
    git('worktree', 'add', '--quiet', tree);
    await writeFile(join(tree, 'a.txt'), 'three\n');
    const reader = await repositoryReader({ program: gitProgram(), folder: tree });
    const text = await reader.diff({ base: 'HEAD', path: 'a.txt', isStaged: false });
    assert.match(text, /@@\n-one\n\+three\n$/);
  });

  describe('whose settings name programs', () => {
    let seen: string;
    let script: string;
    const wasStarted = (): Promise<boolean> =>
      access(seen).then(
        () => true,
        () => false,
      );
    /** Asserts that no program of the repository runs when everything is read. */
    const startsNothing = async (): Promise<void> => {
      await rm(seen, { force: true });
      const reader = await open();
      for (const isStaged of [false, true])
        await reader.diff({ base: 'HEAD', path: 'a.txt', isStaged });
      await reader.subjects(20);
      assert.equal(await wasStarted(), false);
    };

    beforeEach(async () => {
      seen = join(temporary.path, 'seen');
      script = await put('.git/run.sh', `#!/bin/sh\ntouch '${seen}'\ncat\n`, 0o755);
      await put('.git/info/attributes', '*.txt diff=trap filter=trap\n');
      git('add', '.');
      await put('a.txt', 'two\n');
    });

    /** Settings that make an unprotected Git start a program. */
    const traps: Readonly<Record<string, readonly (readonly [string, string?])[]>> = {
      'an external diff': [['diff.external']],
      'an external diff of a kind of file': [['diff.trap.command']],
      'a conversion to text': [['diff.trap.textconv']],
      'a filter that is required': [['filter.trap.clean'], ['filter.trap.required', 'true']],
      'a filter that keeps running': [['filter.trap.process']],
      'a file system monitor': [['core.fsmonitor']],
    };
    for (const [what, settings] of Object.entries(traps)) {
      it(`does not start ${what}`, async () => {
        for (const [name, value = script] of settings) git('config', name, value);
        try {
          git('diff', 'HEAD', '--', 'a.txt');
        } catch {
          // Git fails since the program doesn't reply as it should, but has started it.
        }
        assert.ok(await wasStarted(), 'The trap does nothing.');
        await startsNothing();
        assert.match(await diff('a.txt'), /@@\n-one\n\+two\n$/);
      });
    }

    it('starts no pager, editor, hook, check of a signature or transport', async () => {
      for (const name of ['core.pager', 'pager.diff', 'pager.log', 'core.editor', 'gpg.program'])
        git('config', name, script);
      git('config', 'log.showSignature', 'true');
      git('config', 'color.ui', 'always');
      for (const name of ['core.sshCommand', 'core.gitProxy', 'credential.helper'])
        git('config', name, script);
      for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction'])
        await put(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${seen}'\n`, 0o755);
      await startsNothing();
      assert.match(await diff('a.txt'), /@@\n-one\n\+two\n$/);
    });

    it('starts no check of the signature of a commit', async () => {
      const tree = git('rev-parse', 'HEAD^{tree}').trim();
      const by = 'a <a@example.com> 0 +0000';
      const text = [
        ...[`tree ${tree}`, `author ${by}`, `committer ${by}`],
        ...['gpgsig -----BEGIN PGP SIGNATURE-----', ' ', ' x', ' -----END PGP SIGNATURE-----'],
        ...['', 'Signed'],
      ];
      const file = await put('.git/signed', `${text.join('\n')}\n`);
      git('update-ref', 'HEAD', git('hash-object', '-w', '-t', 'commit', file).trim());
      git('config', 'gpg.program', script);
      git('config', 'log.showSignature', 'true');
      git('log');
      assert.ok(await wasStarted(), 'The trap does nothing.');
      await startsNothing();
      assert.deepEqual(await (await open()).subjects(1), ['Signed']);
    });

    it('gets no objects from elsewhere', async () => {
      const remote = await put('.git/remote.sh', `#!/bin/sh\ntouch '${seen}'\n`, 0o755);
      const blob = git('rev-parse', 'HEAD:a.txt').trim();
      await rm(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      git('config', 'core.repositoryFormatVersion', '1');
      git('config', 'extensions.partialClone', 'origin');
      git('config', 'remote.origin.promisor', 'true');
      git('config', 'protocol.ext.allow', 'always');
      git('config', 'remote.origin.url', `ext::${remote} %S`);
      assert.throws(() => git('diff', 'HEAD', '--', 'a.txt'));
      assert.ok(await wasStarted(), 'The trap does nothing.');
      await rm(seen);
      await assert.rejects(diff('a.txt'));
      assert.equal(await wasStarted(), false);
    });

    it('refuses a filter that it could not turn off', async () => {
      git('config', 'filter.a=b.clean', script);
      await assert.rejects(open());
    });

    it('reads no settings of a submodule', async () => {
      const inner = join(folder, 'inner');
      await put('inner/b.txt', 'one\n');
      commitAll(inner, 'Inner');
      git('-c', 'advice.addEmbeddedRepo=false', 'add', '.');
      git('commit', '--quiet', '--message=Submodule');
      await put('inner/b.txt', 'two\n');
      await put('inner/.git/info/attributes', '*.txt diff=trap filter=trap\n');
      for (const name of ['core.fsmonitor', 'filter.trap.clean', 'diff.external'])
        gitIn(inner, 'config', name, script);
      git('config', 'diff.submodule', 'diff');
      git('diff', 'HEAD', '--', 'inner');
      assert.ok(await wasStarted(), 'The trap does nothing.');
      await rm(seen);
      assert.equal(await diff('inner'), '');
      assert.equal(await wasStarted(), false);
    });
  });
});
