import assert from 'node:assert/strict';
import fc from 'fast-check';
import { linesBeforeSecrets, maskSecrets } from '../../../../src/core/support/secretTokens.ts';
import {
  findSymbol,
  renderChanges,
  renderLocatedLines,
  renderOutline,
  type OutlineSymbol,
  type RepositoryChange,
} from '../../../../src/core/tools/results.ts';
import { namedSecrets, privateKey, tokens } from '../support/secrets.ts';
import { runs } from '../../../support/sample.ts';

const header = 'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n';

function file(label: string, more: Partial<RepositoryChange> = {}): RepositoryChange {
  const status = 'modified';
  return { label, status, isStaged: false, isUnstaged: true, diff: '', ...more };
}

function longDiff(lines: number): string {
  return `${header}@@ -1 +1 @@\n${'+a line that was added\n'.repeat(lines)}`;
}

describe('renderChanges', () => {
  it('shows each file with its kind of change and its diff', () => {
    const files = [
      file('a.ts', { diff: `${header}@@ -1 +1 @@\n-a\n+b\n`, isStaged: true }),
      file('b.ts', { status: 'new', isStaged: true, isUnstaged: false }),
      file('.env', { note: 'It may contain secrets: not shown.' }),
    ];
    assert.equal(
      renderChanges('main', files),
      'Changes on main:\n\na.ts: modified, partly staged\n@@ -1 +1 @@\n-a\n+b\n\n' +
        'b.ts: new, staged\n\n.env: modified, not staged. It may contain secrets: not shown.',
    );
  });

  it('says if there are no changes', () => {
    assert.equal(renderChanges('main', []), 'No changes on main.');
  });

  it('truncates a file among others at a line, and says how to see all of it', () => {
    const text = renderChanges('main', [file('a.ts', { diff: longDiff(2000) }), file('b.ts')]);
    assert.ok(text.length < 9000);
    assert.match(text, /\+a line that was added\n\(Cut: call it with path "a\.ts"\.\)/);
    assert.match(text, /b\.ts: modified/);
  });

  it('shows more of a single file', () => {
    const text = renderChanges('main', [file('a.ts', { diff: longDiff(5000) })]);
    assert.ok(text.length > 30_000 && text.length < 34_000);
    assert.match(text, /\(Cut: read the file\.\)$/);
  });

  it('limits the list of many files', () => {
    const files = Array.from({ length: 60 }, (_, index) =>
      file(`f${index}.ts`, { diff: longDiff(300) }),
    );
    assert.ok(renderChanges('main', files).length < 40_000);
  });
});

const locatedLines = [
  { label: 'b.ts', line: 3, text: 'error: no' },
  { label: 'a.ts', line: 1, text: '' },
  { label: 'b.ts', line: 9, text: 'warning: well' },
];
const moreNote = (count: number): string => `(${count} more)`;

describe('renderLocatedLines', () => {
  it('names each file once, in the order of the lines', () => {
    const text = 'b.ts\n3: error: no\n9: warning: well\n\na.ts\n1';
    assert.equal(renderLocatedLines(locatedLines, { most: 10, noteOmitted: moreNote }), text);
  });

  it('counts omitted lines', () => {
    assert.equal(
      renderLocatedLines(locatedLines, { most: 1, noteOmitted: moreNote }),
      'b.ts\n3: error: no\n\n(2 more)',
    );
  });
});

function symbol(
  name: string,
  start: number,
  children: readonly OutlineSymbol[] = [],
): OutlineSymbol {
  const end = Math.max(start, ...children.map((child) => child.end + 1));
  return { name, kind: children.length > 0 ? 'class' : 'method', start, end, children };
}

const outline = [symbol('Chat', 1, [symbol('ask', 2), symbol('stop', 5)]), symbol('open', 9)];

describe('renderOutline', () => {
  it('indents inner symbols', () => {
    assert.equal(
      renderOutline(outline),
      '1-6 class Chat\n 2 method ask\n 5 method stop\n9 method open',
    );
  });

  it('shows symbols that match a query, and their parents', () => {
    assert.equal(renderOutline(outline, 'STOP'), '1-6 class Chat\n 5 method stop');
    assert.equal(renderOutline(outline, 'none'), '');
  });

  it('limits the number of symbols', () => {
    const many = Array.from({ length: 1000 }, (_, index) => symbol(`s${index}`, index + 1));
    const lines = renderOutline(many).split('\n');
    assert.equal(lines.length, 301);
    assert.equal(lines.at(-1), '(700 more: give a query.)');
  });

  it('finds no symbol by a part of a secret in its name', () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
    const symbol = { name: `Key ${token}`, kind: 'string', start: 1, end: 1, children: [] };
    for (let at = 4; at < token.length - 3; at++) {
      assert.equal(renderOutline([symbol], token.slice(at, at + 3)), '');
    }
    assert.match(renderOutline([symbol], 'key ghp_'), /^1 string Key ghp_‹masked \w+›$/);
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
