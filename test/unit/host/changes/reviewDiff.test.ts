import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { reviewPath } = await withoutVsCode(
  () => import('../../../../src/host/changes/reviewDiff.ts'),
);

describe('reviewPath', () => {
  it('is no path of a language that looks for schemas or imports', () => {
    for (const name of [
      'package.json',
      'a.xml',
      'a.yaml',
      'style.css',
      'x.svg',
      'Makefile',
      '.env',
    ]) {
      assert.equal(reviewPath(1, 'after', name), `/1/after/${name}.txt`);
    }
    assert.equal(reviewPath(2, 'before', 'src/app.ts'), '/2/before/src/app.ts');
    assert.equal(reviewPath(3, 'after', '/abs/main.py'), '/3/after/abs/main.py');
    assert.equal(reviewPath(4, 'after', 'C:\\a\\b.rs'), '/4/after/C:/a/b.rs');
  });
});
