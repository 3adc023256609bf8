import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../support/paths.ts';
import { markedTexts, markSalt } from '../../build/translations.ts';
import { messageMark, messagesOf } from '../../src/core/support/messageMarks.ts';
import { runCommand } from '../support/runCommand.ts';
import { importsOf, sourceFiles } from '../support/sourceFiles.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { english, languages, translated, type Texts } from '../support/translations.ts';

/** Bytes; a thousand are one KB. */
const mostOfHost = 945_000;
/** What needs Node, and in no case the rest once more. */
const mostOfNode = 15_150;
/** A fifth of it is the order of the translations. */
const mostOfActivation = 19_400;
const mostOfView = 247_600;
/** Bytes of translations for each script of the view, in any language. */
const mostEmbedded = { main: 19_850, tabs: 6100 };
/** Bytes of our sources that run before anything is used, without what comes from packages. */
const mostExecuted = 1_102_000;

/** Modules that run when a window opens. */
const mostAtActivation = 24;

/** Declares the commands that VS Code offers, which is known before any of them is used. */
const declarations = 'core/code/codeCommands.ts';

/**
 * All that is not needed at once is one script, but a module behind an `import()` is executed when
 * it is first imported: what the wiring names in plain imports is all that is executed before.
 */
describe('the script of a browser, which is loaded on first use where there is Node', () => {
  const executed = [...executedWith('app/window.ts')];

  it('executes little before anything is used', () => {
    const size = executed.reduce((sum, file) => sum + Buffer.byteLength(sourceOf(file)), 0);
    assert.ok(size <= mostExecuted, `${size} bytes in ${executed.length} modules`);
  });

  for (const folder of [
    ...['host/approval', 'host/changes', 'host/comments', 'host/commit', 'host/review'],
    ...['host/terminal', 'core/approval', 'core/code', 'core/review', 'core/search'],
    'core/terminal',
  ]) {
    it(`executes nothing of ${folder} before it is used`, () => {
      assert.deepEqual(
        executed.filter((file) => file.startsWith(`${folder}/`) && file !== declarations),
        [],
      );
    });
  }
});

describe('the script of a window, before anything is used', () => {
  it('executes few modules', () => {
    const modules = [...executedWith('extension.ts')];
    assert.ok(modules.length <= mostAtActivation, `${modules.length}: ${modules.join(', ')}`);
  });
});

/** An error of one script would be none of that class in the other. */
describe('the script with what needs Node', () => {
  const shared = [...executedWith('app/platform.ts')].filter(
    (file) => !/^(?:app\/platform\.ts|host\/node\/)/.test(file),
  );

  it('shares no class with the others, and little else', () => {
    assert.deepEqual(
      shared.filter((file) => /^(?:export )?(?:abstract )?class /m.test(sourceOf(file))),
      [],
    );
    assert.ok(shared.length > 0 && shared.length < 10, shared.join(', '));
  });
});

