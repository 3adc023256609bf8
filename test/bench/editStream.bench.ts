import assert from 'node:assert/strict';
import { CodeExtractor, CodeIndenter } from '../../src/core/code/codeExtractor.ts';
import { diffLists } from '../../src/core/edits/lineDiff.ts';
import { Proposal } from '../../src/core/edits/proposal.ts';
import { functionEdit } from './functionEdit.ts';
import { cpuOf } from './measure.ts';
import { compare } from './row.ts';
import type { Table } from './table.ts';

/** Characters per chunk, as sent by a service. */
const pieceLength = 12;

interface Sample {
  readonly before: readonly string[];
  readonly pieces: readonly string[];
  readonly after: string;
}

function sample(length: number): Sample {
  const { before, after, answer } = functionEdit(length);
  const pieces = answer.match(new RegExp(`[^]{1,${pieceLength}}`, 'g')) ?? [];
  return { before, pieces, after: `${after.join('\n')}\n` };
}

/** Processes the chunks of a reply into hunks, and returns their number. */
function stream({ before, pieces }: Sample): number {
  const fenced = new CodeExtractor('typescript');
  const indented = new CodeIndenter({ indent: '', unit: '  ' });
  const proposal = new Proposal(before, 0);
  for (const piece of pieces) proposal.push(indented.push(fenced.push(piece)));
  proposal.push(indented.push(fenced.end()) + indented.end());
  proposal.endStream();
  return proposal.hunks.length;
}

/** Computes the same hunks once at the end: splits the complete text into lines and compares them. */
function compareOnce({ before, pieces }: Sample): number {
  const [, code = ''] = pieces.join('').split(/```(?:ts)?\n/);
  return diffLists(before, code.split('\n')).length;
}

function repeated(times: number, work: () => unknown): Promise<number> {
  return cpuOf(() => {
    for (let round = 0; round < times; round++) work();
    return Promise.resolve();
  });
}

/** Measures the cost of showing a streamed edit, and its growth with length. */
export async function bench(table: Table): Promise<void> {
  const small = sample(2000);
  const large = sample(20_000);
  const proposal = new Proposal(small.before, 0);
  proposal.push(small.after);
  proposal.endStream();
  assert.equal(proposal.resultText(small.before.join('\n')), small.after.trimEnd());
  table.add(
    await compare({
      name: 'Edit of 2,000 lines, streamed into hunks by 12 characters',
      against: 'the whole text compared once',
      goal: 2,
      rounds: 15,
      ours: () => repeated(20, () => stream(small)),
      theirs: () => repeated(20, () => compareOnce(small)),
    }),
  );
  table.add(
    await compare({
      name: 'Edit of 20,000 lines, for each line',
      against: 'the same of 2,000 lines',
      goal: 1.6,
      rounds: 9,
      ours: () => repeated(2, () => stream(large)),
      theirs: () => repeated(20, () => stream(small)),
    }),
  );
}
