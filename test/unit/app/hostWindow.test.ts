import assert from 'node:assert/strict';
import { background, reportTo } from '../../../src/core/support/background.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';

const fake = `
  export const lines = [];
  const none = { dispose() {} };
  const write = (line) => lines.push(line);
  export const window = {
    createOutputChannel: () => ({ debug: write, info: write, warn: write, error: write }),
  };
  export const workspace = {
    getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
    onDidChangeConfiguration: () => none,
    fs: new Proxy({}, { get: () => () => Promise.reject(new Error('No storage.')) }),
  };
  export const FileType = {};
  export const FileSystemError = class extends Error {};
  export const Uri = { joinPath: (uri) => uri };
  export const env = { language: 'en' };
  export const l10n = { t: (text) => text };
`;

const key = 'sk-canary-0123456789abcdef';

describe('the wiring of the host', () => {
  it('reports errors of work in the background to the log, without keys, in each script', async () => {
    const before = reportTo(() => undefined);
    try {
      const lines = await withFakeVsCode(fake, async () => {
        const { createHostWindow } = await import('../../../src/app/hostWindow.ts');
        const reports: ((error: unknown) => void)[] = [];
        const node = { reportTo: (sink: (error: unknown) => void) => reports.push(sink) };
        const secrets = {
          keys: () => Promise.resolve(['aside.key:https://api.test']),
          get: () => Promise.resolve(key),
          onDidChange: () => ({ dispose: () => undefined }),
        };
        const context = { secrets, globalStorageUri: { scheme: 'memfs' } };
        Reflect.apply(createHostWindow, undefined, [context, node]);
        background(Promise.reject(new Error(`In browser.cjs: ${key}`)));
        for (const reportInNode of reports) reportInNode(new Error(`In node.cjs: ${key}`));
        await new Promise(setImmediate);
        const module: object = await import('vscode');
        const lines: unknown = Reflect.get(module, 'lines');
        assert.ok(Array.isArray(lines));
        return lines.map(String);
      });
      for (const script of ['browser', 'node'])
        assert.ok(
          lines.some((line) => line.includes(`In ${script}.cjs`)),
          lines.join('\n'),
        );
      assert.ok(!lines.join().includes('canary'));
    } finally {
      reportTo(before);
    }
  });
});
