import { setTimeout } from 'node:timers/promises';
import type { ElementHandle } from 'playwright-core';
import { withoutVsCode } from '../../support/withoutVsCode.ts';
import type { Journey } from './journey.ts';

const { minResponseDelay } = await withoutVsCode(() => import('../../../src/host/dialogs.ts'));

/** Answers the dialog with this button. */
export async function decide(walk: Journey, button: string): Promise<void> {
  const dialog = await read(walk);
  await walk.workbench.dialogButton(button).click();
  await dialog.waitForElementState('hidden');
}

/** Closes the dialog, as somebody who wants it gone. */
export async function escape(walk: Journey): Promise<void> {
  const dialog = await read(walk);
  await walk.workbench.page.keyboard.press('Escape');
  await dialog.waitForElementState('hidden');
}

/** Waits as long as a dialog takes no answer: nobody could have read it. */
async function read({ workbench }: Journey): Promise<ElementHandle> {
  await workbench.dialog.waitFor();
  await setTimeout(minResponseDelay);
  return workbench.dialog.elementHandle();
}
