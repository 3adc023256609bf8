import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import ts from 'typescript';
import { projectFolder } from '../support/paths.ts';
import { markedTexts, markSalt } from '../../build/translations.ts';
import { messageMark, messagesOf } from '../../src/core/support/messageMarks.ts';
import { runCommand } from '../support/runCommand.ts';
import { importsOf, sourceFiles } from '../support/sourceFiles.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { english, languages, translated, type Texts } from '../support/translations.ts';

/** Bytes; 1 KB is 1,000 bytes. */
const maxHostSize = 945_000;
/** Only modules that need Node, without copies of others. */
const maxNodeSize = 15_150;
/** A fifth of it is the order of the translations. */
const maxActivationSize = 19_600;
const maxViewSize = 111_500;
/** What it loads at once after that, for the first turn. */
const maxTurnSize = 137_500;
/** Bytes of embedded translations in each script of the view, for every language. */
const maxEmbeddedSizes = { main: 19_850, tabs: 6100 };
/** Bytes of our sources that run at startup, without packages. */
const maxExecutedSize = 1_102_000;

/** Number of modules that run when a window opens. */
const maxActivationModules = 24;

/** Declares VS Code's commands, which must be known before any of them runs. */
const declarations = 'core/code/codeCommands.ts';

/**
 * Everything that isn't needed at startup is in one script, but a module behind an `import()` is
 * executed only when it is first imported. Startup executes the static imports of the wiring.
 */
