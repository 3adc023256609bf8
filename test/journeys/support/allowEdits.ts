import { hostName, hosts } from '../../support/vscode/hosts.ts';
import type { Journey } from './journey.ts';

/** Without a disk nobody can follow links, so no approval lasts for a chat. */
export const asksEachTime: boolean = hosts[hostName].isVirtual || hosts[hostName].inWorker;

/** Allows so many edits of a turn in the panel, where one approval lasts with one click. */
export async function allowEdits({ panel }: Journey, count: number): Promise<void> {
  if (!asksEachTime) {
    await panel.button('Allow in This Chat').first().click();
    return;
  }
  for (let edit = 0; edit < count; edit++) {
    const button = await panel.button('Allow Once').first().elementHandle();
    await button.click();
    await button.waitForElementState('hidden');
  }
}
