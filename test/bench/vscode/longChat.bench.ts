import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeLongJournal } from '../../support/longJournal.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { Panel } from '../../journeys/support/panel.ts';
import { alternate, median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { askAnew } from './asidePanel.ts';
import { withStand, type Stand } from './stand.ts';

interface Size {
  readonly messages: number;
  /** Approximate length of the journal in characters. */
  readonly length: number;
}
const long: Size = { messages: 10_000, length: 20_000_000 };
const short: Size = { messages: 20, length: 40_000 };

/**
 * Measures the time from a click on the icon until the end of a saved chat is painted, in a window
 * that was just started.
 */
export async function bench(table: Table): Promise<void> {
  let user = '';
  const options = {
    samples: [],
    prepare: (folders: { readonly user: string }) => Promise.resolve(void (user = folders.user)),
  };
  await withStand(table, options, async (stand) => {
    const longChat = await openChat(stand, user, long);
    const shortChat = await openChat(stand, user, short);
    const [ours = [], theirs = []] = await alternate(7, 1, [
      () => reopen(longChat, long),
      () => reopen(shortChat, short),
    ]);
    table.add(
      ratioRow({
        name: 'open a chat of 10,000 messages (20 MB)',
        against: 'one of 20 messages',
        ours: median(ours),
        theirs: median(theirs),
        goal: 1.2,
      }),
    );
  });
}

/** Opens a window that shows a long chat after the next start of its extension host. */
async function openChat(
  { newPage, newWindow }: Stand,
  user: string,
  size: Size,
): Promise<Workbench> {
  const chats = join(user, 'User/globalStorage/aside-chat.aside/chats');
  const before = new Set(globSync('*.jsonl', { cwd: chats }));
  const workbench = new Workbench(await newPage(), 'aside-chat.aside.aside.usage');
  await workbench.open(await newWindow());
  await workbench.command('Aside: Try the Demo Service');
  const panel = new Panel(workbench);
  await panel.input.waitFor();
  await askAnew(workbench, panel);
  await panel.settled();
  await restart(workbench);
  const journal = globSync('*.jsonl', { cwd: chats }).find((file) => !before.has(file));
  if (journal === undefined) throw new Error(`There is no new chat in ${chats}.`);
  const text = writeLongJournal({ conversation: basename(journal, '.jsonl'), ...size });
  await writeFile(join(chats, journal), text);
  return workbench;
}

/** Restarts the window and its extension host, without the panel. */
async function restart(workbench: Workbench): Promise<void> {
  await workbench.showContainer('Explorer');
  // The window stores the visible view with a delay.
  await workbench.page.waitForTimeout(1000);
  await workbench.reload();
}

async function reopen(workbench: Workbench, { messages }: Size): Promise<number> {
  await workbench.page.bringToFront();
  await restart(workbench);
  const { page } = workbench;
  const icon = page.locator('.activitybar a[aria-label^="Aside"]');
  const name = `Answer ${messages / 2}`;
  const last = new Panel(workbench).replies.last().getByRole('heading', { name, exact: true });
  const start = await icon.evaluate((element: HTMLElement) => {
    element.click();
    return performance.timeOrigin + performance.now();
  });
  await last.waitFor();
  return (await last.evaluate(nextFrame)) - start;
}

/** Resolves with the time when the next frame starts. */
function nextFrame(): Promise<number> {
  return new Promise((resolve) =>
    requestAnimationFrame(() =>
      requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())),
    ),
  );
}
