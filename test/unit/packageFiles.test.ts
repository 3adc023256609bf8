import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';
import * as z from 'zod/mini';
import { projectFolder } from '../support/paths.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

/** Files that the packaged extension may contain. */
const allowed: readonly RegExp[] = [
  /^dist\/(?:extension|browser|node)\.cjs$/,
  /^dist\/webview\/[\w.-]+\.(?:js|css|woff2)$/,
  /^dist\/grammars\/[\w.-]+\.json$/,
  /^dist\/ThirdPartyNotices\.txt$/,
  /^dist\/l10n\/(?:bundle\.l10n|demo)\.[\w-]+\.json$/,
  /^media\/(?:aside(?:-dark|-light)?\.svg|icon\.png)$/,
  /^media\/walkthrough\/\w+(?:-light)?\.webp$/,
  /^package(?:\.nls(?:\.[\w-]+)?)?\.json$/,
  /^(?:README|CHANGELOG)\.md$/,
  /^LICENSE$/,
];

/** Packages whose code is in the extension, and their dependencies. */
const bundled =
  '@codemirror/legacy-modes @codemirror/streamparser @preact/signals @preact/signals-core @vscode/codicons @vscode/l10n diff eventsource-parser linkify-it markdown-it preact temml uc.micro zod'.split(
    ' ',
  );

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.optional(z.string()),
      integrity: z.optional(z.string()),
      hasInstallScript: z.optional(z.boolean()),
      link: z.optional(z.boolean()),
    }),
  ),
});
const scripts = z.object({ scripts: z.optional(z.record(z.string(), z.string())) });

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(projectFolder, file), 'utf8'));
}

describe('the files of the package', () => {
  it('are exactly those of the list', async () => {
    const files = await listFiles({ cwd: projectFolder, packageManager: PackageManager.None });
    const others = files.filter((file) => !allowed.some((pattern) => pattern.test(file)));
    assert.deepEqual(others, []);
    for (const file of ['package.json', 'README.md', 'LICENSE'])
      assert.ok(files.includes(file), file);
  });

  it('include the scripts and notices of a build, but no source maps', async () => {
    const temporary = await TemporaryFolder.create();
    try {
      const built = ['dist/ThirdPartyNotices.txt', 'dist/browser.cjs', 'dist/webview/main.js'];
      await cp(join(projectFolder, 'package.json'), join(temporary.path, 'package.json'));
      await mkdir(join(temporary.path, 'dist/webview'), { recursive: true });
      for (const file of [...built, 'dist/browser.cjs.map', 'dist/webview/main.js.map'])
        await writeFile(join(temporary.path, file), '');
      const files = await listFiles({ cwd: temporary.path, packageManager: PackageManager.None });
      assert.deepEqual(files.toSorted(), [...built, 'package.json']);
    } finally {
      await temporary.dispose();
    }
  });
});

describe('the lock file', () => {
  const packages = Object.entries(lockFile.parse(read('package-lock.json')).packages);
  const installed = packages.filter(([path, { link }]) => path !== '' && link !== true);

  it('pins every package by its hash, from the registry only', () => {
    for (const [path, { resolved, integrity }] of installed) {
      // Without an address, npm uses the registry that is configured.
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path);
      assert.match(integrity ?? '', /^sha512-/, path);
    }
  });

  it('has no bundled package with an install script', () => {
    const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);
    const used = installed.filter(([path]) => bundled.includes(nameOf(path)));
    assert.ok(used.length >= bundled.length);
    for (const [path, { hasInstallScript }] of used) {
      assert.notEqual(hasInstallScript, true, path);
      const names = Object.keys(scripts.parse(read(join(path, 'package.json'))).scripts ?? {});
      assert.deepEqual(
        names.filter((name) => /^(?:pre|post)?install$/.test(name)),
        [],
        path,
      );
    }
  });
});
