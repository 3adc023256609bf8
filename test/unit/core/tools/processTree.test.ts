import assert from 'node:assert/strict';
import {
  processTreeOf,
  stillRunning,
  type ProcessEntry,
} from '../../../../src/core/tools/processTree.ts';

const entry = (id: number, parent: number, session: string): ProcessEntry => ({
  id,
  parent,
  session,
  started: `at ${id}`,
  name: 'sleep',
});

const processes = [
  entry(1, 0, '1'),
  entry(50, 1, '50'),
  // The shell of a terminal, a command, its child, and an orphaned process.
  entry(100, 50, '100'),
  entry(101, 100, '100'),
  entry(102, 101, '102'),
  entry(103, 1, '100'),
  entry(200, 50, '200'),
  entry(201, 200, '200'),
];

describe('treeOf', () => {
  it('finds the descendants of a shell, and orphaned processes in its session', () => {
    const tree = processTreeOf(100, processes);
    assert.deepEqual(tree.toSorted(), [100, 101, 102, 103]);
    assert.equal(tree.at(-1), 100);
  });

  it('excludes other processes of an older session', () => {
    assert.deepEqual(processTreeOf(101, processes).toSorted(), [101, 102]);
  });

  it('includes only descendants if sessions are unknown', () => {
    const unknown = processes.map((process) => ({ ...process, session: '' }));
    assert.deepEqual(processTreeOf(100, unknown).toSorted(), [100, 101, 102]);
  });

  it('finds nothing if the process is gone', () => {
    assert.deepEqual(processTreeOf(999, processes), []);
  });

  it('terminates for circular parents', () => {
    assert.deepEqual(processTreeOf(2, [entry(2, 3, 'a'), entry(3, 2, 'a')]).toSorted(), [2, 3]);
  });
});

describe('stillRunning', () => {
  it('finds processes with what they started, and none that only has the id of one', () => {
    assert.deepEqual(stillRunning([entry(101, 1, '')], processes), [102, 101]);
    assert.deepEqual(stillRunning([{ ...entry(101, 1, ''), started: 'before' }], processes), []);
  });
});
