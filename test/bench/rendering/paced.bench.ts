/** Main thread's cost of a reply at the pace of a service. Each run takes 43 seconds. */
import { alternate, median } from '../measure.ts';
import { ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { parts } from './parts.ts';
import { aside, plainText, Stage } from './stage.ts';
import type { Run } from './subjectPage.ts';

const rounds = 3;
const cpu = (runs: readonly Run[]): number => median(runs.map((run) => run.cpu));

/** Adds one row. */
export async function bench(table: Table): Promise<void> {
  await using stage = await Stage.open([aside, plainText]);
  table.names(stage.version);
  const works = [aside, plainText].map(
    (subject) => () => stage.run(subject, 100, { perSecond: 200 }),
  );
  const [ours = [], theirs = []] = await alternate(rounds, 0, works);
  const row = ratioRow({
    name: 'CPU of rendering 100 KB, 200 chunks a second',
    against: 'plain text',
    goal: 1,
    ours: cpu(ours),
    theirs: cpu(theirs),
    note: `ours ${parts(ours)} ms; plain text ${parts(theirs)} ms`,
  });
  table.add(row);
}
