/** Main thread's cost of a reply at full speed. */
import { alternate, median } from '../measure.ts';
import { figureRow, ratioRow, type Row } from '../row.ts';
import type { Table } from '../table.ts';
import { reply, type Size } from './corpus.ts';
import { parts } from './parts.ts';
import {
  incremark,
  installRivals,
  markstream,
  reactMarkdown,
  streamdown,
  streamingMarkdown,
} from './rivals.ts';
import { aside, plainText, Stage } from './stage.ts';
import { fullSpeed, type Run } from './subjectPage.ts';

/** Short runs vary more, so they have more rounds. */
const rounds: Readonly<Record<Size, number>> = { 8: 15, 100: 7, 500: 3 };
/** The fixed cost at the end of a reply weighs most in a short one. */
const goals: Readonly<Record<Size, number>> = { 8: 1.35, 100: 1.2, 500: 1.1 };
const rivalRounds = 3;
/** Other renderers of streaming replies. One without highlighting does less, so it has no goal. */
const rivals: readonly {
  readonly subject: string;
  readonly name: string;
  readonly goal?: number;
}[] = [
  { subject: streamdown, name: 'streamdown with its code plugin', goal: 0.3 },
  {
    subject: reactMarkdown,
    name: 'react-markdown with remark-gfm and rehype-highlight',
    goal: 0.1,
  },
  { subject: incremark, name: 'incremark in React, with Shiki', goal: 1 },
  { subject: markstream, name: 'markstream-vue with stream-markdown', goal: 1 },
  { subject: streamingMarkdown, name: 'streaming-markdown, which highlights nothing' },
];
const cpu = (runs: readonly Run[]): number => median(runs.map((run) => run.cpu));

/** Adds the rows of CPU time, of its growth and of dropped frames. */
export async function bench(table: Table): Promise<void> {
  const versions = await installRivals();
  await using stage = await Stage.open([aside, plainText, ...rivals.map(({ subject }) => subject)]);
  table.names(stage.version, ...versions);
  const small = await compareWithPlainText(stage, 8);
  table.add(small.ratio);
  const middle = await compareWithPlainText(stage, 100);
  table.add(middle.ratio);
  const large = await compareWithPlainText(stage, 500);
  table.add(large.ratio);
  table.add(growth(middle, large));
  table.add(dropped(middle));
  table.add(dropped(large));
  for (const row of await compareWithRivals(stage)) table.add(row);
}

interface Comparison {
  readonly size: Size;
  readonly ours: readonly Run[];
  readonly theirs: readonly Run[];
  readonly ratio: Row;
}

async function compareWithPlainText(stage: Stage, size: Size): Promise<Comparison> {
  const works = [aside, plainText].map((subject) => () => stage.run(subject, size, fullSpeed));
  const [ours = [], theirs = []] = await alternate(rounds[size], 0, works);
  const ratio = ratioRow({
    name: `CPU of rendering ${size} KB with highlighting, 50 chunks a frame`,
    against: 'plain text',
    goal: goals[size],
    ours: cpu(ours),
    theirs: cpu(theirs),
    note: `ours ${parts(ours)} ms; plain text ${parts(theirs)} ms`,
  });
  return { size, ours, theirs, ratio };
}

/** 1 is linear. */
function growth(from: Comparison, to: Comparison): Row {
  const growthOf = (length: number): number => Math.log(reply(to.size).length / length);
  const exponent = (small: readonly Run[], large: readonly Run[]): number =>
    Math.log(cpu(large) / cpu(small)) / growthOf(reply(from.size).length);
  return ratioRow({
    name: 'Exponent of the growth from 100 to 500 KB',
    against: 'plain text',
    goal: 1.05,
    unit: '',
    ours: exponent(from.ours, to.ours),
    theirs: exponent(from.theirs, to.theirs),
  });
}

function dropped({ size, ours, theirs }: Comparison): Row {
  const share = (runs: readonly Run[]): number =>
    median(runs.map((run) => (100 * run.dropped) / (run.frames + run.dropped)));
  return figureRow({
    name: `Frames dropped, ${size} KB, 50 chunks a frame`,
    goal: 1,
    unit: '%',
    value: share(ours),
    other: { name: 'plain text', value: share(theirs) },
  });
}

async function compareWithRivals(stage: Stage): Promise<Row[]> {
  const subjects = [aside, ...rivals.map(({ subject }) => subject)];
  const works = subjects.map((subject) => () => stage.run(subject, 100, fullSpeed));
  const [ours = [], ...others] = await alternate(rivalRounds, 0, works);
  return rivals.map(({ name, goal }, index) =>
    ratioRow({
      name: 'CPU of rendering 100 KB with highlighting, 50 chunks a frame',
      against: name,
      goal,
      ours: cpu(ours),
      theirs: cpu(others[index] ?? []),
    }),
  );
}
