import assert from 'node:assert/strict';
import { ReadableStream } from 'node:stream/web';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { copyFromTerminal, TerminalCommands } = await withoutVsCode(
  () => import('../../../../src/host/tools/terminalCommands.ts'),
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

class FakeClipboard {
  readonly writes: string[] = [];
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  readText(): Promise<string> {
    return Promise.resolve(this.text);
  }

  writeText(text: string): Promise<void> {
    this.text = text;
    this.writes.push(text);
    return Promise.resolve();
  }
}

/** Copies as VS Code does: nothing if nothing is selected. */
function copyCommand(clipboard: FakeClipboard, selected: string): () => Promise<void> {
  return () => {
    if (selected !== '') clipboard.text = selected;
    return Promise.resolve();
  };
}

describe('the selection of a terminal', () => {
  it("is found if it equals the clipboard's text", async () => {
    const clipboard = new FakeClipboard('error: 1');
    const copy = copyCommand(clipboard, 'error: 1');
    assert.equal(await copyFromTerminal(copy, clipboard), 'error: 1');
    assert.equal(clipboard.text, 'error: 1');
  });

  it("doesn't change a clipboard without text, which may contain an image", async () => {
    const clipboard = new FakeClipboard('');
    assert.equal(await copyFromTerminal(copyCommand(clipboard, ''), clipboard), '');
    assert.deepEqual(clipboard.writes, []);
  });

  it('restores the text even if copying fails', async () => {
    const clipboard = new FakeClipboard('mine');
    const copy = (): Promise<never> => Promise.reject(new Error('no terminal'));
    await assert.rejects(copyFromTerminal(copy, clipboard), /no terminal/);
    assert.equal(clipboard.text, 'mine');
  });
});
