import assert from 'node:assert/strict';
import { TurnQueue } from '../../../../src/core/turn/turnQueue.ts';
import { messageOf } from './turnRig.ts';

function queueOf({
  isRunning = (): boolean => false,
  checkMessage = (): Promise<void> => Promise.resolve(),
} = {}): { queue: TurnQueue; send: (text: string) => Promise<string>; started: string[] } {
  const started: string[] = [];
  const queue = new TurnQueue({ isRunning, checkMessage });
  return {
    queue,
    started,
    send: (text) =>
      queue.send(
        messageOf(text),
        'm',
        (task) => queue.run(task),
        () => {
          started.push(text);
          return Promise.resolve(text);
        },
      ),
  };
}

describe('TurnQueue', () => {
  it('runs tasks one after another, also after one that failed', async () => {
    const { queue, send, started } = queueOf();
    let end: () => void = () => undefined;
    const first = queue.run(() => new Promise<void>((resolve) => (end = resolve)));
    const failed = queue.run(() => Promise.reject(new Error('No')));
    const sent = send('two');
    await new Promise(setImmediate);
    assert.deepEqual([started, queue.isSending], [[], true]);
    end();
    await first;
    await assert.rejects(failed, /No/);
    assert.equal(await sent, 'two');
    assert.equal(queue.isSending, false);
  });

  it('reports waiting tasks only while a turn runs', async () => {
    let isRunning = false;
    const { queue } = queueOf({ isRunning: () => isRunning });
    const counts: number[] = [];
    queue.onDidChange((count) => counts.push(count));
    await queue.run(() => Promise.resolve());
    assert.deepEqual(counts, []);
    isRunning = true;
    await Promise.all([queue.run(() => Promise.resolve()), queue.run(() => Promise.resolve())]);
    assert.deepEqual(counts, [1, 2, 1, 0]);
  });

  it('removes a message that must not be sent', async () => {
    const { queue, send, started } = queueOf({
      checkMessage: () => Promise.reject(new Error('No images')),
    });
    await assert.rejects(send('one'), /No images/);
    assert.deepEqual([started, queue.isSending, queue.waiting], [[], false, 0]);
  });
});
