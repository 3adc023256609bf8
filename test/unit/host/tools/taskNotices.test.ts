import assert from 'node:assert/strict';
import { FakeMemento } from '../fakes.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import type { FailedTask } from '../../../../src/host/tools/taskNotices.ts';

const { TaskNotices } = await withoutVsCode(
  () => import('../../../../src/host/tools/taskNotices.ts'),
);

/** A window whose notifications the test answers. */
function rig() {
  const visible: {
    readonly buttons: readonly string[];
    readonly answer: (text?: string) => void;
  }[] = [];
  const explained: FailedTask[] = [];
  const at = { clock: new ManualClock(), wanted: true };
  const notices = new TaskNotices({
    state: new FakeMemento(),
    isWanted: () => at.wanted,
    notify: (message, buttons) => {
      assert.equal(message, 'A task failed.');
      return new Promise((resolve) => visible.push({ buttons, answer: resolve }));
    },
    explain: (task) => Promise.resolve(void explained.push(task)),
    onError: (error) => assert.fail(String(error)),
    clock: at.clock,
  });
  const run = (name: string, exitCode: number | undefined, processId?: number): void => {
    const execution = { task: { name } };
    if (processId !== undefined) notices.started(execution, processId);
    notices.ended(execution, exitCode);
  };
  const answer = async (text?: string): Promise<void> => {
    visible.at(-1)?.answer(text);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { visible, explained, at, run, answer };
}

describe('the notice of a failed task', () => {
  it('explains the task only after a click', async () => {
    const { run, visible: notices, explained, answer } = rig();
    run('build', 2, 41);
    assert.deepEqual(notices[0]?.buttons, ['Explain', "Don't Show Again"]);
    assert.deepEqual(explained, []);
    await answer('Explain');
    assert.deepEqual(explained, [{ name: 'build', exitCode: 2, processId: 41 }]);
  });

  it('is not shown for a task that succeeded, was interrupted or was ended by the person', () => {
    const { run, visible: notices } = rig();
    for (const exitCode of [0, 130, undefined]) run('build', exitCode);
    assert.equal(notices.length, 0);
  });

  it('is not shown if notices are turned off', () => {
    const { run, visible: notices, at } = rig();
    at.wanted = false;
    run('build', 1);
    assert.equal(notices.length, 0);
  });

  it('is never shown again in a workspace where the person turned it off', async () => {
    const { run, visible: notices, explained, answer } = rig();
    run('build', 1);
    await answer("Don't Show Again");
    run('build', 1);
    assert.equal(notices.length, 1);
    assert.deepEqual(explained, []);
  });

  it('is the only visible one, and about the task that failed last', async () => {
    const { run, visible: notices, explained, at, answer } = rig();
    run('build', 1, 41);
    await at.clock.leap(9_999);
    run('test', 2, 42);
    assert.equal(notices.length, 1);
    await answer('Explain');
    assert.deepEqual(
      explained.map(({ name }) => name),
      ['test'],
    );
  });

  it('is shown again when the last one was closed or hidden', async () => {
    const { run, visible: notices, at, answer } = rig();
    run('build', 1);
    await answer();
    run('build', 1);
    assert.equal(notices.length, 2);
    await at.clock.leap(10_000);
    run('build', 1);
    assert.equal(notices.length, 3);
  });
});
