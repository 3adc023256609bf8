/** The longest tasks of the main thread while a reply arrives at full speed. */
import { alternate, median } from '../measure.ts';
import { figureRow, type Row } from '../row.ts';
import type { Table } from '../table.ts';
import type { Size } from './corpus.ts';
import { aside, plainText, Stage } from './stage.ts';
import { fullSpeed } from './subjectPage.ts';
import { traceTasks } from './trace.ts';

const rounds = 3;
/** Milliseconds of a frame at 60 Hz. */
const frame = 16.7;

type Tasks = readonly number[];

/** Adds the longest tasks of the shorter replies, and the long tasks of the longest. */
export async function bench(table: Table): Promise<void> {
  await using stage = await Stage.open([aside, plainText]);
  table.names(stage.version);
  for (const size of [8, 100] as const) {
    const name = `Longest task, ${size} KB, 50 chunks a frame`;
    table.add(await row(stage, size, { name, goal: 8, unit: 'ms' }, longest));
  }
  const name = 'Tasks over 16.7 ms, 500 KB, 50 chunks a frame';
  table.add(await row(stage, 500, { name, goal: 1, unit: '' }, longCount));
}

function longest(tasks: Tasks): number {
  return Math.max(...tasks);
}

function longCount(tasks: Tasks): number {
  return tasks.filter((time) => time > frame).length;
}

async function row(
  stage: Stage,
  size: Size,
  what: { readonly name: string; readonly goal: number; readonly unit: string },
  judge: (tasks: Tasks) => number,
): Promise<Row> {
  const works = [aside, plainText].map((subject) => () => tasksOf(stage, subject, size));
  const [ours = [], theirs = []] = await alternate(rounds, 0, works);
  const first = [...(ours[0] ?? [])].sort((one, other) => other - one).slice(0, 5);
  return figureRow({
    ...what,
    value: median(ours.map(judge)),
    other: { name: 'plain text', value: median(theirs.map(judge)) },
    note: `the longest tasks of one run: ${first.map((time) => time.toFixed(1)).join(', ')} ms`,
  });
}

async function tasksOf(stage: Stage, subject: string, size: Size): Promise<Tasks> {
  await using page = await stage.page(subject);
  await page.prepare(size);
  return await traceTasks(stage.browser, page.page, () => page.stream(fullSpeed));
}
