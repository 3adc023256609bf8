import { median } from './measure.ts';
import { Random } from './rendering/random.ts';
import { figureRow, type Row } from './row.ts';

const rounds = 21;
const length = 100_000;

/** The row by which two machines are told apart: CPU time of the same work on each. */
export function processorSpeed(): Row {
  return figureRow({
    name: `the processor's own speed: ${length.toLocaleString('en')} numbers drawn and sorted, median of ${rounds}`,
    value: median(Array.from({ length: rounds }, timeOfWork)),
    unit: 'ms',
  });
}

/** Milliseconds. What other programs take of the processor in the meantime isn't part of it. */
function timeOfWork(): number {
  const start = process.threadCpuUsage();
  const random = new Random(length);
  const numbers = Array.from({ length }, () => random.integer(0, 0x3fff_ffff));
  numbers.sort((a, b) => a - b);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
