import assert from 'node:assert/strict';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const manifest = {
  name: 'small',
  publisher: 'aside-chat',
  version: '0.0.1',
  engines: { vscode: '^1.106.0' },
  main: './main.js',
  activationEvents: ['onStartupFinished'],
  license: 'MIT',
  files: ['main.js', 'texts/*'],
};

/** Writes a small extension whose files have the same time, in the given order. */
async function write(folder: string, names: readonly string[], seconds: number): Promise<void> {
  await mkdir(join(folder, 'texts'), { recursive: true });
  for (const name of names) {
    await writeFile(join(folder, name), name === 'package.json' ? JSON.stringify(manifest) : name);
    await utimes(join(folder, name), seconds, seconds);
  }
}

describe('a package', () => {
  it('has the same bytes regardless of the time and order of its files', async () => {
    const names = ['package.json', 'main.js', 'README.md', 'LICENSE', 'texts/b.txt', 'texts/a.txt'];
    const module = new URL('../../build/vsix.ts', import.meta.url).href;
    const packages: Buffer[] = [];
    for (const [order, seconds] of [
      [names, 1_700_000_000],
      [names.toReversed(), 1_600_000_000],
    ] as const) {
      const folder = await TemporaryFolder.create();
      try {
        await write(folder.path, order, seconds);
        const script = `import { packageExtension } from '${module}'; process.exitCode = packageExtension(${JSON.stringify(folder.path)}, '--out', 'small.vsix');`;
        const parameters = ['--input-type=module', '--eval', script];
        const code = await runCommand(process.execPath, parameters, { quiet: true });
        assert.equal(code, 0);
        packages.push(await readFile(join(folder.path, 'small.vsix')));
      } finally {
        await folder.dispose();
      }
    }
    const [first, second] = packages;
    assert.ok(first !== undefined && second !== undefined && first.equals(second));
  });
});
