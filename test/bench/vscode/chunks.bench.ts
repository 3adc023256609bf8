import type { Locator } from 'playwright-core';
import { Workbench } from '../../support/vscode/workbench.ts';
import { alternate, median, percentile } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { askAnew, connectAside } from './asidePanel.ts';
import { startChunkService, type ChunkService } from './chunkService.ts';
import { withStand, type Stand } from './stand.ts';

const count = 300;
const rounds = 3;
const perSecond = 50;

/** Measures the delay from the write of a chunk on the server until it is in the panel. */
export async function bench(table: Table): Promise<void> {
  const chunks = Array.from({ length: count }, (_, number) => `word «${number}» `);
  const service = await startChunkService({ chunks, pace: 1000 / perSecond });
  try {
    const stand = { samples: [appender] };
    const { ours, theirs } = await withStand(table, stand, (stand) => measure(stand, service));
    const against = 'a bare webview that appends text';
    const name = `server writes a chunk → it is in the panel, ${count} at ${perSecond} a second`;
    const middle = { ours: median(ours), theirs: median(theirs), goal: 1.2 };
    const late = { ours: percentile(ours, 0.95), theirs: percentile(theirs, 0.95), goal: 2 };
    table.add(ratioRow({ name: `${name}: median`, against, ...middle }));
    table.add(ratioRow({ name: `${name}: 95 of 100`, against, ...late }));
  } finally {
    await service.close();
  }
}

const appender = {
  name: 'appender',
  activationEvents: ['onStartupFinished'],
  contributes: {
    commands: [{ command: 'bench.append', title: 'Bench: Append' }],
    viewsContainers: { activitybar: [{ id: 'bench', title: 'Appender', icon: 'none.svg' }] },
    views: {
      bench: [{ type: 'webview', id: 'bench.appender', name: 'Appender', icon: 'none.svg' }],
    },
  },
};

async function measure({ newPage, newWindow }: Stand, service: ChunkService) {
  const workbench = new Workbench(await newPage(), 'aside-chat.aside.aside.usage');
  await workbench.open(await newWindow());
  const panel = await connectAside(workbench, service.baseUrl);
  const ours: number[] = [];
  const theirs: number[] = [];
  await alternate(rounds, 1, [
    async () => {
      await panel.show();
      const seen = watch(panel.frame.locator('body'));
      await askAnew(workbench, panel);
      return addDelays(ours, await seen, service);
    },
    async () => {
      await workbench.showContainer('Appender');
      const body = workbench.webview('bench.appender').locator('body');
      await body.locator('#text').waitFor({ state: 'attached' });
      const seen = watch(body);
      await workbench.command('Bench: Append');
      return addDelays(theirs, await seen, service);
    },
  ]);
  return { ours: ours.slice(count), theirs: theirs.slice(count) };
}

/** Adds the delays of a round. The return value is unused. */
function addDelays(delays: number[], seen: readonly number[], { written }: ChunkService): number {
  delays.push(...seen.map((time, number) => time - (written[number] ?? NaN)));
  return 0;
}

/** Resolves with the time when each chunk was in the page, in milliseconds since the Unix epoch. */
function watch(body: Locator): Promise<readonly number[]> {
  return body.evaluate(
    (element, length) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        const observer = new MutationObserver(() => {
          const chunk = /«(\d+)»[^»]*$/.exec(element.textContent)?.[1];
          // The reply of the previous round may still be there.
          if (chunk === undefined || (times.length === 0 && Number(chunk) > length / 2)) return;
          while (times.length <= Number(chunk))
            times.push(performance.timeOrigin + performance.now());
          if (times.length < length) return;
          observer.disconnect();
          resolve(times);
        });
        observer.observe(element, { subtree: true, childList: true, characterData: true });
      }),
    count,
  );
}
