import assert from 'node:assert/strict';
import { findTestFile, testPaths } from '../../../../src/core/code/testFile.ts';

function project(...files: readonly string[]): (path: string) => Promise<boolean> {
  return (path) =>
    Promise.resolve(files.some((file) => file === path || file.startsWith(`${path}/`)));
}

interface Case {
  readonly path: string;
  readonly language: string;
  /** Existing files. */
  readonly files: readonly string[];
  /** Path of the test file, followed by `*` if it exists. */
  readonly expected: string;
}

const cases: readonly Case[] = [
  { path: 'a.ts', language: 'typescript', files: [], expected: 'a.test.ts' },
  { path: 'src/a.tsx', language: 'typescriptreact', files: [], expected: 'src/a.test.tsx' },
  {
    path: 'src/a.js',
    language: 'javascript',
    files: ['src/a.spec.js'],
    expected: 'src/a.spec.js*',
  },
  {
    path: 'src/b/a.ts',
    language: 'typescript',
    files: ['src/b/__tests__/c.test.ts'],
    expected: 'src/b/__tests__/a.test.ts',
  },
  {
    path: 'src/b/a.ts',
    language: 'typescript',
    files: ['test/unit/b/a.test.ts'],
    expected: 'test/unit/b/a.test.ts*',
  },
  {
    path: 'packages/x/src/b/a.ts',
    language: 'typescript',
    files: ['packages/x/test/c.test.ts'],
    expected: 'packages/x/test/b/a.test.ts',
  },
  {
    path: 'src/a.test.ts',
    language: 'typescript',
    files: ['src/a.test.ts'],
    expected: 'src/a.test.ts*',
  },
  { path: 'b/a.py', language: 'python', files: [], expected: 'b/test_a.py' },
  {
    path: 'src/b/a.py',
    language: 'python',
    files: ['tests/test_c.py'],
    expected: 'tests/b/test_a.py',
  },
  {
    path: 'src/b/a.py',
    language: 'python',
    files: ['tests/test_a.py'],
    expected: 'tests/test_a.py*',
  },
  { path: 'b/test_a.py', language: 'python', files: [], expected: 'b/test_a.py' },
  { path: 'b/a.go', language: 'go', files: [], expected: 'b/a_test.go' },
  { path: 'src/a.rs', language: 'rust', files: ['src/a.rs'], expected: 'src/a.rs*' },
  {
    path: 'm/src/main/java/org/A.java',
    language: 'java',
    files: [],
    expected: 'm/src/test/java/org/ATest.java',
  },
  {
    path: 'src/main/kotlin/A.kt',
    language: 'kotlin',
    files: ['src/test/kotlin/ATests.kt'],
    expected: 'src/test/kotlin/ATests.kt*',
  },
  { path: 'A.cs', language: 'csharp', files: [], expected: 'ATests.cs' },
  { path: 'lib/b/a.rb', language: 'ruby', files: ['spec/c_spec.rb'], expected: 'spec/b/a_spec.rb' },
  { path: 'lib/a.rb', language: 'ruby', files: ['test/c_test.rb'], expected: 'test/a_test.rb' },
  { path: 'src/B/A.php', language: 'php', files: ['tests/C.php'], expected: 'tests/B/ATest.php' },
  {
    path: 'src/B/A.php',
    language: 'php',
    files: ['tests/Unit/C.php'],
    expected: 'tests/Unit/B/ATest.php',
  },
  { path: 'lib/a.dart', language: 'dart', files: [], expected: 'test/a_test.dart' },
];

describe('findTestFile', () => {
  for (const { path, language, files, expected } of cases) {
    it(`puts tests of ${path} into ${expected}${files.length === 0 ? '' : ` beside ${files.join()}`}`, async () => {
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
