import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { nextSegmentName: nextPiece } = await withoutVsCode(
  () => import('../../../../src/host/chat/segmentStorage.ts'),
);

describe('the name of the next journal segment', () => {
  it('comes after all existing ones, even if some are missing', () => {
    const names: string[] = [];
    for (let count = 0; count < 12; count++) names.push(nextPiece(names, 'a'));
    assert.deepEqual(names.toSorted(), names);
    const last = names.at(-1) ?? '';
    const next = nextPiece(['00000000.jsonl', last, '.other'], 'a');
    assert.deepEqual([next, last].toSorted(), [last, next]);
  });

  it('is unique to its writer, so that two windows never overwrite each other', () => {
    const old = ['00000000.jsonl'];
    assert.notEqual(nextPiece(old, 'a'), nextPiece(old, 'b'));
    const both = [...old, nextPiece(old, 'a'), nextPiece(old, 'b')];
    assert.ok(!both.includes(nextPiece(both, 'a')));
    assert.deepEqual(both.toSorted(), both);
  });
});
