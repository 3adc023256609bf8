/** Longest tasks of the main thread while a reply arrives at full speed. */
import { alternate, median } from '../measure.ts';
import { differenceRow, figureRow, type Row } from '../row.ts';
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
  for (const size of [8, 100] as const) table.add(await longestRow(stage, size));
  const { ours, theirs } = await bothSides(stage, 500, longCount);
  table.add(
    figureRow({
      name: 'Tasks over 16.7 ms, 500 KB, 50 chunks a frame',
      value: ours,
      unit: '',
      goal: 1,
      other: { name: 'plain text', value: theirs },
    }),
  );
}

/** A difference, because the longest task of both sides includes the minimum cost of a frame. */
async function longestRow(stage: Stage, size: Size): Promise<Row> {
  const { ours, theirs, first } = await bothSides(stage, size, longest);
  const tasks = [...first].sort((a, b) => b - a).slice(0, 5);
  return differenceRow({
    name: `Longest task, ${size} KB, 50 chunks a frame`,
    against: 'plain text',
    ours,
    theirs,
    goal: 2,
    note: `the longest tasks of one run: ${tasks.map((time) => time.toFixed(1)).join(', ')} ms`,
  });
}

function longest(tasks: Tasks): number {
  return Math.max(...tasks);
}

function longCount(tasks: Tasks): number {
  return tasks.filter((time) => time > frame).length;
}

/** Medians of the judged value, and the tasks of our first run. */
async function bothSides(stage: Stage, size: Size, judge: (tasks: Tasks) => number) {
  const works = [aside, plainText].map((subject) => () => tasksOf(stage, subject, size));
  const [ours = [], theirs = []] = await alternate(rounds, 0, works);
  return {
    ours: median(ours.map(judge)),
    theirs: median(theirs.map(judge)),
    first: ours[0] ?? [],
  };
}

async function tasksOf(stage: Stage, subject: string, size: Size): Promise<Tasks> {
  await using page = await stage.page(subject);
  await page.prepare(size);
  return await traceTasks(stage.browser, page.page, () => page.stream(fullSpeed));
}
