import assert from 'node:assert/strict';
import { ReadableStream } from 'node:stream/web';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { TerminalCommands } = await withoutVsCode(
  () => import('../../../../src/host/terminal/terminalCommands.ts'),
);
type Execution = Parameters<InstanceType<typeof TerminalCommands>['began']>[0];

function execution(command: string, ...chunks: readonly string[]): Execution {
  return {
    commandLine: { value: command },
    read: () => ReadableStream.from(chunks),
  };
}

describe('the last command', () => {
  it('is that of the terminal, or the latest of all terminals', async () => {
    const commands = new TerminalCommands();
    const [first, second, unused] = [{ name: 'bash' }, { name: 'bash' }, { name: 'bash' }];
    commands.began(execution('first'), first);
    commands.began(execution('second'), second);
    assert.equal((await commands.last(first))?.command, 'first');
    assert.equal((await commands.last(second))?.command, 'second');
    assert.equal((await commands.last())?.command, 'second');
    assert.equal(await commands.last(unused), undefined);
  });

  it('is known while it runs, and with its exit code', async () => {
    const commands = new TerminalCommands();
    const build = execution('make', 'built\r\n');
    commands.began(build);
    const running = { command: 'make', exitCode: undefined, isRunning: true, output: 'built' };
    assert.deepEqual(await commands.last(), running);
    commands.ended(build, 0);
    assert.deepEqual(await commands.last(), { ...running, exitCode: 0, isRunning: false });
  });

  it('includes its output as plain text', async () => {
    const commands = new TerminalCommands();
    const test = execution('npm test', '\u001b[31mone ', 'failed\u001b[0m\r\n');
    commands.began(test);
    commands.ended(test, 1);
    const expected = { command: 'npm test', exitCode: 1, isRunning: false, output: 'one failed' };
    assert.deepEqual(await commands.last(), expected);
  });

  it('keeps both ends of a long output, at most 64 KB', async () => {
    const commands = new TerminalCommands();
    const lines = Array.from({ length: 4000 }, (_, index) => `line ${index} ${'x'.repeat(40)}\r\n`);
    const long = execution('make', ...lines);
    commands.began(long);
    commands.ended(long, 2);
    const output = (await commands.last())?.output ?? '';
    assert.match(output, /^line 0 /);
    assert.match(output, /line 3999 x+$/);
    assert.ok(output.length < 64 * 1024 + 100, String(output.length));
  });
});
