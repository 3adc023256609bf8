import assert from 'node:assert/strict';
import { importsOf, readSource, sourceFiles } from '../support/sourceFiles.ts';
import { networkModules, outlets } from '../support/outlets.ts';

describe('data that leaves the extension', () => {
  const withoutComments = (file: string): string =>
    readSource(file).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
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
      importsOf(file, readSource(file)).filter((name) =>
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
        'host/node/gitReader.ts: process.env',
        // VS Code reports only the name of Git on Linux.
        "host/node/gitReader.ts: process.env['PATH']",
        "host/node/processTree.ts: process.env['SystemRoot']",
        "host/node/ripgrepRun.ts: process.env['SystemRoot']",
      ]),
    );
    assert.deepEqual(uses(/['"`/]\.env['"`]/g), []);
  });
});
