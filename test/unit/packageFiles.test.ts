import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { listFiles, PackageManager } from '@vscode/vsce';
import { build } from 'esbuild';
import * as z from 'zod';
import { thirdPartyNotices } from '../../build/thirdPartyNotices.js';
import { networkModules, outlets } from '../support/outlets.ts';
import { projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

/** All files of the package, besides those with names that the build chooses. */
const files = `
  package.json package.nls.json README.md CHANGELOG.md LICENSE
  dist/extension.cjs dist/browser.cjs dist/node.cjs dist/ThirdPartyNotices.txt
  dist/webview/main.js dist/webview/main.css dist/webview/tabs.js dist/webview/tabs.css
  dist/webview/markdown.js dist/webview/codicon.ttf
  media/aside.svg media/aside-dark.svg media/aside-light.svg media/icon.png
`
  .trim()
  .split(/\s+/);

/** Other files that it may have. */
const others: readonly RegExp[] = [
  /^dist\/webview\/[\w-]+-[\dA-Z]{8}\.js$/,
  /^dist\/grammars\/\w+\.json$/,
  /^l10n\/bundle\.l10n\.[\w-]+\.json$/,
  /^media\/walkthrough\/\w+(?:-light)?\.webp$/,
  /^package\.nls\.[\w-]+\.json$/,
];

/** Bytes, compressed. */
const maxSize = 1.25 * 1024 * 1024;

const sourceMap = z.object({ sources: z.array(z.string()) });
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The project as it is packaged, with files beside it that must not be. */
let folder: TemporaryFolder;
before(async () => {
  folder = await TemporaryFolder.create();
  const parts = ['package.json', '.vscodeignore', 'README.md', 'CHANGELOG.md', 'LICENSE'];
  const texts = globSync('package.nls*.json', { cwd: projectFolder });
  for (const part of [...parts, ...texts, 'l10n', 'media'])
    await cp(join(projectFolder, part), join(folder.path, part), { recursive: true });
  const script = ['esbuild.js', '--production', `--folder=${join(folder.path, 'dist')}`];
  const code = await runCommand(process.execPath, script, { folder: projectFolder, quiet: true });
  assert.equal(code, 0, 'The build failed.');
  for (const name of ['src/a.ts', 'dist/browser.cjs.map', 'dist/webview/main.js.map', '.env']) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), '');
  }
});
after(() => folder.dispose());

