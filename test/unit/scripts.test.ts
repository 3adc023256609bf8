import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

/** Bytes; a thousand are one KB. */
const mostOfHost = 452_000;
const mostOfActivation = 10_000;
const mostOfView = 210_000;
/** Bytes of our sources that run before anything is used, without what comes from packages. */
const mostExecuted = 470_000;

/** Declares the commands that VS Code offers, which is known before any of them is used. */
const declarations = 'core/code/codeCommands.ts';

/**
 * All that is not needed at once is one script, but a module behind an `import()` is executed when
 * it is first imported: what the wiring names in plain imports is all that is executed before.
 */
describe('the lazy script', () => {
  const executed = [...executedWith('main/main.ts')];

  it('executes little before anything is used', () => {
    const size = executed.reduce((sum, file) => sum + Buffer.byteLength(sourceOf(file)), 0);
    assert.ok(size <= mostExecuted, `${size} bytes in ${executed.length} modules`);
  });

  for (const folder of [
    ...['host/approval', 'host/changes', 'host/commit', 'host/inlineEdit', 'host/terminal'],
    ...['core/approval', 'core/code', 'core/search', 'core/terminal'],
  ]) {
    it(`executes nothing of ${folder} before it is used`, () => {
      assert.deepEqual(
        executed.filter((file) => file.startsWith(`${folder}/`) && file !== declarations),
        [],
      );
    });
  }
});

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
    assert.ok(sizeOf(['lazy.cjs']) <= mostOfHost, `${sizeOf(['lazy.cjs'])} bytes`);
  });

  it('are almost nothing when the window opens', () => {
    assert.ok(sizeOf(['extension.cjs']) <= mostOfActivation, `${sizeOf(['extension.cjs'])} bytes`);
    assert.deepEqual(modulesOf(read('extension.cjs')), new Set(['vscode', './lazy.cjs']));
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

/** A script of the view and those that it cannot start without. */
function startFiles(file: string, read: (file: string) => string): string[] {
  const imports = read(file).matchAll(/\bfrom"\.\/([^"]+)"|\bimport"\.\/([^"]+)"/g);
  const others = [...imports].flatMap(([, from, bare]) => from ?? bare ?? []);
  return [...new Set([file, ...others.flatMap((other) => startFiles(other, read))])];
}

function sourceOf(file: string): string {
  return readFileSync(join(projectFolder, 'src', file), 'utf8');
}

/** The modules of `src` that are executed with one of them: imports of types are none. */
function executedWith(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !file.endsWith('.ts')) return found;
  found.add(file);
  // What TypeScript leaves of a module has no imports of types.
  const { outputText } = ts.transpileModule(sourceOf(file), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  for (const [, path = ''] of outputText.matchAll(/^import [^;]*?['"](\.[^'"]+)['"];/gm)) {
    executedWith(posix.join(posix.dirname(file), path), found);
  }
  return found;
}
