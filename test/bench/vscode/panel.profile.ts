/**
 * Shows when the steps of opening the panel are done, in milliseconds after the click: medians of
 * alternating rounds, beside a view with only a field, and a view with only a script that adds one.
 */
import type { ConsoleMessage, Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { alternate, median } from '../measure.ts';
import type { Table } from '../table.ts';
import { bare, clickIcon, composer, openWindow, scripted, settings } from './panelViews.ts';
import { withStand } from './stand.ts';

const rounds = 10;
const drawn = 'drawn';

type Steps = ReadonlyMap<string, number>;

export async function bench(table: Table): Promise<void> {
  const samples = [bare, scripted];
  await withStand(table, { samples, settings }, async ({ newPage, newWindow }) => {
    const page = await newPage();
    const views = ['Aside', 'Bare', 'Script'];
    await page.addInitScript(reportSteps, composer);
    const works = views.map((view) => async () => stepsOf(page, await newWindow(), view));
    const results = await alternate(rounds, 2, works);
    for (const [index, runs] of results.entries()) print(views[index] ?? '', runs);
  });
}

function print(view: string, runs: readonly Steps[]): void {
  console.log(view);
  for (const step of runs[0]?.keys() ?? []) {
    const times = runs.flatMap((run) => run.get(step) ?? []);
    console.log(`${median(times).toFixed(0).padStart(7)} ms  ${step}`);
  }
}

async function stepsOf(page: Page, address: string, view: string): Promise<Steps> {
  const times = new Map<string, number>();
  const listen = (message: ConsoleMessage): void => {
    const [, time, step] = /^step ([\d.]+) (.*)$/.exec(message.text()) ?? [];
    if (step !== undefined) times.set(step, Number(time));
  };
  const icon = await openWindow(page, address, view);
  page.on('console', listen);
  const start = await clickIcon(icon);
  await until(() => times.has(drawn));
  page.off('console', listen);
  const steps = [...times].map(([step, time]) => [step, time - start] as const);
  return new Map(steps.sort(([, time], [, later]) => time - later));
}

/** Runs in every frame. Reports the steps of a page in it. Aside's is drawn with its composer. */
function reportSteps(composer: string): void {
  const report = (step: string, time: number): void => console.log(`step ${time} ${step}`);
  const now = (): number => performance.timeOrigin + performance.now();
  let hasField = false;
  const look = (): void => {
    for (const { contentWindow: page } of document.querySelectorAll('iframe')) {
      const field = page?.document.querySelector('textarea');
      if (page === null || !field) continue;
      if (!hasField) requestAnimationFrame(() => report('its field painted', now()));
      hasField = true;
      const isAside = page.document.getElementById('root') !== null;
      if (isAside && page.document.querySelector(composer) === null) continue;
      requestAnimationFrame(() => reportPage(page));
      return;
    }
    requestAnimationFrame(look);
  };
  const reportPage = (page: Window): void => {
    const { timeOrigin } = page.performance;
    const [document] = page.performance.getEntriesByType('navigation');
    report('its document there', timeOrigin + (document?.duration ?? NaN));
    for (const { name, startTime, duration } of page.performance.getEntriesByType('resource')) {
      const file = new URL(name).pathname.split('/').at(-1) ?? '';
      report(`${file} asked for`, timeOrigin + startTime);
      report(`${file} there`, timeOrigin + startTime + duration);
    }
    report('drawn', now());
  };
  look();
}
