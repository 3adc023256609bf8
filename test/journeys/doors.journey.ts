import assert from 'node:assert/strict';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { commitAll } from '../support/gitIn.ts';
import { hostName, hosts } from '../support/vscode/hosts.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { withoutCommands, withoutGit } from './support/reasons.ts';

const failingTask = {
  version: '2.0.0',
  tasks: [
    { label: 'build', type: 'shell', command: 'echo no-such-station; exit 3', problemMatcher: [] },
    { label: 'check', type: 'shell', command: 'echo all-is-well', problemMatcher: [] },
  ],
};

describe('journey: ways to add context', () => {
  journey(
    'add from the explorer and Source Control',
    { freshWindow: true, not: withoutGit },
    async (walk) => {
      const { workbench, workspace, panel, picture, service } = walk;
      const { page } = workbench;
      commitAll(workspace, 'Show the weather of all stations');
      await appendFile(join(workspace, 'src/temperature.ts'), '\nexport const freezing = 0;\n');
      await connect(walk);

      await workbench.showContainer('Explorer');
      await explorerRow(walk, 'docs').click({ button: 'right' });
      await menuItem(walk, 'Add to Chat').waitFor();
      await picture('1-menu');
      await choose(walk, 'Add to Chat');
      await panel.button('Remove docs/').waitFor();
      await workbench.showContainer('Explorer');
      await explorerRow(walk, 'server').click();
      await explorerRow(walk, 'main.go').click({ modifiers: ['ControlOrMeta'] });
      await explorerRow(walk, 'report.py').click({ modifiers: ['ControlOrMeta'] });
      await explorerRow(walk, 'report.py').click({ button: 'right' });
      await choose(walk, 'Add to Chat');
      await panel.button(/^Remove .*report\.py/).waitFor();
      await panel.button(/^Remove .*main\.go/).waitFor();

      await workbench.showContainer('Source Control');
      const changed = page.locator('.scm-view .resource', { hasText: 'temperature.ts' });
      await changed.click({ button: 'right' });
      await menuItem(walk, 'Add to Chat').waitFor();
      await picture('2-changed-file');
      await choose(walk, 'Add to Chat');
      await panel.button(/^Remove Changes in .*temperature\.ts/).waitFor();
      await panel.button('Remove temperature.ts').waitFor();
      await panel.frame.locator('.message-field:focus').waitFor();
      await picture('3-attached');

      await panel.ask('What is this about?');
      await panel.settled();
      const sent = JSON.stringify(service.requests.at(-1)?.body);
      for (const text of ['docs/:', 'package main', 'def spread', '+export const freezing = 0;'])
        assert.ok(sent.includes(text), text);
    },
  );

  journey('add the file of a tab', {}, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await workbench.openFile('report.py');
    await workbench.selectLines(1, 2);
    await workbench.page.locator('.tab.active').click({ button: 'right' });
    await menuItem(walk, 'Add to Chat').waitFor();
    await picture('1-menu');
    await choose(walk, 'Add to Chat');
    await panel.button('Remove report.py').waitFor();
    await picture('2-attached');
  });

  journey('explain a failed task', { not: withoutCommands }, async (walk) => {
    const { workbench, workspace, panel, picture, service } = walk;
    await mkdir(join(workspace, '.vscode'), { recursive: true });
    await writeFile(join(workspace, '.vscode/tasks.json'), JSON.stringify(failingTask));
    await connect(walk);
    const before = service.requests.length;
    await taskListed(walk, 'check');
    await runTask(walk, 'check');
    // VS Code lists terminals only when there are several, such as one of an earlier journey.
    const terminals = workbench.page.locator('.single-terminal-tab, .terminal-tabs-entry');
    await terminals.filter({ hasText: 'check' }).first().waitFor();
    await runTask(walk, 'build');
    await workbench.toast('A task failed.').waitFor();
    assert.equal(await workbench.toast('A task failed.').count(), 1);
    assert.equal(service.requests.length, before, 'Something was sent before the click.');
    await picture('1-told');
    await workbench.toastButton('A task failed.', 'Explain').click();
    await panel.replies.first().waitFor();
    await panel.settled();
    await picture('2-explained');
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /Explain why this task failed and how to fix it\./);
    assert.match(sent, /Task: build\\nExit code: 3\\n[^"]*no-such-station/);
  });

  journey('read the help', {}, async (walk) => {
    const { workbench, panel, picture } = walk;
    const { page } = workbench;
    await connect(walk);
    await workbench.command('Aside: Help');
    await page.locator('.tab.active', { hasText: 'Aside Help' }).waitFor();
    const preview = workbench.webview('vscode.markdown-language-features', 'editor');
    await preview.getByRole('heading', { name: 'Keyboard Shortcuts: Window' }).waitFor();
    await preview.getByText('Go to the chat: Ctrl+Alt+A (Mac: Cmd+Alt+A)').waitFor();
    await picture('1-read');
    await page.keyboard.press('ControlOrMeta+Alt+A');
    await panel.frame.locator('.message-field:focus').waitFor();
  });
});

function explorerRow({ workbench }: Journey, name: string): Locator {
  return workbench.page
    .locator('.explorer-folders-view .monaco-list-row')
    .filter({ has: workbench.page.getByText(name, { exact: true }) });
}

function menuItem({ workbench }: Journey, name: string): Locator {
  return workbench.page.locator('.monaco-menu .action-menu-item', {
    has: workbench.page.getByText(name, { exact: true }),
  });
}

/** Uses the keyboard, because VS Code ignores clicks right after a menu has opened. */
async function choose(walk: Journey, name: string): Promise<void> {
  await menuItem(walk, name).hover();
  await walk.workbench.page.keyboard.press('Enter');
  await menuItem(walk, name).waitFor({ state: 'hidden' });
}

async function runTask({ workbench }: Journey, label: string): Promise<void> {
  await workbench.command('Tasks: Run Task');
  if (hosts[hostName].age === 'oldest') await workbench.pick('Show All Tasks...');
  await workbench.pickWhileListed(label);
}

/** Reopens the list of tasks until it has the task: VS Code notices new files with a delay. */
async function taskListed({ workbench }: Journey, label: string): Promise<void> {
  const { quickInput, rows } = workbench;
  for (let looks = 1, isListed = false; !isListed; looks++) {
    assert.ok(looks < 30, `There is no task ${label}.`);
    await workbench.command('Tasks: Run Task');
    await quickInput.locator('input.input[aria-label^="Select the task to run"]').waitFor();
    await rows.filter({ hasText: 'Show All Tasks...' }).waitFor();
    isListed = await rows.filter({ hasText: label }).isVisible();
    await workbench.page.keyboard.press('Escape');
    await quickInput.waitFor({ state: 'hidden' });
  }
}
