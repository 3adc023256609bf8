import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

/** Bytes; a thousand are one KB. */
const mostOfHost = 180_000;
const mostOfTools = 180_000;
const mostOfAttach = 120_000;
const mostOfActivation = 10_000;
const mostOfView = 200_000;

describe('the scripts, as they are packaged', () => {
  let folder: TemporaryFolder;
  const read = (file: string): string => readFileSync(join(folder.path, file), 'utf8');
  const sizeOf = (files: readonly string[]): number =>
    files.reduce((sum, file) => sum + Buffer.byteLength(read(file)), 0);

  before(async () => {
    folder = await TemporaryFolder.create();
    const build = ['esbuild.js', '--production', `--folder=${folder.path}`];
    const code = await runCommand(process.execPath, build, { folder: projectFolder, quiet: true });
    assert.equal(code, 0, 'The build failed.');
  });
  after(() => folder.dispose());

  it('are small in the extension host', () => {
    const files = ['extension.cjs', ...requiredFiles('aside.cjs', read)];
    assert.ok(sizeOf(files) <= mostOfHost, `${sizeOf(files)} bytes in ${files.join(', ')}`);
    const modules = modulesOf(read('aside.cjs'));
    for (const late of ['tools', 'demo', 'attach', 'code', 'connect'])
      assert.ok(modules.has(`./${late}.cjs`));
  });

  it('are small where something is attached', () => {
    assert.ok(sizeOf(['attach.cjs']) <= mostOfAttach, `${sizeOf(['attach.cjs'])} bytes`);
  });

  it('are small before the first turn with tools', () => {
    const there = requiredFiles('aside.cjs', read);
    const files = requiredFiles('tools.cjs', read).filter((file) => !there.includes(file));
    assert.ok(sizeOf(files) <= mostOfTools, `${sizeOf(files)} bytes in ${files.join(', ')}`);
  });

  it('are almost nothing when the window opens', () => {
    assert.ok(sizeOf(['extension.cjs']) <= mostOfActivation, `${sizeOf(['extension.cjs'])} bytes`);
    assert.deepEqual(modulesOf(read('extension.cjs')), new Set(['vscode', './aside.cjs']));
  });

  it('are small in the view, before a reply needs more', () => {
    const files = startFiles('main.js', (file) => read(join('webview', file)));
    const size = sizeOf(files.map((file) => join('webview', file)));
    assert.ok(size <= mostOfView, `${size} bytes in ${files.join(', ')}`);
  });
});

function modulesOf(script: string): Set<string | undefined> {
  return new Set([...script.matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1]));
}

/** A script of the extension host and those that it shares code with. */
function requiredFiles(file: string, read: (file: string) => string): string[] {
  const shared = [...modulesOf(read(file))].flatMap((name) =>
    name?.startsWith('./shared-') === true ? name.slice('./'.length) : [],
  );
  return [...new Set([file, ...shared.flatMap((other) => requiredFiles(other, read))])];
}

/** A script of the view and those that it cannot start without. */
function startFiles(file: string, read: (file: string) => string): string[] {
  const imports = read(file).matchAll(/\bfrom"\.\/([^"]+)"|\bimport"\.\/([^"]+)"/g);
  const others = [...imports].flatMap(([, from, bare]) => from ?? bare ?? []);
  return [...new Set([file, ...others.flatMap((other) => startFiles(other, read))])];
}
