import assert from 'node:assert/strict';
import { Queue } from '../../../../src/core/support/async.ts';
import type { ShellExecution } from '../../../../src/host/tools/commandTerminals.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { ShellCommand } = await withoutVsCode(
  () => import('../../../../src/host/tools/commandTerminals.ts'),
);

class FakeExecution implements ShellExecution {
  readonly output = new Queue<string>();

  read(): AsyncIterable<string> {
    return this.output.read();
  }
}

function start(text: string) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const execution = new FakeExecution();
  const integration = {
    executeCommand(command: string) {
      sent.push(command);
      return execution;
    },
  };
  const command = new ShellCommand(text, integration, clock);
  const state: { end: unknown } = { end: undefined };
  void command.ended.then((end) => (state.end = end));
  return { clock, sent, execution, command, state };
}

async function read({ output }: ReturnType<typeof start>['command']): Promise<string> {
  let text = '';
  for await (const chunk of output) text += chunk;
  return text;
}

describe('ShellCommand', () => {
  it('sends the exact text, once', () => {
    const text = 'echo "a  b" \\\n  && x';
    assert.deepEqual(start(text).sent, [text]);
  });

  it('ends with the exit code, after all of its output', async () => {
    const { clock, execution, command, state } = start('ls');
    command.began(execution);
    execution.output.push('a');
    command.finished(execution, 3);
    await clock.advance(100);
    assert.equal(state.end, undefined, 'Its output goes on.');
    execution.output.push('b');
    execution.output.end();
    await clock.advance(0);
    assert.deepEqual(state.end, { type: 'exit', code: 3 });
    assert.equal(await read(command), 'ab');
  });

  it('does not wait forever for endless output', async () => {
    const { clock, execution, command, state } = start('ls');
    command.finished(execution, 0);
    await clock.advance(500);
    assert.deepEqual(state.end, { type: 'exit', code: 0 });
  });

  it('recognizes its command with another text', async () => {
    const { clock, command, state } = start('ls && true');
    const other = new FakeExecution();
    command.began(other);
    other.output.push('a');
    other.output.end();
    command.finished(other, 0);
    await clock.advance(500);
    assert.deepEqual(state.end, { type: 'exit', code: 0 });
    assert.equal(await read(command), 'a');
  });

  it('is not ended by a command that ended before', async () => {
    const { clock, command, state } = start('ls');
    command.finished(new FakeExecution(), 0);
    await clock.advance(1000);
    assert.equal(state.end, undefined);
  });

  it('waits for the last of several lines', async () => {
    const { clock, command, state } = start('ls\npwd');
    for (const line of ['ls', 'pwd']) {
      const execution = new FakeExecution();
      command.began(execution);
      execution.output.push(line);
      execution.output.end();
      command.finished(execution, 0);
      await clock.advance(900);
      assert.equal(state.end, undefined);
    }
    await clock.advance(600);
    assert.deepEqual(state.end, { type: 'exit', code: 0 });
    assert.equal(await read(command), 'lspwd');
  });

  it('ends when its terminal is closed', async () => {
    const { clock, command, state } = start('ls');
    command.closed();
    await clock.advance(500);
    assert.deepEqual(state.end, { type: 'closed' });
  });
});
