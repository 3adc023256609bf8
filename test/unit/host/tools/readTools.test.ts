import assert from 'node:assert/strict';
import type { OutlineSymbol } from '../../../../src/host/tools/findSymbols.ts';
import type { RepositoryChange } from '../../../../src/host/tools/getChanges.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { renderChanges } = await withoutVsCode(
  () => import('../../../../src/host/tools/getChanges.ts'),
);
const { renderOutline } = await withoutVsCode(
  () => import('../../../../src/host/tools/findSymbols.ts'),
);

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
