import type { Page } from 'playwright-core';
import { alternate, median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { bare, clickIcon, composer, openWindow, settings } from './panelViews.ts';
import { withStand } from './stand.ts';

const rounds = 10;
/** Selector of any text field, including the composer of the complete panel. */
const field = 'textarea';

/** Measures the time from a click on its icon until a view is painted, in a window that was just opened. */
export async function bench(table: Table): Promise<void> {
  await withStand(table, { samples: [bare], settings }, async ({ newPage, newWindow }) => {
    const page = await newPage();
    await page.addInitScript(reportPainted, [field, composer]);
    const whole: number[] = [];
    const [first = [], theirs = []] = await alternate(rounds, 2, [
      async () => {
        const [ready = NaN, complete = NaN] = await open(page, await newWindow(), ours);
        whole.push(complete);
        return ready;
      },
      async () => (await open(page, await newWindow(), empty))[0] ?? NaN,
    ]);
    // The whole panel is more than one field: see docs/benchmarks.md.
    const rows = [
      { name: 'panel ready to type', ours: median(first), goal: 1.3, note },
      { name: 'panel drawn with everything in it', ours: median(whole.slice(-rounds)), goal: 3 },
    ];
    const against = 'an empty webview view with a textarea';
    for (const row of rows) table.add(ratioRow({ against, theirs: median(theirs), ...row }));
  });
}

const note =
  'the page brings a field along; what is typed before the script has come goes into the composer';

/** Runs in every frame. Reports when a page in it has painted each of these elements. */
function reportPainted(selectors: readonly string[]): void {
  for (const selector of selectors) {
    const tell = (): void =>
      console.log(`${selector} painted at ${performance.timeOrigin + performance.now()}`);
    const look = (): void => {
      const pages = [...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument);
      const isThere = pages.some((page) => page?.querySelector(selector));
      requestAnimationFrame(isThere ? tell : look);
    };
    look();
  }
}

interface View {
  readonly title: string;
  readonly elements: readonly string[];
}
const ours: View = { title: 'Aside', elements: [field, composer] };
const empty: View = { title: 'Bare', elements: [field] };

/** Milliseconds from the click until each of the elements is painted. */
async function open(page: Page, address: string, view: View): Promise<readonly number[]> {
  const icon = await openWindow(page, address, view.title);
  const painted = view.elements.map((selector) => painting(page, selector));
  const start = await clickIcon(icon);
  return (await Promise.all(painted)).map((time) => time - start);
}

async function painting(page: Page, selector: string): Promise<number> {
  const mark = `${selector} painted at `;
  const logged = await page.waitForEvent('console', (message) => message.text().startsWith(mark));
  return Number(logged.text().slice(mark.length));
}