describe('the package', () => {
  it('has the built extension with its texts and pictures, and nothing else', async () => {
    const listed = await listFiles({ cwd: folder.path, packageManager: PackageManager.None });
    assert.deepEqual(
      files.filter((file) => !listed.includes(file)),
      [],
    );
    const unknown = listed.filter((file) => !others.some((pattern) => pattern.test(file)));
    assert.deepEqual(unknown.toSorted(), files.toSorted());
    assert.ok(listed.includes('l10n/bundle.l10n.de.json'));
    assert.ok(!listed.includes('l10n/bundle.l10n.json'));
    const sizes = listed.map(
      (file) => deflateRawSync(readFileSync(join(folder.path, file)), { level: 9 }).length,
    );
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    assert.ok(size < maxSize, `${size} bytes`);
  });

  it('has scripts that access the network in a single way, whatever packages contain', () => {
    const scripts = globSync('dist/**/*.{cjs,js}', { cwd: folder.path });
    assert.ok(scripts.length > 10);
    for (const file of scripts) {
      const text = readFileSync(join(folder.path, file), 'utf8');
      assert.deepEqual(text.match(outlets) ?? [], [], file);
      const modules = modulesOf(text).map((name) => name.replace(/^node:/, ''));
      assert.deepEqual(
        modules.filter((name) => networkModules.includes(name)),
        [],
        file,
      );
      // The view has one in @vscode/l10n that nothing calls, and its page may not connect anywhere.
      const calls = text.match(/(?<![\w.$])fetch\(/g) ?? [];
      assert.ok(calls.length <= 1, `${file}: ${calls.length}`);
      assert.doesNotMatch(text, /\b(?:OPENAI|ANTHROPIC)_[A-Z]/, file);
    }
  });

  it('needs only VS Code in a browser', () => {
    const script = readFileSync(join(folder.path, 'dist/browser.cjs'), 'utf8');
    assert.deepEqual(new Set(modulesOf(script)), new Set(['vscode']));
    assert.doesNotMatch(script, /(?<![\w.$-])(?:Buffer|process|setImmediate)[.(]/);
  });

  it('has pages that start with one script, which can be written into their HTML', () => {
    for (const page of ['main', 'tabs']) {
      const read = (kind: string): string =>
        readFileSync(join(folder.path, `dist/webview/${page}.${kind}`), 'utf8');
      assert.deepEqual(read('js').match(/\b(?:from|import)"\.|<\/?script/gi) ?? [], [], page);
      assert.deepEqual(read('css').match(/<\/style/gi) ?? [], [], page);
    }
  });

  it('has no schemas in the first script of the panel, whose messages the host checks', () => {
    const script = readFileSync(join(folder.path, 'dist/webview/main.js'), 'utf8');
    assert.doesNotMatch(script, /\b_zod\b/);
  });
});

describe('third-party notices', () => {
  let notices: string;
  let unminified: TemporaryFolder;
  before(async () => {
    notices = readFileSync(join(folder.path, 'dist/ThirdPartyNotices.txt'), 'utf8');
    unminified = await TemporaryFolder.create();
    const script = ['esbuild.js', `--folder=${unminified.path}`];
    const code = await runCommand(process.execPath, script, { folder: projectFolder, quiet: true });
    assert.equal(code, 0, 'The build failed.');
  });
  after(() => unminified.dispose());

  it('list every bundled package with its version, and its license or address', () => {
    const packages = packagesOf(unminified.path);
    assert.ok(packages.length > 10, packages.join());
    for (const path of packages) {
      const text = readFileSync(join(path, 'package.json'), 'utf8');
      const { name, version, license: kind } = manifest.parse(JSON.parse(text));
      assert.ok(notices.includes(`\n${name} ${version}\nLicense: `), `${name} ${version}`);
      const licenses = readdirSync(path).filter((file) => /^licen[cs]e/i.test(file));
      const texts = licenses.map((file) => readFileSync(join(path, file), 'utf8'));
      const isWhole = texts.every((license) => notices.includes(plain(license)));
      assert.ok(isWhole || kind === 'CC-BY-4.0', name);
      const notice = notices.slice(notices.indexOf(`\n${name} ${version}\n`));
      assert.match(notice.split('='.repeat(80))[0] ?? '', /permi|licen[cs]e/i, name);
    }
  });

  it('include the icons, whose font has no source map', () => {
    const [, notice = ''] =
      /\n@vscode\/codicons [\d.]+\nLicense: CC-BY-4\.0\n[^]*?\n\n([^]*?)\n={80}\n/.exec(notices) ??
      [];
    assert.match(notice, /^By Microsoft Corporation\.\n/);
    assert.match(
      notice,
      /Creative Commons Attribution 4\.0 International Public License: https:\/\//,
    );
  });

  it('are sorted by name, and reveal nothing about the machine', () => {
    const names = [...notices.matchAll(/={80}\n\n(\S+) /g)].map(([, name]) => name ?? '');
    assert.deepEqual(names, names.toSorted());
    assert.equal(new Set(names).size, names.length);
    for (const path of [projectFolder, homedir(), tmpdir(), 'node_modules'])
      assert.ok(path.length < 2 || !notices.includes(path), path);
  });

  it('fail the build if a license is missing', async () => {
    const bundled = join(unminified.path, 'node_modules/bare');
    await mkdir(bundled, { recursive: true });
    await writeFile(join(bundled, 'package.json'), '{"name":"bare","version":"1.0.0"}');
    await writeFile(join(bundled, 'index.js'), 'console.log(1);');
    const entry = join(unminified.path, 'entry.js');
    await writeFile(entry, "import 'bare/index.js';");
    const building = (): Promise<unknown> =>
      build({
        bundle: true,
        write: false,
        logLevel: 'silent',
        outdir: unminified.path,
        entryPoints: [entry],
        plugins: [thirdPartyNotices(unminified.path)],
      });
    await assert.rejects(building(), /bare has no license file/);
    await writeFile(join(bundled, 'LICENSE'), '\n');
    await assert.rejects(building(), /bare has no license file/);
    await rm(join(bundled, 'LICENSE'));
    // It names authors but grants no rights.
    await writeFile(join(bundled, 'NOTICE.txt'), 'Somebody wrote this.');
    await assert.rejects(building(), /bare has no license file/);
    await writeFile(join(bundled, 'LICENSE'), 'Permission is granted.\r\n');
    await building();
    assert.match(
      readFileSync(join(unminified.path, 'ThirdPartyNotices.txt'), 'utf8'),
      /\nbare 1\.0\.0\n[^]*\n\nPermission is granted\.\n\nSomebody wrote this\.\n/,
    );
  });
});

function modulesOf(script: string): string[] {
  return Array.from(script.matchAll(/\brequire\("([^"]+)"\)/g), ([, name = '']) => name);
}

/** Packages with sources in the scripts and styles of a build, according to the source maps. */
function packagesOf(built: string): readonly string[] {
  const packages = globSync('**/*.map', { cwd: built }).flatMap((file) => {
    const path = join(built, file);
    const { sources } = sourceMap.parse(JSON.parse(readFileSync(path, 'utf8')));
    return sources.flatMap((source) => {
      const absolute = join(dirname(path), source).replaceAll('\\', '/');
      return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(absolute)?.[0] ?? [];
    });
  });
  return [...new Set(packages)];
}

function plain(text: string): string {
  return text
    .replace(/^\u{feff}/u, '')
    .replaceAll('\r\n', '\n')
    .trim();
}
