import { setTimeout } from 'node:timers/promises';
import type { ElementHandle } from 'playwright-core';
import { withoutVsCode } from '../../support/withoutVsCode.ts';
import type { Journey } from './journey.ts';

const { minResponseDelay } = await withoutVsCode(
  () => import('../../../src/host/platform/dialogs.ts'),
);

type Deciding = Pick<Journey, 'workbench'>;

export async function decide(walk: Deciding, button: string): Promise<void> {
  const dialog = await waitUntilResponsive(walk);
  await walk.workbench.dialogButton(button).click();
  await dialog.waitForElementState('hidden');
}

/** Dismisses the dialog with Escape. */
export async function escape(walk: Deciding): Promise<void> {
  const dialog = await waitUntilResponsive(walk);
  await walk.workbench.page.keyboard.press('Escape');
  await dialog.waitForElementState('hidden');
}

/** Waits until the dialog accepts input. It ignores keys until a person could have read it. */
async function waitUntilResponsive({ workbench }: Deciding): Promise<ElementHandle> {
  for (;;) {
    const dialog = await workbench.dialog.elementHandle();
    await setTimeout(minResponseDelay);
    // The Enter that sent the message can reach the dialog, which is ignored and shown again.
    if (await dialog.isVisible()) return dialog;
  }
}
