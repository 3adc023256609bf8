import { setTimeout } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { localModels } from '../../src/local/models.ts';
import { chatHosts, hostRestarted, killExtensionHost } from '../journeys/support/extensionHost.ts';
import type { Journey } from '../journeys/support/journey.ts';
import type { Random } from './random.ts';
import { kinds, messageOf } from './script.ts';

/** The window, and a random generator with the step's own seed. */
interface StepContext extends Journey {
  readonly random: Random;
  /** A number that is unique in the walk. */
  readonly number: number;
}

interface Step {
  /** Frequency compared with other steps. */
  readonly weight: number;
  /** Acts like a person. Does nothing if the panel doesn't offer the action at the moment. */
  readonly take: (context: StepContext) => Promise<unknown>;
}

/** Milliseconds for clicking a button, which may disappear when the reply ends. */
const patience = 3000;

/** Actions of a person in the panel, by name. */
export const steps = {
  send: { weight: 8, take: send },
  askAside: { weight: 4, take: askAside },
  stopAside: { weight: 1, take: ({ panel }) => click(panel.button('Stop Side Chat')) },
  closeAside: { weight: 1, take: closeAside },
  stop: { weight: 3, take: ({ panel }) => click(panel.button('Stop')) },
  retry: { weight: 2, take: ({ panel }) => click(panel.button(/^(Retry|Try Again)$/).last()) },
  continue: { weight: 1, take: ({ panel }) => click(panel.button('Continue').last()) },
  edit: { weight: 2, take: editMessage },
  version: { weight: 2, take: selectVersion },
  approve: { weight: 3, take: ({ panel }) => click(panel.button('Allow Once').first()) },
  deny: { weight: 1, take: ({ panel }) => click(panel.button('Deny').first()) },
  model: { weight: 1, take: switchModel },
  newChat: { weight: 1, take: newChat },
  hide: { weight: 1, take: hide },
  reload: { weight: 1, take: reload },
  kill: { weight: 4, take: kill },
  attach: { weight: 1, take: attach },
  offline: { weight: 1, take: goOffline },
  settle: { weight: 3, take: ({ panel }) => settle(panel) },
} satisfies Record<string, Step>;

export type StepName = keyof typeof steps;

async function send({ panel, random, number }: StepContext): Promise<void> {
  const text = messageOf(random.of(kinds), number, random.below(60) + 1);
  await panel.input.fill(text);
  await panel.input.press('Enter');
}

/** Works while a reply runs. Doesn't wait for a running reply of the side chat. */
async function askAside({ panel, random, number }: StepContext): Promise<void> {
  await panel.input.fill(messageOf(random.of(kinds), number, random.below(60) + 1));
  const button = panel.button('Ask Aside');
  const isOffered = (await button.isVisible()) && (await button.isEnabled());
  if (!isOffered || !(await click(button))) await panel.input.fill('');
}

async function closeAside({ panel, random }: StepContext): Promise<void> {
  const name = random.of(['Close Side Chat', 'Add to Chat']);
  const button = panel.button(name);
  if ((await button.isVisible()) && (await button.isEnabled())) await click(button);
}

async function editMessage({ panel, random, number }: StepContext): Promise<void> {
  const buttons = panel.button('Edit Message');
  const count = await buttons.count();
  if (count === 0) return;
  if (!(await click(buttons.nth(random.below(count))))) return;
  // Editors with unsent messages stay open, and have buttons with the same names.
  const editor = panel.frame.locator('.question-editor:focus-within');
  const opened = editor.waitFor({ timeout: patience });
  const isOpen = await opened.then(
    () => true,
    () => false,
  );
  if (!isOpen) return;
  await editor.getByRole('textbox').fill(messageOf('words', number, random.below(40) + 1));
  const name = random.below(4) === 0 ? 'Cancel' : 'Send Again';
  await click(editor.getByRole('button', { name, exact: true }));
}

