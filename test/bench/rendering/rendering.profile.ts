/**
 * Shows where the time of a reply is spent, compared with plain text: medians of three alternating
 * rounds, then the browser's steps, and the most expensive functions. `ASIDE_BENCH_SIZE` is 8, 100
 * (the default) or 500 KB. `ASIDE_BENCH_PACE` is a number of chunks per second; the default is full
 * speed.
 */
import { alternate, median } from '../measure.ts';
import type { Table } from '../table.ts';
import type { Size } from './corpus.ts';
import { parts } from './parts.ts';
import { selfTimes } from './selfTimes.ts';
import { aside, plainText, Stage } from './stage.ts';
import type { Pace } from './page/drive.ts';
import { fullSpeed } from './subjectPage.ts';
import { timeByStep, traceSteps } from './trace.ts';

const rounds = 3;
const steps = 20;
const functions = 40;
const categories = [
  'blink',
  'cc',
  'v8',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
];
const sizes: readonly Size[] = [8, 100, 500];
const wanted = Number(process.env['ASIDE_BENCH_SIZE'] ?? 100);
const perSecond = Number(process.env['ASIDE_BENCH_PACE'] ?? 0);
const pace: Pace = perSecond > 0 ? { perSecond } : fullSpeed;
const size = sizes.find((size) => size === wanted) ?? 100;

export async function bench(table: Table): Promise<void> {
  await using stage = await Stage.open([aside, plainText]);
  table.names(stage.version);
  await printParts(stage);
  await printSteps(stage);
  await printFunctions();
}

async function printParts(stage: Stage): Promise<void> {
  const works = [aside, plainText].map((subject) => () => stage.run(subject, size, pace));
  const [ours = [], theirs = []] = await alternate(rounds, 0, works);
  const [our, their] = [ours, theirs].map((runs) => median(runs.map(({ cpu }) => cpu)));
  console.log(`ours       ${our?.toFixed(0) ?? ''} ms of CPU: ${parts(ours)}`);
  console.log(`plain text ${their?.toFixed(0) ?? ''} ms of CPU: ${parts(theirs)}`);
  console.log(`ratio ${((our ?? NaN) / (their ?? NaN)).toFixed(2)} at ${size} KB\n`);
}

/** Traces one run of each, since tracing adds its own cost. */
async function printSteps(stage: Stage): Promise<void> {
  const [ours, theirs] = [await stepsOf(stage, aside), await stepsOf(stage, plainText)];
  const byTime = [...ours].sort(([, time], [, otherTime]) => otherTime - time);
  console.log('    ours    plain text');
  for (const [name, time] of byTime.slice(0, steps)) {
    const their = (theirs.get(name) ?? 0).toFixed(1).padStart(8);
    console.log(`${time.toFixed(1).padStart(8)} ${their} ms  ${name}`);
  }
  console.log('');
}

async function stepsOf(stage: Stage, subject: string): Promise<ReadonlyMap<string, number>> {
  await using page = await stage.page(subject);
  await page.prepare(size);
  const work = (): Promise<unknown> => page.stream(pace);
  return timeByStep(await traceSteps(stage.browser, page.page, categories, work));
}

async function printFunctions(): Promise<void> {
  await using stage = await Stage.open([aside], false);
  await using page = await stage.page(aside);
  await page.prepare(size);
  const times = await selfTimes(page.session, stage.site, () => page.stream(pace));
  for (const [name, time] of times.slice(0, functions))
    console.log(`${time.toFixed(1).padStart(8)} ms  ${name}`);
}
