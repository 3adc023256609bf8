import assert from 'node:assert/strict';
import { findSymbol } from '../../../../src/core/tools/results.ts';

const lines = [
  'import { ask } from "./ask";',
  '',
  'const task = ask();',
  'chat.ask(); // ask',
  '$ask();',
];

function find(line: number, symbol: string): readonly [number, number] | undefined {
  const place = findSymbol(lines, line, symbol);
  return place && [place.line + 1, place.character];
}

describe('findSymbol', () => {
  it('finds the whole word in its line', () => {
    assert.deepEqual(find(3, 'ask'), [3, 13]);
    assert.deepEqual(find(1, 'ask'), [1, 9]);
    assert.deepEqual(find(5, '$ask'), [5, 0]);
  });

  it('takes the last part of a name with its owner', () => {
    assert.deepEqual(find(4, 'Chat.ask'), [4, 5]);
    assert.deepEqual(find(4, 'Chat::ask'), [4, 5]);
    assert.deepEqual(find(4, 'Chat#ask'), [4, 5]);
  });

  it('takes the nearest line where it is not in that one', () => {
    assert.deepEqual(find(2, 'task'), [3, 6]);
    assert.deepEqual(find(500, 'ask'), [4, 5]);
    assert.deepEqual(find(5, 'import'), [1, 0]);
  });

  it('finds nothing where the word is part of others alone', () => {
    assert.equal(find(1, 'as'), undefined);
    assert.equal(find(1, ''), undefined);
  });
});
