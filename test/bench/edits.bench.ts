import assert from 'node:assert/strict';
import { applyEdits } from '../../src/core/edits/applyEdits.ts';
import { countChangedLines } from '../../src/core/edits/lineDiff.ts';
import { cpuOf } from './measure.ts';
import { compare, type Row } from './row.ts';
import type { Table } from './table.ts';

const lines = 20_000;
/** Runs per figure, since one run is too short to measure. */
const repeats = 20;

const text = Array.from(
  { length: lines },
  (_, index) => `    const value${index} = compute(${index % 7});\n`,
).join('');

const written = 'const value15000 = compute(6);\n    const value15001 = compute(0);';
const otherwise = 'const value15000  = compute(6);\nconst value15001 = compute(0);  ';
const replacement = 'const gone = 0;';

function times(work: () => unknown): Promise<number> {
  return cpuOf(() => {
    for (let round = 0; round < repeats; round++) work();
    return Promise.resolve();
  });
}

function edited(search: string): string {
  return applyEdits(text, [{ search, replace: replacement }]);
}

/** The minimum of every edit: find the location, check that it is unique, replace. */
function plainEdit(): string {
  const start = text.indexOf(written);
  assert.equal(text.indexOf(written, start + 1), -1);
  return text.slice(0, start) + replacement + text.slice(start + written.length);
}

/** The simplest search that ignores white space. */
function squeezedSearch(): number {
  return text.replace(/[^\S\n]+/g, ' ').indexOf(otherwise.replace(/[^\S\n]+/g, ' ').trimEnd());
}

/** Puts the lines of both texts into one set, the first step of every diff. */
function setOfLines(other: string): number {
  const known = new Set(text.split('\n'));
  return other.split('\n').filter((line) => !known.has(line)).length;
}

function row(
  name: string,
  against: string,
  goal: number,
  ours: () => unknown,
  theirs: () => unknown,
): Promise<Row> {
  const sides = { ours: () => times(ours), theirs: () => times(theirs) };
  return compare({ name, against, goal, rounds: 15, ...sides });
}

/** Measures finding the location of an edit, and counting changed lines. */
export async function bench(table: Table): Promise<void> {
  assert.equal(edited(written), plainEdit());
  assert.equal(edited(otherwise), edited(written));
  const after = edited(written);
  table.add(
    await row(
      'Edit of a file of 20,000 lines, written exactly',
      'two passes of `indexOf`',
      2,
      () => edited(written),
      plainEdit,
    ),
  );
  table.add(
    await row(
      'The same edit with other white space',
      'a regular expression that squeezes it',
      5,
      () => edited(otherwise),
      squeezedSearch,
    ),
  );
  table.add(
    await row(
      'Lines that it changed, counted',
      'a set of all lines',
      1,
      () => countChangedLines(text, after),
      () => setOfLines(after),
    ),
  );
}
