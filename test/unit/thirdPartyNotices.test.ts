import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod/mini';
import { noticeOf, thirdPartyNotices } from '../../build/thirdPartyNotices.ts';
import { projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

const sourceMap = z.object({ sources: z.array(z.string()) });
const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Folder of a file's package, the innermost if packages are nested. */
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Packages with sources in the scripts and styles of a build, according to the source maps. */
function packagesOf(folder: string): readonly string[] {
  const packages = globSync('**/*.map', { cwd: folder }).flatMap((file) => {
    const path = join(folder, file);
    const { sources } = sourceMap.parse(JSON.parse(readFileSync(path, 'utf8')));
    return sources.flatMap((source) => {
      const absolute = join(dirname(path), source).replaceAll('\\', '/');
      return packageFolder.exec(absolute)?.[0] ?? [];
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

describe('third-party notices', () => {
  let folder: TemporaryFolder;
  let notices: string;
  before(async () => {
    folder = await TemporaryFolder.create();
    const script = ['build/build.ts', `--folder=${folder.path}`];
    const code = await runCommand(process.execPath, script, { folder: projectFolder, quiet: true });
    assert.equal(code, 0, 'The build failed.');
    notices = readFileSync(join(folder.path, 'ThirdPartyNotices.txt'), 'utf8');
  });
  after(() => folder.dispose());

  it('list every bundled package with its version, and its license or address', () => {
    const packages = packagesOf(folder.path);
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
    assert.ok(readdirSync(join(folder.path, 'webview')).includes('codicon.woff2'));
    assert.match(notices, /\n@vscode\/codicons [\d.]+\nLicense: CC-BY-4\.0\n/);
    const [, notice = ''] = /\n@vscode\/codicons [^]*?\n\n([^]*?)\n={80}\n/.exec(notices) ?? [];
    assert.match(notice, /^By Microsoft Corporation\.\n/);
    assert.match(
      notice,
      /Creative Commons Attribution 4\.0 International Public License: https:\/\//,
    );
    assert.match(notices, /icon font has only the icons that Aside shows/);
  });

  it('exclude packages that are not bundled', () => {
    for (const name of ['typescript', 'openai', 'esbuild']) {
      assert.ok(!notices.includes(`\n${name} `), name);
    }
  });

  it('are sorted by name, and reveal nothing about the machine', () => {
    const names = [...notices.matchAll(/={80}\n\n(\S+) /g)].map(([, name]) => name ?? '');
    assert.deepEqual(names, names.toSorted());
    assert.equal(new Set(names).size, names.length);
    for (const path of [projectFolder, homedir(), tmpdir(), 'node_modules']) {
      assert.ok(path.length < 2 || !notices.includes(path), path);
    }
  });

  it("can't be created for a package without a license", async () => {
    const path = join(folder.path, 'node_modules/nothing');
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'package.json'), '{"name":"nothing","version":"1.0.0"}');
    await assert.rejects(noticeOf(path), /nothing has no license file/);
    await writeFile(join(path, 'NOTICE.txt'), 'Somebody wrote this.');
    await assert.rejects(noticeOf(path), /nothing has no license file/);
    await writeFile(join(path, 'LICENCE-MIT.md'), 'Permission is granted.\r\n');
    assert.match(
      (await noticeOf(path)).text,
      /^nothing 1\.0\.0\n[^]*\n\nPermission is granted\.\n\nSomebody wrote this\.\n$/,
    );
  });

  it('fail the build if a license is missing', async () => {
    const bundled = join(folder.path, 'node_modules/bare');
    await mkdir(bundled, { recursive: true });
    await writeFile(join(bundled, 'package.json'), '{"name":"bare","version":"1.0.0"}');
    await writeFile(join(bundled, 'index.js'), 'console.log(1);');
    await writeFile(join(bundled, 'LICENSE'), '\n');
    const entry = join(folder.path, 'entry.js');
    await writeFile(entry, "import 'bare/index.js';");
    const options = {
      bundle: true,
      write: false,
      logLevel: 'silent',
      outdir: folder.path,
    } as const;
    const building = (): Promise<unknown> =>
      build({ ...options, entryPoints: [entry], plugins: [thirdPartyNotices(folder.path)] });
    await assert.rejects(building(), /bare has no license file/);
    await writeFile(join(bundled, 'LICENSE'), 'Permission is granted.');
    await building();
  });
});
