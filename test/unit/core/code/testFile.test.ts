import assert from 'node:assert/strict';
import { findTestFile, testPaths } from '../../../../src/core/code/testFile.ts';

function project(...files: readonly string[]): (path: string) => Promise<boolean> {
  return (path) =>
    Promise.resolve(files.some((file) => file === path || file.startsWith(`${path}/`)));
}

/** A file, its language, the existing files, and the path of its test file with `*` if it exists. */
const cases = `
a.ts typescript → a.test.ts
src/a.tsx typescriptreact → src/a.test.tsx
src/a.js javascript src/a.spec.js → src/a.spec.js*
src/b/a.ts typescript src/b/__tests__/c.test.ts → src/b/__tests__/a.test.ts
src/b/a.ts typescript test/unit/b/a.test.ts → test/unit/b/a.test.ts*
packages/x/src/b/a.ts typescript packages/x/test/c.test.ts → packages/x/test/b/a.test.ts
src/a.test.ts typescript src/a.test.ts → src/a.test.ts*
b/a.py python → b/test_a.py
src/b/a.py python tests/test_c.py → tests/b/test_a.py
src/b/a.py python tests/test_a.py → tests/test_a.py*
b/test_a.py python → b/test_a.py
b/a.go go → b/a_test.go
src/a.rs rust src/a.rs → src/a.rs*
m/src/main/java/org/A.java java → m/src/test/java/org/ATest.java
src/main/kotlin/A.kt kotlin src/test/kotlin/ATests.kt → src/test/kotlin/ATests.kt*
A.cs csharp → ATests.cs
lib/b/a.rb ruby spec/c_spec.rb → spec/b/a_spec.rb
lib/a.rb ruby test/c_test.rb → test/a_test.rb
src/B/A.php php tests/C.php → tests/B/ATest.php
src/B/A.php php tests/Unit/C.php → tests/Unit/B/ATest.php
lib/a.dart dart → test/a_test.dart
`;

describe('findTestFile', () => {
  for (const row of cases.trim().split('\n')) {
    const [given = '', expected] = row.split(' → ');
    const [path = '', language = '', ...files] = given.split(' ');
    it(`puts tests of ${row}`, async () => {
      const testFile = await findTestFile(path, language, project(...files));
      assert.equal(testFile && `${testFile.path}${testFile.isThere ? '*' : ''}`, expected);
    });
  }

  it('returns undefined for languages without a convention', async () => {
    assert.equal(testPaths('a.css', 'css'), undefined);
    assert.equal(await findTestFile('a.css', 'constructor', project()), undefined);
  });

  it('suggests each path once, and none outside the folder', () => {
    for (const path of ['a.ts', 'src/a.ts', 'a/src/b/c.ts']) {
      const paths = testPaths(path, 'typescript') ?? [];
      assert.equal(new Set(paths).size, paths.length);
      for (const each of paths) assert.doesNotMatch(each, /^\/|\/\/|\{/);
    }
  });
});