describe('the scripts, as they are packaged', () => {
  let folder: TemporaryFolder;
  const read = (file: string): string => readFileSync(join(folder.path, file), 'utf8');
  const sizeOf = (files: readonly string[]): number =>
    files.reduce((sum, file) => sum + Buffer.byteLength(read(file)), 0);

  before(async () => {
    folder = await TemporaryFolder.create();
    const build = ['build/build.ts', '--production', `--folder=${folder.path}`];
    const code = await runCommand(process.execPath, build, { folder: projectFolder, quiet: true });
    assert.equal(code, 0, 'The build failed.');
  });
  after(() => folder.dispose());

  it('are small in the extension host', () => {
    assert.ok(sizeOf(['browser.cjs']) <= mostOfHost, `${sizeOf(['browser.cjs'])} bytes`);
    assert.ok(sizeOf(['node.cjs']) <= mostOfNode, `${sizeOf(['node.cjs'])} bytes`);
  });

  it('are one in a browser, which needs nothing but VS Code', () => {
    const manifest = readFileSync(join(projectFolder, 'package.json'), 'utf8');
    assert.match(manifest, /"browser": "\.\/dist\/browser\.cjs"/);
    assert.deepEqual(modulesOf(read('browser.cjs')), new Set(['vscode']));
    assert.doesNotMatch(read('browser.cjs'), /(?<![\w.$-])(?:Buffer|process|setImmediate)[.(]/);
  });

  it('are almost nothing when the window opens', () => {
    assert.ok(sizeOf(['extension.cjs']) <= mostOfActivation, `${sizeOf(['extension.cjs'])} bytes`);
    const loaded = new Set(['vscode', './browser.cjs', './node.cjs']);
    assert.deepEqual(modulesOf(read('extension.cjs')), loaded);
  });

  it('have a single way to the network, whatever packages contain', () => {
    const scripts = globSync('**/*.{cjs,js}', { cwd: folder.path });
    assert.ok(scripts.length > 10);
    for (const file of scripts) {
      const text = read(file);
      assert.deepEqual(text.match(outlets) ?? [], [], file);
      const modules = [...modulesOf(text)].map((name = '') => name.replace(/^node:/, ''));
      assert.deepEqual(
        modules.filter((name) => networkModules.includes(name)),
        [],
        file,
      );
      // In the view it is one of @vscode/l10n that nothing calls, and the page may connect to nothing.
      const calls = text.match(/(?<![\w.$])fetch\(/g) ?? [];
      assert.ok(calls.length <= 1, `${file}: ${calls.length}`);
      assert.doesNotMatch(text, /\b(?:OPENAI|ANTHROPIC)_[A-Z]/, file);
    }
  });

  // In a webview each script costs a trip through a service worker and VS Code's window.
  for (const page of ['main', 'tabs'])
    it(`are one in the view until first use: ${page}`, () => {
      assert.deepEqual(
        startFiles(`${page}.js`, (file) => read(join('webview', file))),
        [`${page}.js`],
      );
    });

  it('are small in the view, before a reply needs more', () => {
    const files = startFiles('main.js', (file) => read(join('webview', file)));
    const size = sizeOf(files.map((file) => join('webview', file)));
    assert.ok(size <= mostOfView, `${size} bytes in ${files.join(', ')}`);
  });

  for (const [page, most] of Object.entries(mostEmbedded)) {
    it(`get the translations that they use, and few others: ${page}`, () => {
      const marks = new RegExp(`\\b${page}:"([\\w-]+)"`).exec(read('extension.cjs'))?.[1] ?? '';
      const files = startFiles(`${page}.js`, (file) => read(join('webview', file)), true);
      const script = files.map((file) => read(join('webview', file))).join('\n');
      const said = Object.keys(english.messages).filter((text) => says(script, text));
      assert.ok(said.length > 20);
      for (const language of languages) {
        const messages = markedTexts(translated(language).messages);
        const embedded = messagesOf(marks, messages);
        assert.deepEqual(
          said.filter((text) => embedded[messageMark(text, markSalt)] === undefined),
          [],
        );
        const size = Buffer.byteLength(JSON.stringify(embedded));
        assert.ok(size <= most, `${language}: ${size} of ${sizeOfTexts(messages)} bytes`);
      }
    });
  }
});

/** Whether a script calls for a message, whatever its quotation marks. */
function says(script: string, message: string): boolean {
  const written = JSON.stringify(message).slice(1, -1);
  return ['"', "'", '`'].some((mark) => {
    const inside =
      mark === '"' ? written : written.replaceAll('\\"', '"').replaceAll(mark, `\\${mark}`);
    return script.includes(`(${mark}${inside}${mark}`);
  });
}

function sizeOfTexts(texts: Texts): number {
  return Buffer.byteLength(JSON.stringify(texts));
}

/** What listens on a port, or talks to others beside `fetch` (threats: T12, T40, T42). */
const networkModules = 'net tls http https http2 dgram dns dns/promises inspector cluster'.split(
  ' ',
);
const outlets =
  /\b(?:XMLHttpRequest|WebSocket|EventSource|sendBeacon|RTCPeerConnection|WebTransport|importScripts|createServer|createTelemetryLogger|isTelemetryEnabled|onDidChangeTelemetryEnabled|sendTelemetryEvent|registerUriHandler|asExternalUri)\b/g;

describe('data that leaves the extension', () => {
  const withoutComments = (file: string): string =>
    sourceOf(file).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const uses = (pattern: RegExp): readonly string[] =>
    sourceFiles.flatMap((file) =>
      Array.from(withoutComments(file).matchAll(pattern), ([match]) => `${file}: ${match}`),
    );

  it('goes through the single function that sends requests to the service', () => {
    const senders = new Set(uses(/(?<![\w.])fetch\(/g));
    // The second one is the `fetch` of the first in a browser.
    const files = ['core/service/transport.ts', 'core/service/browserFetch.ts'];
    assert.deepEqual(senders, new Set(files.map((file) => `${file}: fetch(`)));
  });

  it('takes no other way: no telemetry, no server, no URI handler', () => {
    assert.deepEqual(uses(outlets), []);
    const modules = sourceFiles.flatMap((file) =>
      importsOf(file, sourceOf(file)).filter((name) =>
        networkModules.includes(name.replace(/^node:/, '')),
      ),
    );
    assert.deepEqual(modules, []);
  });

  it('starts no task, debugger or test that a workspace names', () => {
    const starters =
      /\b(?:executeTask|startDebugging|registerTaskProvider|registerDebugConfigurationProvider)\b|workbench\.action\.(?:tasks|debug)\.|testing\.(?:run|debug)\w*/g;
    assert.deepEqual(uses(starters), []);
  });

  it('depends on no environment variable', () => {
    const read = new Set(uses(/\bprocess\s*\.\s*env\b(?:\['\w+'\]|\.\w+)?/g));
    assert.deepEqual(
      read,
      new Set([
        // Git finds its settings by it.
        'host/node/gitProcess.ts: process.env',
        // VS Code tells only the name of Git on Linux.
        "host/node/gitReader.ts: process.env['PATH']",
        "host/node/processTree.ts: process.env['SystemRoot']",
        "host/node/ripgrepRun.ts: process.env['SystemRoot']",
      ]),
    );
    assert.deepEqual(uses(/['"`/]\.env['"`]/g), []);
  });
});

function modulesOf(script: string): Set<string | undefined> {
  return new Set([...script.matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1]));
}

/** A script of the view and those that it cannot start without, or also those that it loads later. */
function startFiles(file: string, read: (file: string) => string, later = false): string[] {
  const reached = new Set([file]);
  for (const script of reached) {
    const imports = read(script).matchAll(
      /\bfrom"\.\/([^"]+)"|\bimport"\.\/([^"]+)"|\bimport\("\.\/([^"]+)"\)/g,
    );
    for (const [, from, bare, lazy] of imports) {
      const other = from ?? bare ?? (later ? lazy : undefined);
      if (other !== undefined) reached.add(other);
    }
  }
  return [...reached];
}

function sourceOf(file: string): string {
  return readFileSync(join(projectFolder, 'src', file), 'utf8');
}

/** The modules of `src` that are executed with one of them: imports of types are none. */
function executedWith(file: string, modules = new Set<string>()): Set<string> {
  if (modules.has(file) || !file.endsWith('.ts')) return modules;
  modules.add(file);
  // What TypeScript leaves of a module has no imports of types.
  const { outputText } = ts.transpileModule(sourceOf(file), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  for (const [, path = ''] of outputText.matchAll(/^import [^;]*?['"](\.[^'"]+)['"];/gm)) {
    executedWith(posix.join(posix.dirname(file), path), modules);
  }
  return modules;
}
