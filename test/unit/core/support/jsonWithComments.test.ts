import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJsonWithComments } from '../../../../src/core/support/jsonWithComments.ts';

describe('JSON with comments', () => {
  it('ignores comments, wherever they are', () => {
    const comment = fc.constantFrom('// "a", [\n', '/* "b" } */', '/**/', '\n');
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(comment, { minLength: 1, maxLength: 5 }),
        (value, some) => {
          const json = JSON.stringify(value, undefined, 1);
          let count = 0;
          const commented = json.replaceAll('\n', () => `\n${some[count++ % some.length] ?? ''}`);
          assert.deepEqual(parseJsonWithComments(commented), JSON.parse(json));
        },
      ),
    );
  });

  it("may have trailing commas, and is undefined if it isn't JSON", () => {
    assert.deepEqual(parseJsonWithComments('[1, /* , */ {"a": ",]",}, // x\n ]'), [1, { a: ',]' }]);
    for (const text of ['', '[1,,]', '"', '"\\', '/*', '/', 'models:\n- a: b'])
      assert.equal(parseJsonWithComments(text), undefined, text);
  });

  it('is read in linear time', () => {
    for (const part of ['/*', '//', '"', '/', ', ', '\\"']) {
      const started = performance.now();
      parseJsonWithComments(part.repeat(500_000));
      assert.ok(performance.now() - started < 15_000, part);
    }
  });
});
