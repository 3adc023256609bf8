import assert from 'node:assert/strict';
import { renderChanges, type RepositoryChange } from '../../../../src/core/tools/results.ts';

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
