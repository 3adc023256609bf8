/** A person who uses only the keyboard, with VS Code's screen reader mode turned on. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { modelAnswering } from '../support/modelSaying.ts';
import { hostName } from '../support/vscode/hosts.ts';
import { journey, type Journey } from './support/journey.ts';
import { isFocused, Keyboard } from './support/keyboard.ts';
import { withoutCommands } from './support/reasons.ts';

const settings = { 'editor.accessibilitySupport': 'on' };
const essay = 'Write 3000 words about weather stations.';
const change = {
  path: 'src/temperature.ts',
  edits: [{ search: '/ 5 + 32', replace: '/ 5 + 32.0' }],
};

const acting = modelAnswering({
  'Be more precise.': [[['edit_file', change]], 'It is more precise now.'],
  'Try it.': [[['run_command', { command: 'echo tried' }]], 'It works.'],
});

const better = `\`\`\`ts
export function toFahrenheit(celsius: number): number {
  const factor = 9 / 5;
  return celsius * factor + 32;
}
\`\`\``;

const script: typeof acting = (request) =>
  JSON.stringify(request.messages.at(-1)).includes('Name the numbers.')
    ? { content: better }
    : acting(request);

async function hasFocus(element: Locator): Promise<void> {
  await element.evaluate(
    (node) =>
      new Promise<void>((resolve) => {
        if (node.matches(':focus')) resolve();
        else node.addEventListener('focus', () => resolve(), { once: true });
      }),
  );
}

describe('journey: keyboard only', () => {
  journey(
    'talk, look around, and use tools',
    { freshWindow: true, settings, service: { script, pace: 20 } },
    async (walk) => {
      const keyboard = await Keyboard.watch(walk);
      await keyboard.connect();
      await readReplies(walk, keyboard);
      await stopAndRetry(walk, keyboard);
      await attachFile(walk, keyboard);
      await openSaved(walk, keyboard);
      await lookAtUsage(walk, keyboard);
      await lookAtRequest(walk, keyboard);
      await readHelp(walk, keyboard);
      await keyboard.command('Aside: New Chat');
      await walk.panel.messages.first().waitFor({ state: 'detached' });
      await allowEdit(walk, keyboard);
      if (withoutCommands[hostName] === undefined) await allowCommand(walk, keyboard);
      await editInPlace(walk, keyboard);
      keyboard.check();
    },
  );
});

async function readReplies({ panel, picture }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.send('What is rain?');
  await panel.settled();
  await panel.frame.locator('.announcer', { hasText: /^Reply: / }).waitFor();
  await keyboard.press('Alt+ArrowUp');
  await hasFocus(panel.replies.last());
  await keyboard.press('Alt+ArrowUp');
  await hasFocus(panel.messages.last());
  await picture('1-message-with-focus');
  await keyboard.press('Alt+ArrowDown', 'Alt+ArrowDown');
  await panel.frame.locator('.message-field:focus').waitFor();
}

async function stopAndRetry({ panel }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.send(essay);
  await panel.longerThan(panel.replies.last(), 60);
  await keyboard.press('Escape');
  await panel.settled();
  await panel.replies.last().getByText('You stopped this reply.').waitFor();
  await keyboard.press('Alt+ArrowUp');
  await keyboard.enter(panel.button('Retry'));
  await panel.button('Stop').waitFor();
  await panel.frame.locator('.message-field:focus').waitFor();
  await keyboard.press('Escape');
  await panel.settled();
}

async function attachFile({ panel, picture }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.type('@temper');
  await panel.option(/^temperature\.ts/).waitFor();
  await keyboard.press('Enter');
  await panel.button('Remove temperature.ts').waitFor();
  await panel.frame.locator('.announcer', { hasText: 'Attached: temperature.ts' }).waitFor();
  await picture('2-attached');
  await keyboard.reach(() => isFocused(panel.button('Remove temperature.ts')), 'Shift+Tab');
  await keyboard.press('Enter');
  await panel.button('Remove temperature.ts').waitFor({ state: 'hidden' });
  await panel.frame.locator('.announcer', { hasText: 'Removed: temperature.ts' }).waitFor();
}

async function openSaved({ panel }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.command('Aside: New Chat');
  await panel.messages.first().waitFor({ state: 'hidden' });
  await keyboard.command('Aside: Open Chat…');
  await keyboard.choose('rain', 'What is rain?');
  await panel.messages.filter({ hasText: 'What is rain?' }).waitFor();
}

async function allowEdit({ panel, workspace }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.send('Be more precise.');
  await panel.button('Allow Once').waitFor();
  await panel.frame.locator('.announcer', { hasText: /^Waiting for approval: / }).waitFor();
  await keyboard.press('Alt+ArrowUp');
  await keyboard.enter(panel.button('Allow Once'));
  await panel.settled();
  const code = await readFile(join(workspace, 'src/temperature.ts'), 'utf8');
  assert.match(code, /\/ 5 \+ 32\.0/);
  await keyboard.command('Aside: Focus on Chat View');
}

async function allowCommand({ panel, workbench }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.send('Try it.');
  await workbench.dialog.waitFor();
  // Dialogs ignore input until a person could have read them.
  await setTimeout(1000);
  await keyboard.reach(() => isFocused(workbench.dialogButton('Allow Once')));
  await keyboard.press('Enter');
  await workbench.dialog.waitFor({ state: 'hidden' });
  await panel.replies.last().getByText('It works.').waitFor();
  await panel.settled();
}

async function editInPlace({ workbench, picture }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.press('ControlOrMeta+P');
  await keyboard.choose('temperature.ts', 'temperature.ts');
  await workbench.page.locator('.editor-group-container.active .view-line').first().waitFor();
  await workbench.selectLines(8, 10);
  await keyboard.press('Control+Alt+E');
  await workbench.quickInput.locator('input.input:focus').waitFor();
  await keyboard.type('Name the numbers.');
  await keyboard.press('Enter');
  await workbench.page.locator('.codelens-decoration a', { hasText: 'Accept' }).first().waitFor();
  await picture('6-to-decide');
  await keyboard.press('Control+Alt+Enter');
  const diff = workbench.page.locator('.monaco-diff-editor:visible');
  await diff.first().waitFor({ state: 'hidden' });
  await workbench.page.locator('.view-line', { hasText: 'const factor' }).first().waitFor();
}

async function lookAtUsage({ workbench, picture }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.command('Aside: Show Token Usage');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  await tab.getByRole('heading', { name: 'Token Usage' }).waitFor();
  const range = tab.getByRole('radio', { checked: true });
  await keyboard.reach(() => isFocused(range));
  await keyboard.press('ArrowRight');
  await tab
    .getByRole('status')
    .filter({ hasText: / tokens/ })
    .waitFor({ state: 'attached' });
  await keyboard.reach(() => isFocused(tab.getByRole('button', { name: 'Show as Table' })));
  await keyboard.press('Enter');
  await tab.getByRole('group', { name: /^Tokens by/ }).waitFor();
  await picture('3-usage');
}

async function lookAtRequest({ workbench, picture }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.command('Aside: Show Next Request');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  await tab.getByRole('heading', { name: 'Next Request' }).waitFor();
  const exclude = tab.getByRole('button', { name: /^Exclude: Message/ });
  await keyboard.reach(() => isFocused(exclude));
  await keyboard.press('Enter');
  const putBack = tab.getByRole('button', { name: 'Include All', exact: true });
  await tab
    .getByRole('status')
    .filter({ hasText: 'Excluded parts' })
    .waitFor({ state: 'attached' });
  await picture('4-left-out');
  await keyboard.reach(() => isFocused(putBack), 'Shift+Tab');
  await keyboard.press('Enter');
  await putBack.waitFor({ state: 'hidden' });
  await hasFocus(tab.getByRole('heading', { name: 'Next Request' }));
}

async function readHelp({ workbench, picture }: Journey, keyboard: Keyboard): Promise<void> {
  await keyboard.command('Aside: Help');
  const preview = workbench.webview('vscode.markdown-language-features', 'editor');
  await preview.getByRole('heading', { name: 'Keyboard Shortcuts: Window' }).waitFor();
  await picture('5-help');
}
