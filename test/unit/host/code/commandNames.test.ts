import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withUniqueNames } from '../../../../src/host/code/commandNames.ts';

describe('commands with one name', () => {
  it('are prefixed by their origin, except the first', () => {
    const files = [
      { name: 'review', key: 'my app' },
      { name: 'review', key: 'own' },
      { name: 'other', key: 'own' },
    ];
    const names = withUniqueNames(files, []).map(({ name }) => name);
    assert.deepEqual(names, ['review', 'own:review', 'other']);
  });

  it('cannot replace a built-in command', () => {
    const [file] = withUniqueNames([{ name: 'fix', key: 'app' }], ['fix']);
    assert.equal(file?.name, 'app:fix');
  });

  it('always get unique names', () => {
    const word = fc.constantFrom('a', 'b', 'a:b', 'b:a', 'b:a-2');
    const files = fc.array(fc.record({ name: word, key: fc.constantFrom('a', 'b') }));
    fc.assert(
      fc.property(files, (generated) => {
        const names = withUniqueNames(generated, ['a']).map(({ name }) => name);
        assert.equal(new Set([...names, 'a']).size, names.length + 1);
      }),
    );
  });
});
