import { lastSegment } from '../support/text.ts';

/** The path of a file's tests, and whether the file exists. */
interface TestFilePath {
  readonly path: string;
  readonly isThere: boolean;
}

const sourceFolder =
  /^(?:(.*?)\/)??(?:src\/main\/(?:java|kotlin)|src|lib|app|source|Sources)(?:\/(.*))?$/;

/**
 * The possible paths of a file's tests by the conventions of its language; undefined if none are
 * known.
 *
 * @param path of the file, with `/`, relative to its workspace folder
 * @param language VS Code's language id
 */
export function testPaths(path: string, language: string): readonly string[] | undefined {
  const convention = Object.hasOwn(conventions, language) ? conventions[language] : undefined;
  if (convention === undefined) return undefined;
  const { isTest, paths } = convention;
  if (paths.length === 0 || isTest.test(path)) return [path];
  const folder = folderOf(path);
  const file = lastSegment(path);
  const dot = file.lastIndexOf('.');
  const [match, root = '', below = ''] = sourceFolder.exec(folder) ?? [];
  const parts: Readonly<Record<string, string>> = {
    folder,
    root,
    below: match === undefined ? folder : below,
    name: dot > 0 ? file.slice(0, dot) : file,
    type: dot > 0 ? file.slice(dot + 1) : '',
  };
  const filled = paths.map((pattern) =>
    pattern
      .replace(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '')
      // Empty parts leave no slash behind.
      .replace(/\/{2,}/g, '/')
      .replace(/^\//, ''),
  );
  return [...new Set(filled)];
}

/**
 * Finds the test file of a file: the first candidate that exists, otherwise the first whose folder
 * exists, where the project has its tests.
 *
 * @param exists returns true if a file or folder with this path exists
 */
export async function findTestFile(
  path: string,
  language: string,
  exists: (path: string) => Promise<boolean>,
): Promise<TestFilePath | undefined> {
  const paths = testPaths(path, language);
  const [first] = paths ?? [];
  if (paths === undefined || first === undefined) return undefined;
  for (const candidate of paths) {
    if (await exists(candidate)) return { path: candidate, isThere: true };
  }
  // A separate test folder is a stronger hint than the folder of the file.
  const separateFolders = paths.filter((candidate) => folderOf(candidate) !== folderOf(path));
  for (const candidate of separateFolders) {
    // The dedicated test folder in the path, or else the whole folder.
    const root = /^(?:.*?\/)??(?:src\/test|__tests__|spec|[Tt]ests?)(?:\/[Uu]nit)?(?=\/)/.exec(
      candidate,
    );
    if (await exists(root?.[0] ?? folderOf(candidate))) return { path: candidate, isThere: false };
  }
  return { path: first, isThere: false };
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

interface TestConvention {
  /** Matches the paths of test files. */
  readonly isTest: RegExp;
  /** Patterns of test file paths, most common first, with parts of the source path in braces. */
  readonly paths: readonly string[];
}

const script: TestConvention = {
  isTest: /(?:\.(?:test|spec)\.[^/.]+|(?:^|\/)__tests__\/[^/]+)$/,
  paths: [
    '{folder}/{name}.test.{type}',
    '{folder}/{name}.spec.{type}',
    '{folder}/__tests__/{name}.test.{type}',
    '{folder}/__tests__/{name}.{type}',
    '{root}/test/{below}/{name}.test.{type}',
    '{root}/test/unit/{below}/{name}.test.{type}',
    '{root}/tests/{below}/{name}.test.{type}',
    '{root}/test/{below}/{name}.spec.{type}',
    '{root}/tests/{below}/{name}.spec.{type}',
  ],
};

const ofJava = (type: string): TestConvention => ({
  isTest: /(?:^|\/)src\/test\/|Tests?\.(?:java|kt)$/,
  paths: [
    `{root}/src/test/${type}/{below}/{name}Test.{type}`,
    `{root}/src/test/${type}/{below}/{name}Tests.{type}`,
    '{folder}/{name}Test.{type}',
  ],
});

/**
 * Conventions by VS Code's language identifier. An empty list means that tests are in the source
 * file itself.
 */
const conventions: Readonly<Record<string, TestConvention>> = {
  typescript: script,
  typescriptreact: script,
  javascript: script,
  javascriptreact: script,
  vue: { ...script, paths: script.paths.map((path) => path.replace('{type}', 'ts')) },
  svelte: { ...script, paths: script.paths.map((path) => path.replace('{type}', 'ts')) },
  python: {
    isTest: /(?:^|\/)(?:test_[^/]+|[^/]+_test)\.py$/,
    paths: [
      '{folder}/test_{name}.py',
      '{folder}/{name}_test.py',
      '{folder}/tests/test_{name}.py',
      '{root}/tests/{below}/test_{name}.py',
      '{root}/tests/unit/{below}/test_{name}.py',
      '{root}/tests/test_{name}.py',
      '{root}/test/test_{name}.py',
    ],
  },
  go: { isTest: /_test\.go$/, paths: ['{folder}/{name}_test.go'] },
  rust: { isTest: /(?:^|\/)tests\//, paths: [] },
  java: ofJava('java'),
  kotlin: ofJava('kotlin'),
  csharp: {
    isTest: /Tests?\.cs$/,
    paths: [
      '{folder}/{name}Tests.cs',
      '{folder}/{name}Test.cs',
      '{root}/tests/{below}/{name}Tests.cs',
      '{root}/test/{below}/{name}Tests.cs',
      '{root}/Tests/{below}/{name}Tests.cs',
    ],
  },
  ruby: {
    isTest: /_(?:spec|test)\.rb$/,
    paths: [
      '{root}/spec/{below}/{name}_spec.rb',
      '{root}/test/{below}/{name}_test.rb',
      '{root}/test/{below}/test_{name}.rb',
    ],
  },
  php: {
    isTest: /Test\.php$/,
    paths: [
      '{root}/tests/Unit/{below}/{name}Test.php',
      '{root}/tests/{below}/{name}Test.php',
      '{folder}/{name}Test.php',
    ],
  },
  dart: { isTest: /_test\.dart$/, paths: ['{root}/test/{below}/{name}_test.dart'] },
  elixir: { isTest: /_test\.exs$/, paths: ['{root}/test/{below}/{name}_test.exs'] },
  swift: { isTest: /Tests\.swift$/, paths: ['{root}/Tests/{below}/{name}Tests.swift'] },
  c: {
    isTest: /(?:^|\/)test_[^/]+$/,
    paths: ['{root}/tests/test_{name}.c', '{root}/test/test_{name}.c'],
  },
  cpp: {
    isTest: /(?:_test\.[^/]+|(?:^|\/)test_[^/]+)$/,
    paths: [
      '{folder}/{name}_test.cpp',
      '{root}/tests/{name}_test.cpp',
      '{root}/test/{name}_test.cpp',
    ],
  },
};
