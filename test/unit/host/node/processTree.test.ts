import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { isRunning } from '../../../support/isRunning.ts';

const { findProcessTree, processesHere } = await withoutVsCode(
  () => import('../../../../src/host/node/processTree.ts'),
);

/** Source of processes that ignore all signals which can be ignored. */
const stubborn = `
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  setInterval(() => undefined, 1000);
`;
const parent = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', ${JSON.stringify(`${stubborn} console.log(process.pid)`)}], { stdio: 'inherit' });
  ${stubborn}
`;

describe('findProcessTree', () => {
  it('ends a process and what it started, whatever they ignore', async () => {
    const child = spawn(process.execPath, ['-e', parent], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const printed: unknown[] = await once(child.stdout, 'data');
    const grandchild = Number(String(printed[0]));
    assert.ok(isRunning(grandchild));
    const end = await findProcessTree(child.pid ?? 0);
    assert.ok(isRunning(grandchild), 'Nothing ends before it is asked for.');
    const exited = once(child, 'exit');
    await end();
    await exited;
    while (isRunning(grandchild)) await sleep(10);
  });

  it('does nothing if the process is gone', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const end = await findProcessTree(child.pid ?? 0);
    await assert.doesNotReject(end());
  });
});

describe('processesHere', () => {
  // Other systems don't show the environment of a process.
  if (process.platform === 'linux')
    it('names what detached from a shell, by a variable', async () => {
      // Other runs of this test may be on the same machine.
      const here = `here ${process.pid}`;
      const env = { ...process.env, ASIDE_TERMINAL: here };
      const script = '(setsid sleep 631 & echo); sleep 632; true';
      const shell = spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const id = shell.pid ?? 0;
      await once(shell.stdout, 'data');
      const exited = once(shell, 'exit');
      shell.kill('SIGKILL');
      await exited;
      const namesOf = async (mark: string): Promise<readonly string[]> =>
        (await processesHere.startedBy(id, mark)).map(({ name }) => name).toSorted();
      assert.deepEqual(await namesOf('ASIDE_TERMINAL=elsewhere'), []);
      while ((await namesOf(`ASIDE_TERMINAL=${here}`))[0] !== 'sleep 631') await sleep(10);
      await processesHere.end(await processesHere.startedBy(id, `ASIDE_TERMINAL=${here}`));
      while ((await namesOf(`ASIDE_TERMINAL=${here}`)).length > 0) await sleep(10);
    });

  it('names what a shell started, also what its parent left behind, and ends only that', async () => {
    const shell = spawn('sh', ['-c', '(sleep 621 & echo); sleep 622; true'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const id = shell.pid ?? 0;
    await once(shell.stdout, 'data');
    let started = await processesHere.startedBy(id, 'MARK=none');
    while (started.length < 2) started = await processesHere.startedBy(id, 'MARK=none');
    assert.deepEqual(started.map(({ name }) => name).toSorted(), ['sleep 621', 'sleep 622']);
    const orphan = started.filter(({ name }) => name === 'sleep 621');
    await processesHere.end(orphan.map((process) => ({ ...process, started: 'before' })));
    assert.ok(
      orphan.every((process) => isRunning(process.id)),
      'It has the id of another one.',
    );
    await processesHere.end(orphan);
    // An orphan may stay in the list of the system after its end, until somebody asks for it.
    while (started.length > 1) started = await processesHere.startedBy(id, 'MARK=none');
    assert.deepEqual(
      started.map(({ name }) => name),
      ['sleep 622'],
    );
    assert.ok(isRunning(id));
    const exited = once(shell, 'exit');
    await (
      await processesHere.findTree(id)
    )();
    await exited;
  });
});
