import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';

const options = {
  foreignTools: true,
  settings: { 'aside.budget': { day: 5000 } },
};

describe('journey: models for other extensions', () => {
  journey(
    'send requests from another extension',
    { ...options, freshWindow: true },
    async (walk) => {
      const { picture, service, workbench } = walk;
      await connect(walk);
      const before = completions(walk);

      await ask(walk, 'Hello', 1);
      await workbench.dialog.waitFor();
      await picture('1-asks-first');
      assert.equal(completions(walk), before, 'Nothing is sent before the person has answered.');
      await decide(walk, 'Cancel');
      await closeToast(walk, /Sample after 0: NoPermissions/);
      await ask(walk, 'Hello', 1);
      await closeToast(walk, /Sample after 0: NoPermissions/);
      assert.equal(completions(walk), before);

      await workbench.reload();
      await ask(walk, 'Hello', 2);
      await decide(walk, 'Allow');
      await closeToast(walk, /Sample got 2 replies/);
      assert.equal(completions(walk), before + 2);

      const long = 'Tell me a long story. '.repeat(40);
      await ask(walk, long, 100);
      await workbench.toast(/Sample after \d+: Blocked Not sent: over the daily budget/).waitFor();
      await picture('2-budget');
      const { length } = service.requests;
      assert.ok(length > before + 3);
      await closeToast(walk, /over the daily budget/);

      await ask(walk, long, 1);
      await closeToast(walk, /Sample after 0: Blocked/);
      assert.equal(service.requests.length, length);
    },
  );

  journey('stop all requests', { foreignTools: true }, async (walk) => {
    const { panel, picture, service, workbench } = walk;
    await connect(walk);
    await panel.ask('/fault stall 20 What can you do?');
    await panel.longerThan(panel.replies.last(), 5);
    await ask(walk, '/fault stall 20 What can you do?', 1);
    await decide(walk, 'Allow');
    await until(() => completions(walk) === 2);
    await workbench.page.locator('[id="aside-chat.aside.aside.usage"]').hover();
    const link = workbench.page.locator('.workbench-hover').getByText('Stop All');
    await link.waitFor();
    await picture('1-link');
    await link.click();
    await closeToast(walk, /Sample after 0: .*[Cc]anceled/);
    await panel.settled();
    await until(() =>
      service.requests.every(({ aborted, path }) => aborted || path.endsWith('/models')),
    );
    await picture('2-nothing-runs');
  });
});

function completions({ service }: Journey): number {
  return service.requests.filter(({ path }) => path.endsWith('/chat/completions')).length;
}

async function ask({ workbench }: Journey, text: string, times: number): Promise<void> {
  await workbench.command('Sample: Ask a Model');
  await workbench.answer('Sample Message', text);
  await workbench.answer('Sample Times', String(times));
}

async function closeToast({ workbench }: Journey, text: RegExp): Promise<void> {
  const toast = workbench.toast(text);
  await toast.waitFor();
  await workbench.command('Notifications: Clear All Notifications');
  await toast.waitFor({ state: 'detached' });
}
