import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Queue } from '../../../../src/core/support/async.ts';
import {
  backgroundWait,
  followCommand,
  interruptGrace,
  type CommandEnd,
  type RunningCommand,
} from '../../../../src/core/tools/followCommand.ts';
import type { RunningProcess } from '../../../../src/core/conversation/conversation.ts';
import { maxResultLength } from '../../../../src/core/tools/toolbox.ts';
import { keptBytes } from '../../../support/keptBytes.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';

/** A command whose output and end the test controls. */
class FakeCommand implements RunningCommand {
  readonly #output = new Queue<string>();
  #resolve: (end: CommandEnd) => void = () => undefined;
  readonly output = this.#output.read();
  readonly ended = new Promise<CommandEnd>((resolve) => (this.#resolve = resolve));
  readonly calls: string[] = [];
  #obeys: boolean;

  /** @param obeys true if it ends at Ctrl+C */
  constructor(obeys = true) {
    this.#obeys = obeys;
  }

  readonly interrupt = (): void => {
    this.calls.push('interrupt');
    if (this.#obeys) this.end({ type: 'exit', code: 130 });
  };

  readonly kill = (): Promise<void> => {
    this.calls.push('kill');
    this.end({ type: 'closed' });
    return Promise.resolve();
  };

  left: readonly RunningProcess[] = [];
  readonly leftRunning = (): Promise<readonly RunningProcess[]> => Promise.resolve(this.left);

  print(text: string): void {
    this.#output.push(text);
  }

  end(end: CommandEnd): void {
    this.#output.end();
    this.#resolve(end);
  }
}

function follow(
  command: FakeCommand,
  options: {
    readonly background?: boolean;
    readonly limit?: number;
    readonly isStopped?: boolean;
  } = {},
) {
  const clock = new ManualClock();
  const abort = new AbortController();
  const printed: string[] = [];
  const left: RunningProcess[] = [];
  const context = { signal: abort.signal, print: (text: string) => printed.push(text) };
  const { background = false, limit, isStopped = false } = options;
  if (isStopped) abort.abort();
  const result = followCommand(command, {
    clock,
    context,
    background,
    limit,
    onLeftRunning: (processes) => left.push(...processes),
  });
  result.catch(() => undefined);
  return { clock, abort, result, left, printed: () => printed.join('') };
}

describe('followCommand', () => {
  it('reports exit code, time and output, and prints output as it arrives', async () => {
    const command = new FakeCommand();
    const { clock, result, printed } = follow(command);
    command.print('\x1b[31mone\r\ntw');
    await clock.advance(1500);
    assert.equal(printed(), 'one\n');
    command.print('o');
    command.end({ type: 'exit', code: 2 });
    assert.equal(await result, 'Exit code 2, after 1.5 s.\none\ntwo');
    assert.equal(printed(), 'one\ntwo');
    assert.deepEqual(clock.waits, []);
  });

  it('reports empty output and an unknown exit code', async () => {
    const command = new FakeCommand();
    const { result } = follow(command);
    command.end({ type: 'exit', code: undefined });
    assert.equal(await result, 'Ended, exit code unknown, after 0.0 s. It printed nothing.');
  });

  it('fails with the output so far if the terminal was closed', async () => {
    const command = new FakeCommand();
    const { result } = follow(command);
    command.print('half\r\n');
    command.end({ type: 'closed' });
    await assert.rejects(result, {
      name: 'ToolError',
      message: 'Its terminal was closed.\nhalf\n',
    });
  });

  it("doesn't follow a command in the background", async () => {
    const command = new FakeCommand();
    const { clock, result, printed, abort } = follow(command, { background: true });
    command.print('listening\r\n');
    await clock.advance(backgroundWait);
    assert.match(await result, /^It is still running in the terminal “Aside”.*\nlistening\n$/);
    command.print('later\r\n');
    await setImmediate();
    abort.abort();
    assert.equal(printed(), 'listening\n');
    assert.deepEqual(command.calls, []);
  });

  it('does not wait for the end of a command in the background', async () => {
    const command = new FakeCommand();
    const { result } = follow(command, { background: true });
    command.end({ type: 'exit', code: 1 });
    assert.match(await result, /^Exit code 1/);
  });

  it('presses Ctrl+C at Stop', async () => {
    const command = new FakeCommand();
    const { abort, result, printed } = follow(command);
    abort.abort();
    command.print('not shown\r\n');
    await assert.rejects(result, { name: 'AbortError' });
    assert.deepEqual(command.calls, ['interrupt']);
    assert.equal(printed(), '');
  });

  it("kills a command that doesn't react to Ctrl+C", async () => {
    const command = new FakeCommand(false);
    const { abort, result, clock } = follow(command);
    abort.abort();
    await clock.advance(interruptGrace - 1);
    assert.deepEqual(command.calls, ['interrupt']);
    await clock.advance(1);
    await assert.rejects(result, { name: 'AbortError' });
    assert.deepEqual(command.calls, ['interrupt', 'kill']);
  });

  it('names in the result what it left running, and tells the person, also after Stop', async () => {
    const process = (id: number): RunningProcess => ({ id, started: '', name: 'sleep 9' });
    const ended = new FakeCommand();
    ended.left = [process(7)];
    const first = follow(ended);
    ended.end({ type: 'exit', code: 0 });
    const expected =
      'Exit code 0, after 0.0 s. It left running: sleep 9 (process 7). It printed nothing.';
    assert.equal(await first.result, expected);
    assert.deepEqual(first.left, [process(7)]);

    const many = new FakeCommand();
    many.left = Array.from({ length: 10 }, (_, index) => process(index));
    const second = follow(many);
    many.end({ type: 'exit', code: 0 });
    assert.match(await second.result, /\(process 7\) and 2 more\./);

    const stopped = new FakeCommand();
    stopped.left = [process(8)];
    const third = follow(stopped);
    third.abort.abort();
    await assert.rejects(third.result, { name: 'AbortError' });
    assert.deepEqual(third.left, [process(8)]);
  });

  it('stops immediately if Stop was pressed before', async () => {
    const command = new FakeCommand();
    await assert.rejects(follow(command, { isStopped: true }).result, { name: 'AbortError' });
    assert.deepEqual(command.calls, ['interrupt']);
  });

  for (const obeys of [true, false]) {
    it(`ends a command ${obeys ? 'that obeys' : 'that does not'} at its time limit`, async () => {
      const command = new FakeCommand(obeys);
      const { result, clock } = follow(command, { limit: 3000 });
      command.print('so far');
      await clock.advance(3000 + interruptGrace);
      await assert.rejects(
        result,
        /^ToolError: Stopped by its time limit, after \d\.\d s\.\nso far$/,
      );
      assert.deepEqual(command.calls, obeys ? ['interrupt'] : ['interrupt', 'kill']);
    });
  }

  it('limits printed output and the result, for output of any length', async () => {
    const command = new FakeCommand();
    const { result, printed } = follow(command);
    const before = await keptBytes();
    command.print('first\r\n');
    const chunks = runs(12_500, 10);
    for (let chunk = 0; chunk < chunks; chunk++) {
      command.print('y\r\n'.repeat(2700));
      // A terminal delivers one chunk at a time.
      await setImmediate();
    }
    assert.ok((await keptBytes()) - before < chunks * 2400);
    command.print('last');
    command.end({ type: 'exit', code: 0 });
    const text = await result;
    assert.ok(text.length < maxResultLength, String(text.length));
    assert.match(
      text,
      /^Exit code 0, after 0\.0 s\.\nfirst\ny\n[^]*\n… \d+ characters left out …\n[^]*y\nlast$/,
    );
    assert.ok(printed().length <= 64 * 1024 + 3);
  });
});
