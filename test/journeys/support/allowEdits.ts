import { hostName, hosts } from '../../support/vscode/hosts.ts';
import type { Journey } from './journey.ts';
import type { Panel } from './panel.ts';

/** Without a disk, links can't be resolved, so no approval lasts for a chat. */
export const asksEachTime: boolean = hosts[hostName].isVirtual || hosts[hostName].inWorker;

/** Allows the first waiting edit, and later ones in the same chat. */
export async function allowInChat(
  panel: Panel,
  region: Pick<Panel['frame'], 'getByRole'>,
): Promise<void> {
  await region.getByRole('button', { name: 'More Ways to Allow…' }).first().click();
  await panel.menuItem('Allow in This Chat').click();
}

/**
 * Allows this many edits of existing files of a turn in the panel. Where an approval lasts for the
 * chat, one click is enough.
 */
export async function allowEdits(walk: Journey, count: number): Promise<void> {
  if (asksEachTime) await allowOnce(walk, count);
  else await allowInChat(walk.panel, walk.panel.frame);
}

/** Allows this many edits, which are asked about one after the other, such as those of new files. */
export async function allowOnce({ panel }: Journey, count: number): Promise<void> {
  for (let edit = 0; edit < count; edit++) {
    const button = await panel.button('Allow Once').first().elementHandle();
    await button.click();
    await button.waitForElementState('hidden');
  }
}
