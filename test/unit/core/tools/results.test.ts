import assert from 'node:assert/strict';
import fc from 'fast-check';
import { linesBeforeSecrets, maskSecrets } from '../../../../src/core/support/secretTokens.ts';
import { findSymbol, renderLocatedLines } from '../../../../src/core/tools/results.ts';
import { namedSecrets, privateKey, tokens } from '../support/secrets.ts';
import { runs } from '../../../support/sample.ts';

const locatedLines = [
  { label: 'b.ts', line: 3, text: 'error: no' },
  { label: 'a.ts', line: 1, text: '' },
  { label: 'b.ts', line: 9, text: 'warning: well' },
];

describe('renderLocatedLines', () => {
  it('names each file once, in the order of the lines', () => {
    const text = 'b.ts\n3: error: no\n9: warning: well\n\na.ts\n1';
    assert.equal(renderLocatedLines(locatedLines), text);
  });

  it('counts omitted lines', () => {
    assert.equal(
      renderLocatedLines(locatedLines, 1, 'ask for one file'),
      'b.ts\n3: error: no\n\n(2 more: ask for one file.)',
    );
  });
});

const seed = Number(process.env['SEED'] ?? 5);

const lines = [
  'import { ask } from "./ask";',
  '',
  'const task = ask();',
  'chat.ask(); // ask',
  '$ask();',
];

function find(line: number, symbol: string): readonly [number, number] | undefined {
  const position = findSymbol(lines, line, symbol);
  return position && [position.line + 1, position.character];
}

describe('findSymbol', () => {
  it('finds the whole word in its line', () => {
    assert.deepEqual(find(3, 'ask'), [3, 13]);
    assert.deepEqual(find(1, 'ask'), [1, 9]);
    assert.deepEqual(find(5, '$ask'), [5, 0]);
  });

  it('uses the last part of a qualified name', () => {
    assert.deepEqual(find(4, 'Chat.ask'), [4, 5]);
    assert.deepEqual(find(4, 'Chat::ask'), [4, 5]);
    assert.deepEqual(find(4, 'Chat#ask'), [4, 5]);
  });

  it('uses the nearest line if the word is not in the given line', () => {
    assert.deepEqual(find(2, 'task'), [3, 6]);
    assert.deepEqual(find(500, 'ask'), [4, 5]);
    assert.deepEqual(find(5, 'import'), [1, 0]);
  });

  it('finds nothing if the word is only part of others', () => {
    assert.equal(find(1, 'as'), undefined);
    assert.equal(find(1, ''), undefined);
  });

  it('finds no word in a secret, so that secrets cannot be guessed', () => {
    const secret = fc.oneof(tokens, namedSecrets, fc.constant(privateKey));
    fc.assert(
      fc.property(secret, fc.constantFrom('', 'const a = "', '  '), (token, before) => {
        const text = `first();\n${before}${token}";\nlast();`;
        const { secrets, text: masked } = maskSecrets(text);
        for (const { secret: whole, visiblePrefix: prefix } of secrets.values()) {
          for (const word of whole.slice(prefix.length).split(/[^A-Za-z0-9_]+/)) {
            if (word.length < 3 || masked.includes(word)) continue;
            assert.equal(findSymbol(text.split('\n'), 2, word), undefined, word);
          }
        }
        assert.deepEqual(findSymbol(text.split('\n'), 2, 'first'), { line: 0, character: 0 });
      }),
      { seed, numRuns: runs(500) },
    );
  });

  it('finds text before a secret, in its column of the file', () => {
    const line = `  const token = "ghp_${'a1B2c3D4'.repeat(5)}"; // token`;
    assert.deepEqual(findSymbol([line], 1, 'token'), { line: 0, character: 8 });
    assert.deepEqual(linesBeforeSecrets(['a', line, 'b']), ['a', '  const token = "ghp_', 'b']);
  });
});
