import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { withoutCommands } from './support/reasons.ts';

const made = 'made.txt';

/** A model that writes for some seconds, then wants to run a command. */
const slowCommand: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { content: 'It was not made.' }
    : {
        content: 'I will make it. '.repeat(20),
        toolCalls: [
          { name: 'run_command', arguments: JSON.stringify({ command: `echo x > ${made}` }) },
        ],
      };

describe('journey: dialogs', () => {
  journey(
    'a press that was meant for the dialog before allows nothing',
    { service: { script: slowCommand }, not: withoutCommands, freshWindow: true },
    async (walk) => {
      const { workbench, panel, picture, service } = walk;
      const { keyboard } = workbench.page;
      await connect(walk);
      service.faults.push({ kind: 'slow', pace: 60 });
      await panel.ask('Make it.');
      await workbench.command('Aside: Remove API Key');
      await workbench.dialog.getByText('Remove the API key').waitFor();
      // The command waits behind the dialog that the person opened.
      await panel.frame.getByText('Respond in the dialog to continue').waitFor();
      await picture('1-the-first-dialog');
      assert.equal(await workbench.dialog.getByText('Run this command').count(), 0);

      await clickInFirstFrame(walk, 'Allow Once');
      await keyboard.press('Enter');
      await keyboard.press('Enter');
      await workbench.dialog.getByText('too quickly and was ignored').waitFor();
      await picture('2-the-presses-were-ignored');
      assert.equal(await focusedButton(walk), 'Deny');
      assert.equal(existsSync(join(walk.workspace, made)), false);
      await decide(walk, 'Deny');
      await panel.calls('run_command').getByText('Denied').waitFor();
      assert.equal(existsSync(join(walk.workspace, made)), false);
      await picture('3-denied');
    },
  );
});

/** Clicks a button of a dialog in the very frame in which it appears. */
async function clickInFirstFrame({ workbench }: Journey, name: string): Promise<void> {
  await workbench.page.evaluate((text) => {
    new MutationObserver((_, observer) => {
      const buttons = [
        ...document.querySelectorAll<HTMLElement>('.monaco-dialog-box .monaco-button'),
      ];
      const button = buttons.find(({ textContent }) => textContent === text);
      if (button === undefined) return;
      observer.disconnect();
      button.click();
    }).observe(document.body, { childList: true, subtree: true });
  }, name);
}

function focusedButton({ workbench }: Journey): Promise<string> {
  return workbench.dialog.locator(':focus').innerText();
}
