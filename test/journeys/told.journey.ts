import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';

const edit = {
  path: 'src/temperature.ts',
  edits: [{ search: '/ 5 + 32', replace: '/ 5 + 32.0' }],
};

/** Long enough for the person to switch away meanwhile. */
const thinking = 'I look at the conversion first. '.repeat(30);

/** Writes, requests an edit, and reports. */
const script: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { content: 'It is more precise now.' }
    : {
        content: thinking,
        toolCalls: [{ name: 'edit_file', arguments: JSON.stringify(edit) }],
      };

describe('journey: notifications while the panel is hidden', () => {
  journey('an approval and a reply', { service: { script, pace: 20 } }, async (walk) => {
    await connect(walk);
    await waitUnseen(walk);
    await allowByKey(walk);
  });
});

const badge = ({ workbench }: Journey, text: string) =>
  workbench.page.locator('.activitybar .badge-content', { hasText: text });

async function waitUnseen(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await panel.ask('Be more precise.');
  await workbench.showContainer('Explorer');
  await workbench.toast('Approval needed: Edit src/temperature.ts').waitFor();
  await badge(walk, '1').waitFor();
  await workbench.statusItem(usageItem).getByText('Approval needed').waitFor();
  await picture('1-approval-needed');
  await workbench.statusItem(usageItem).click();
  await panel.button('Allow Once').waitFor();
  await badge(walk, '1').waitFor({ state: 'detached' });
  await workbench.statusItem(usageItem).getByText('mistral-small').waitFor();
  await picture('2-in-sight');
}

/** One key in the status bar allows the edit. */
async function allowByKey(walk: Journey): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  await panel.frame.locator('.message-field:focus').waitFor();
  await setTimeout(700);
  await workbench.page.keyboard.press('Control+Enter');
  await panel.button('Allow Once').waitFor({ state: 'detached' });
  await workbench.showContainer('Explorer');
  await workbench.toast('Reply ready: Be more precise.').waitFor();
  await badge(walk, '1').waitFor();
  await picture('3-reply-ready');
  const code = await readFile(join(workspace, 'src/temperature.ts'), 'utf8');
  assert.match(code, /\/ 5 \+ 32\.0/);
  await workbench.toastButton('Reply ready', 'Show').click();
  await panel.replies.first().getByText('It is more precise now.').waitFor();
  await badge(walk, '1').waitFor({ state: 'detached' });
  await picture('4-read');
}
