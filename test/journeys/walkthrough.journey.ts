import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { walkthrough } from '../../src/host/contributions.ts';
import { until } from '../support/until.ts';
import { journey, type Journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';
import { untilEnabled } from './support/keyboard.ts';
import { takeSmallPicture } from './support/smallPicture.ts';
import { press } from './support/press.ts';

type Step = (typeof walkthrough.steps)[number];

/** Low, so that the pictures show only the relevant part. */
const size = { width: 1400, height: 620 };

const settings = { 'diffEditor.renderSideBySide': false };

describe('journey: the walkthrough', () => {
  journey(
    'take the first steps in the demo',
    { freshWindow: true, size, settings },
    async (walk) => {
      const { workbench, panel, picture, service } = walk;
      await panel.showEmpty();
      // Moves the pointer off the icon, whose tooltip would be in the picture.
      await workbench.page.mouse.move(700, 300);
      await workbench.page.locator('.workbench-hover').waitFor({ state: 'hidden' });
      await smallPicture('connect', sidebar(walk));
      await openFromPanel(walk);
      await picture('1-open');
      await link(walk, 'Try the Demo').click();
      await step(walk, 'connect').waitFor();
      // The demo focuses the composer, but VS Code may move the focus to the completed step.
      await panel.input.waitFor();

      await workbench.command('View: Close All Editors');
      await selectModel(walk);
      await askAboutSelection(walk);
      await editInPlace(walk);
      await letItAct(walk);
      await seeUsage(walk);

      await workbench.command('View: Close All Editors');
      await workbench.command('Aside: Open Walkthrough');
      for (const name of walkthrough.steps) await step(walk, name).waitFor();
      await header(walk, 'connect').click();
      await seePictures(walk);
      assert.deepEqual(service.requests, [], 'The demo went over the network.');
      // VS Code focuses a step shortly after it is selected, which closes an open list.
      await workbench.reloadAfterSaving().catch(() => workbench.reloadAfterSaving());
      await workbench.command('Aside: Open Walkthrough');
      for (const name of walkthrough.steps) await step(walk, name).waitFor();
    },
  );

  journey(
    'is offered by the view, which opens once after the installation',
    {
      freshWindow: true,
      settings: { 'workbench.startupEditor': 'welcomePageInEmptyWorkbench' },
    },
    async (walk) => {
      const { workbench, panel, picture } = walk;
      await panel.button('Open Walkthrough').waitFor();
      await picture('first-start');
      await workbench.showContainer('Explorer');
      await workbench.reloadAfterSaving();
      await workbench.page.locator('.explorer-folders-view').waitFor();
      await workbench.statusItem(usageItem).waitFor();
      assert.equal(await panel.button('Open Walkthrough').count(), 0);
    },
  );
});

async function openFromPanel(walk: Journey): Promise<void> {
  const { workbench, panel } = walk;
  const isOpen = step(walk, 'cost', 'unchecked');
  await panel.button('Open Walkthrough').click();
  // In a new window, the oldest VS Code doesn't know the walkthrough yet and opens its own.
  await isOpen.waitFor({ timeout: 6000 }).catch(async () => {
    await workbench.command('View: Close All Editors');
    await panel.button('Open Walkthrough').click();
    await isOpen.waitFor();
  });
}

async function selectModel(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await workbench.command('Aside: Select Model…');
  await workbench.rows.filter({ hasText: 'deepseek/reasoner' }).first().waitFor();
  await picture('2-models');
  await smallPicture('model', workbench.quickInput, 140);
  await workbench.pick('deepseek/reasoner');
  await panel.button('Model: deepseek/reasoner').waitFor();
}

async function askAboutSelection(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await workbench.openFile('temperature.ts');
  await workbench.selectLines(8, 10);
  await workbench.page.keyboard.press('Control+Alt+A');
  await panel.frame.locator('.message-field:focus').waitFor();
  await panel.ask('What is this?');
  await panel.settled();
  await panel.replies.first().getByText('toFahrenheit').first().waitFor();
  await untilEnabled(panel.button('Retry'));
  await picture('3-asked');
  await smallPicture('selection', sidebar(walk), 320);
}

async function editInPlace(walk: Journey): Promise<void> {
  const { workbench, picture, workspace } = walk;
  await workbench.page.locator('.monaco-editor .view-line').first().click();
  await workbench.selectLines(8, 10);
  await workbench.page.keyboard.press('ControlOrMeta+Alt+E');
  await workbench.answer('Edit', 'document this');
  await workbench.page.locator('.codelens-decoration').getByText('Accept').first().waitFor();
  await picture('4-edit');
  await smallPicture('edit', workbench.page.locator('.editor-group-container').first());
  await workbench.page.locator('.editor-actions a[aria-label^="Accept Edit"]').first().click();
  await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
  await workbench.page.keyboard.press('ControlOrMeta+S');
  const file = join(workspace, 'src/temperature.ts');
  await until(() => readFileSync(file, 'utf8').includes('Converts degrees Celsius'));
}

async function letItAct(walk: Journey): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  await workbench.command('Aside: New Chat');
  await panel.button('Improve temperature.ts').click();
  await untilEnabled(panel.button('Allow Once'));
  await picture('5-asks');
  await smallPicture('approve', sidebar(walk));
  await press(panel.button('Allow Once'));
  await panel.settled();
  await panel.replies.last().getByText('brings the file back as it was').waitFor();
  await picture('5-done');
  const code = await readFile(join(workspace, 'src/temperature.ts'), 'utf8');
  assert.match(code, /readings\.length === 0/);
}

async function seeUsage(walk: Journey): Promise<void> {
  const { workbench, picture } = walk;
  await workbench.statusItem(usageItem).click();
  const tab = workbench.webview('aside-chat.aside', 'editor');
  await tab.getByText('deepseek/reasoner').first().waitFor();
  // The demo has no cost: the usage journey takes the picture of this step.
  await picture('6-usage');
}

/** The picture of the open step follows the theme when it changes. */
async function seePictures({ workbench, picture }: Journey): Promise<void> {
  const image = workbench.page.locator('.getting-started-media img');
  for (const kind of ['dark', 'high-contrast', 'high-contrast-light', 'light'] as const) {
    await workbench.setTheme(kind);
    const file = kind.endsWith('light') ? 'connect-light.webp' : 'connect.webp';
    await image.and(workbench.page.locator(`[srcset*="${file}"]`)).waitFor();
    await image.evaluate((element: HTMLImageElement) => element.decode());
    await picture(`7-all-steps-${kind}`);
  }
}

function smallPicture(name: Step, part: Locator, height?: number): Promise<void> {
  return takeSmallPicture(part, name, height);
}

function sidebar({ workbench }: Journey): Locator {
  return workbench.page.locator('.part.sidebar');
}

/** Check mark of a step. */
function step({ workbench }: Journey, name: Step, state = 'checked'): Locator {
  const id = `aside-chat.aside#${walkthrough.id}#${name}`;
  return workbench.page.locator(
    `[data-done-step-id="${id}"].codicon-getting-started-step-${state}`,
  );
}

function header({ workbench }: Journey, name: Step): Locator {
  const id = `aside-chat.aside#${walkthrough.id}#${name}`;
  return workbench.page.locator(`[data-step-id="${id}"] .step-title`);
}

/** A button of the open step. */
function link({ workbench }: Journey, label: string): Locator {
  return workbench.page.locator('.getting-started-step.expanded').getByRole('button', {
    name: label,
    exact: true,
  });
}
