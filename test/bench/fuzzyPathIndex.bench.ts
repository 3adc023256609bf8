import assert from 'node:assert/strict';
import { FuzzyPathIndex } from '../../src/core/files/fuzzyPathIndex.ts';
import { cpuOf } from './measure.ts';
import { compare } from './row.ts';
import type { Table } from './table.ts';

const fileCount = 50_000;
/** Runs per figure, since one keystroke is too short to measure. */
const repeats = 5;
const words = [
  'user',
  'order',
  'payment',
  'list',
  'view',
  'model',
  'service',
  'test',
  'util',
  'api',
];

const files = Array.from({ length: fileCount }, (_, index) => {
  const word = (step: number): string => words[Math.floor(index / step) % words.length] ?? '';
  return `packages/${word(5000)}/src/${word(500)}/${word(50)}/${word(1)}${word(7)}${index}.ts`;
});
const lower = files.map((file) => file.toLowerCase());

/** Queries while a name is typed. */
const typed = ['o', 'or', 'ord', 'orde', 'order', 'orderv', 'ordervi', 'orderview4'];

function times(work: (query: string) => unknown): Promise<number> {
  return cpuOf(() => {
    for (let round = 0; round < repeats; round++) typed.forEach(work);
    return Promise.resolve();
  });
}

/** Measures each keystroke in a search for a file to attach. */
export async function bench(table: Table): Promise<void> {
  const paths = new FuzzyPathIndex(files);
  assert.ok(paths.find('orderview4', 50).length > 0);
  table.add(
    await compare({
      name: 'Files by letters of their names, a keystroke among 50,000',
      against: 'one pass of `includes` over the paths',
      goal: 3,
      rounds: 9,
      ours: () => times((query) => paths.find(query, 50)),
      theirs: () => times((query) => lower.filter((path) => path.includes(query))),
    }),
  );
}
