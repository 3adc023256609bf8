import assert from 'node:assert/strict';
import { ReadableStream } from 'node:stream/web';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { FailedCommands } = await withoutVsCode(
  () => import('../../../../src/host/terminal/failedCommands.ts'),
);
type Execution = Parameters<InstanceType<typeof FailedCommands>['began']>[0];

function execution(command: string, ...chunks: readonly string[]): Execution {
  return {
    commandLine: { value: command },
    read: () => ReadableStream.from(chunks),
  };
}

describe('the last command that failed', () => {
  it('is told with its output as plain text', async () => {
    const failed = new FailedCommands();
    const test = execution('npm test', '\u001b[31mone ', 'failed\u001b[0m\r\n');
    failed.began(test);
    failed.ended(test, 1);
    const expected = { command: 'npm test', exitCode: 1, output: 'one failed' };
    assert.deepEqual(await failed.last(), expected);
  });

  it('stays the last while others succeed or are interrupted', async () => {
    const failed = new FailedCommands();
    for (const [command, code] of [
      ['false', 1],
      ['true', 0],
      ['sleep 9', 130],
      ['odd', undefined],
    ] as const) {
      const one = execution(command);
      failed.began(one);
      failed.ended(one, code);
    }
    assert.equal((await failed.last())?.command, 'false');
  });

  it('is none before one failed, or where its beginning was not seen', async () => {
    const failed = new FailedCommands();
    failed.ended(execution('early'), 1);
    assert.equal(await failed.last(), undefined);
  });

  it('keeps both ends of a long output, at most 64 KB', async () => {
    const failed = new FailedCommands();
    const lines = Array.from({ length: 4000 }, (_, index) => `line ${index} ${'x'.repeat(40)}\r\n`);
    const long = execution('make', ...lines);
    failed.began(long);
    failed.ended(long, 2);
    const output = (await failed.last())?.output ?? '';
    assert.match(output, /^line 0 /);
    assert.match(output, /line 3999 x+$/);
    assert.ok(output.length < 64 * 1024 + 100, String(output.length));
  });
});