describe('the main script, loaded at once in a browser and on first use with Node', () => {
  const executed = [...executedWith('app/window.ts')];

  it('executes little at startup', () => {
    const size = executed.reduce((sum, file) => sum + Buffer.byteLength(sourceOf(file)), 0);
    assert.ok(size <= maxExecutedSize, `${size} bytes in ${executed.length} modules`);
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

describe('the script that a window loads', () => {
  it('executes few modules at startup', () => {
    const modules = [...executedWith('extension.ts')];
    assert.ok(modules.length <= maxActivationModules, `${modules.length}: ${modules.join(', ')}`);
  });
});

/** An error class that existed in both scripts would fail `instanceof` checks. */
describe('the script for Node', () => {
  const shared = [...executedWith('app/platform.ts')].filter(
    (file) => !/^(?:app\/platform\.ts|host\/node\/)/.test(file),
  );

  it('shares no class and few modules with the others', () => {
    assert.deepEqual(
      shared.filter((file) => /^(?:export )?(?:abstract )?class /m.test(sourceOf(file))),
      [],
    );
    assert.ok(shared.length > 0 && shared.length < 10, shared.join(', '));
  });
});

describe('packaged scripts', () => {
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
    assert.ok(sizeOf(['browser.cjs']) <= maxHostSize, `${sizeOf(['browser.cjs'])} bytes`);
    assert.ok(sizeOf(['node.cjs']) <= maxNodeSize, `${sizeOf(['node.cjs'])} bytes`);
  });

  it('are a single one in a browser, which imports only VS Code', () => {
    const manifest = readFileSync(join(projectFolder, 'package.json'), 'utf8');
    assert.match(manifest, /"browser": "\.\/dist\/browser\.cjs"/);
    assert.deepEqual(modulesOf(read('browser.cjs')), new Set(['vscode']));
    assert.doesNotMatch(read('browser.cjs'), /(?<![\w.$-])(?:Buffer|process|setImmediate)[.(]/);
  });

  it('are tiny when the window opens', () => {
    assert.ok(sizeOf(['extension.cjs']) <= maxActivationSize, `${sizeOf(['extension.cjs'])} bytes`);
    const loaded = new Set(['vscode', 'node:fs', './browser.cjs', './node.cjs']);
    assert.deepEqual(modulesOf(read('extension.cjs')), loaded);
  });

  it('access the network in a single way, whatever packages contain', () => {
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
      // The view has one in @vscode/l10n that nothing calls, and its page may not connect anywhere.
      const calls = text.match(/(?<![\w.$])fetch\(/g) ?? [];
      assert.ok(calls.length <= 1, `${file}: ${calls.length}`);
      assert.doesNotMatch(text, /\b(?:OPENAI|ANTHROPIC)_[A-Z]/, file);
    }
  });

  // In a webview each script costs a trip through a service worker and VS Code's window.
  for (const page of ['main', 'tabs'])
    it(`are a single one in the view until first use: ${page}`, () => {
      assert.deepEqual(
        startFiles(`${page}.js`, (file) => read(join('webview', file))),
        [`${page}.js`],
      );
    });

  it('can be written into the HTML of a page', () => {
    for (const page of ['main', 'tabs']) {
      assert.doesNotMatch(read(join('webview', `${page}.js`)), /<\/?script/i, page);
      assert.doesNotMatch(read(join('webview', `${page}.css`)), /<\/style/i, page);
    }
  });

  it('import no script of a page, which would run it a second time', () => {
    for (const file of globSync('webview/*.js', { cwd: folder.path }))
      assert.doesNotMatch(read(file), /\b(?:from|import)\(?"\.\/(?:main|tabs)\.js"/, file);
  });

  it('are small in the view of an empty chat', () => {
    const size = sizeOf([join('webview', 'main.js')]);
    assert.ok(size <= maxViewSize, `${size} bytes`);
  });

  it('are one more in the view of a chat with turns, until a reply needs more', () => {
    const [file = '', ...others] = globSync('webview/main-turnList-*.js', { cwd: folder.path });
    assert.deepEqual(others, []);
    const name = basename(file);
    assert.deepEqual(
      startFiles(name, (other) => read(join('webview', other))),
      [name],
    );
    assert.ok(sizeOf([file]) <= maxTurnSize, `${sizeOf([file])} bytes`);
  });

  for (const [page, maxSize] of Object.entries(maxEmbeddedSizes)) {
    it(`embed the translations that they use, and few others: ${page}`, () => {
      const marks = new RegExp(`\\b${page}:"([\\w-]+)"`).exec(read('extension.cjs'))?.[1] ?? '';
      const files = startFiles(`${page}.js`, (file) => read(join('webview', file)), true);
      const script = files.map((file) => read(join('webview', file))).join('\n');
      const used = Object.keys(english.messages).filter((text) => requests(script, text));
      assert.ok(used.length > 20);
      for (const language of languages) {
        const messages = markedTexts(translated(language).messages);
        const embedded = messagesOf(marks, messages);
        assert.deepEqual(
          used.filter((text) => embedded[messageMark(text, markSalt)] === undefined),
          [],
        );
        const size = Buffer.byteLength(JSON.stringify(embedded));
        assert.ok(size <= maxSize, `${language}: ${size} of ${sizeOfTexts(messages)} bytes`);
      }
    });
  }
});

/** True if a script requests a message, with any quotation marks. */
function requests(script: string, message: string): boolean {
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

/** Modules that listen on a port or open connections without `fetch` (threats: T12, T40, T42). */
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
    // In a browser, the second one is the `fetch` of the first.
    const files = ['core/service/transport.ts', 'core/service/browserFetch.ts'];
    assert.deepEqual(senders, new Set(files.map((file) => `${file}: fetch(`)));
  });

  it('leaves in no other way: no telemetry, no server, no URI handler', () => {
    assert.deepEqual(uses(outlets), []);
    const modules = sourceFiles.flatMap((file) =>
      importsOf(file, sourceOf(file)).filter((name) =>
        networkModules.includes(name.replace(/^node:/, '')),
      ),
    );
    assert.deepEqual(modules, []);
  });

  it('starts no task, debugger or test of the workspace', () => {
    const starters =
      /\b(?:executeTask|startDebugging|registerTaskProvider|registerDebugConfigurationProvider)\b|workbench\.action\.(?:tasks|debug)\.|testing\.(?:run|debug)\w*/g;
    assert.deepEqual(uses(starters), []);
  });

  it("doesn't depend on environment variables", () => {
    const read = new Set(uses(/\bprocess\s*\.\s*env\b(?:\['\w+'\]|\.\w+)?/g));
    assert.deepEqual(
      read,
      new Set([
        // Git uses it to find its configuration.
        'host/node/gitProcess.ts: process.env',
        // VS Code reports only the name of Git on Linux.
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

/** A script of the view and those that it can't start without, or also those that it loads later. */
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

/** Modules of `src` that a module executes. Type imports don't count. */
function executedWith(file: string, modules = new Set<string>()): Set<string> {
  if (modules.has(file) || !file.endsWith('.ts')) return modules;
  modules.add(file);
  // The transpiled module has no type imports.
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
