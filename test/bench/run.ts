/** The benchmarks: each figure a ratio taken in one run, the two sides in turn, medians. */
import { cpus } from 'node:os';
import { clientBench } from './client.bench.ts';
import type { Ratio } from './measure.ts';

function row({ name, against, ours, theirs, ratio, goal }: Ratio): string {
  const cells = [name, against, `${ours.toPrecision(3)} ms`, `${theirs.toPrecision(3)} ms`];
  return `| ${[...cells, `**${ratio.toFixed(2)}**`, goal === undefined ? '' : `≤ ${goal.toFixed(2)}`].join(' | ')} |`;
}

const cpu = cpus()[0]?.model ?? 'unknown processor';
console.log(`Node ${process.version}, ${cpu}, ${cpus().length} cores\n`);
console.log('| what | against | ours | theirs | ratio | goal |');
console.log('|---|---|--:|--:|--:|--:|');
let missed = 0;
for (const ratio of await clientBench()) {
  console.log(row(ratio));
  if (ratio.ratio > (ratio.goal ?? Infinity)) missed += 1;
}
process.exitCode = missed === 0 ? 0 : 1;
