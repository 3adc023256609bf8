import { median } from './measure.ts';
import { Random } from './rendering/random.ts';
import { figureRow, type Row } from './row.ts';

const rounds = 21;
const length = 100_000;

/** A row to compare machines: CPU time of the same work. */
export function processorSpeed(): Row {
  return figureRow({
    name: `the processor's own speed: ${length.toLocaleString('en')} numbers drawn and sorted, median of ${rounds}`,
    value: median(Array.from({ length: rounds }, timeOfWork)),
    unit: 'ms',
  });
}

/** Milliseconds, without the time of other programs. */
function timeOfWork(): number {
  const start = process.threadCpuUsage();
  const random = new Random(length);
  const numbers = Array.from({ length }, () => random.integer(0, 0x3fff_ffff));
  numbers.sort((a, b) => a - b);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
