import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Queue, TaskQueue } from '../../../../src/core/support/async.ts';

async function all<T>(queue: Queue<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of queue.read()) values.push(value);
  return values;
}

describe('Queue', () => {
  it('delivers values pushed before and during reading', async () => {
    const queue = new Queue<number>();
    queue.push(1);
    const read = all(queue);
    await Promise.resolve();
    queue.push(2);
    await Promise.resolve();
    queue.push(3);
    queue.end();
    assert.deepEqual(await read, [1, 2, 3]);
  });

  it('delivers values that its reader pushes before the end', async () => {
    const queue = new Queue<number>();
    queue.push(3);
    queue.end();
    const seen: number[] = [];
    for await (const value of queue.read()) {
      seen.push(value);
      if (value > 0) queue.push(value - 1);
    }
    assert.deepEqual(seen, [3, 2, 1, 0]);
  });
});

describe('TaskQueue', () => {
  it('runs one task at a time, in order, even if some fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), async (outcomes) => {
        const tasks = new TaskQueue();
        const steps: string[] = [];
        const results = outcomes.map((succeeds, index) =>
          tasks.run(async () => {
            steps.push(`${index} starts`);
            await Promise.resolve();
            steps.push(`${index} ends`);
            if (!succeeds) throw new Error(`of ${index}`);
            return index;
          }),
        );
        const settled = await Promise.allSettled(results);
        assert.deepEqual(
          settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined)),
          outcomes.map((succeeds, index) => (succeeds ? index : undefined)),
        );
        assert.deepEqual(
          steps,
          outcomes.flatMap((_, index) => [`${index} starts`, `${index} ends`]),
        );
      }),
    );
  });
});