async function selectVersion({ panel, random }: StepContext): Promise<void> {
  const buttons = panel.button(random.of(['Previous Version', 'Next Version']));
  const count = await buttons.count();
  if (count > 0) await click(buttons.nth(random.below(count)));
}

async function newChat({ workbench, panel }: StepContext): Promise<void> {
  await workbench.command('Aside: New Chat');
  await panel.messages.first().waitFor({ state: 'detached' });
  // The field is focused last, which would close an open picker.
  await panel.frame.locator('textarea:focus').waitFor();
}

async function switchModel({ workbench, panel, random }: StepContext): Promise<void> {
  const { id } = random.of(localModels.filter(({ thinking }) => thinking === 'none'));
  await workbench.command('Aside: Select Model…');
  await workbench.pick(id);
  await panel.button(`Model: ${id}`).waitFor();
  await panel.frame.locator('textarea:focus').waitFor();
}

async function hide({ workbench, panel }: StepContext): Promise<void> {
  await workbench.showContainer('Explorer');
  await panel.transcript.waitFor({ state: 'detached' });
  await panel.show();
}

async function reload({ workbench, panel }: StepContext): Promise<void> {
  await workbench.reload();
  await panel.show();
}

/** VS Code restarts the extension host itself, but only twice per page. After that, the page is reloaded. */
async function kill(context: StepContext): Promise<void> {
  const { workbench, panel, random } = context;
  if ((await chatHosts(context)).length === 0) return;
  const html = workbench.page.locator('html');
  const wasKilled = (await html.getAttribute('data-killed')) !== null;
  await html.evaluate((page) => page.setAttribute('data-killed', ''));
  await killExtensionHost(context);
  if (wasKilled || random.below(2) === 0) await workbench.reload();
  else await hostRestarted(context);
  await panel.show();
}

async function attach({ workbench, panel }: StepContext): Promise<void> {
  await workbench.openFile('temperature.ts');
  await workbench.command('Aside: Add to Chat');
  await panel
    .button(/^Remove .*temperature\.ts/)
    .first()
    .waitFor();
}

/** The next requests fail to connect. Aside tries again up to three times. */
function goOffline({ service, random }: StepContext): Promise<void> {
  service.faults.push({ kind: 'refused', on: 'completions', times: random.below(5) + 1 });
  return Promise.resolve();
}

/** Consecutive idle checks after which the chat is idle, even if queued messages are paused. */
const quietRounds = 5;
const quietRoundsOfQueue = 30;

/**
 * Waits until nothing runs. Denies waiting approvals, stops paused turns, and closes the editor of
 * a message. After a stopped or failed turn, queued messages are paused.
 */
export async function settle(panel: Journey['panel']): Promise<void> {
  const pausedStop = panel.paused.getByRole('button', { name: 'Stop' });
  // The editor of a message covers its text; a slow click can leave one open.
  const editorCancel = panel.frame
    .locator('.question-editor')
    .getByRole('button', { name: 'Cancel' });
  const needed = panel.button('Deny').or(pausedStop).or(editorCancel);
  const queue = panel.frame.getByRole('list', { name: 'Queued Messages' });
  const asideStop = panel.button('Stop Side Chat');
  const isRunning = async (): Promise<boolean> =>
    (await panel.button('Stop').isVisible()) ||
    ((await asideStop.isVisible()) && (await asideStop.isEnabled()));
  const deadline = performance.now() + 90_000;
  // Between two queued messages, nothing runs for a moment.
  for (let quiet = 0; ; quiet += 1) {
    await setTimeout(100);
    if (performance.now() > deadline) throw new Error('The chat never comes to rest.');
    if ((await click(needed.first())) || (await isRunning())) quiet = 0;
    else if (quiet >= ((await queue.isVisible()) ? quietRoundsOfQueue : quietRounds)) return;
  }
}

/** True if the button was clicked. It may not exist, or disappear before the click. */
async function click(button: Locator): Promise<boolean> {
  if (!(await button.isVisible())) return false;
  return button.click({ timeout: patience }).then(
    () => true,
    () => false,
  );
}
