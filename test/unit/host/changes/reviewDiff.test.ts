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
      assert.equal(reviewPath(name), `${name}.txt`);
    }
    assert.equal(reviewPath('src/app.ts'), 'src/app.ts');
    assert.equal(reviewPath('/abs/main.py'), 'abs/main.py');
    assert.equal(reviewPath('C:\\a\\b.rs'), 'C:/a/b.rs');
  });
});
