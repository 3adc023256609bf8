import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { Approved } from '../../../../src/core/approval/gate.ts';

const root = new URL('../../../../src/', import.meta.url);

describe('Approved', () => {
  it('is created only by the gate', () => {
    const files = globSync('**/*.{ts,tsx}', { cwd: root }).map((file) =>
      file.replaceAll('\\', '/'),
    );
    const creators = files.filter((file) =>
      /new\s+Approved\b|extends\s+Approved\b|Approved\s*\.\s*prototype|\{[^}]*\bApproved\s+as\b/.test(
        readFileSync(new URL(file, root), 'utf8'),
      ),
    );
    assert.deepEqual(creators, ['core/approval/workspaceGate.ts']);
  });

  it("can't be imitated by another object", () => {
    const lookalike: object = { value: 1 };
    assert.ok(!(lookalike instanceof Approved));
    const copy: unknown = Object.create(Approved.prototype);
    assert.ok(copy instanceof Approved);
    assert.throws(() => assert.fail(String(copy.value)), TypeError);
    assert.equal(new Approved(1).value, 1);
  });
});
