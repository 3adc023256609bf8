/** Where tests stand in projects of a language. */
export interface TestConvention {
  /** Whether a path is a test file itself. */
  readonly isTest: RegExp;
  /** Paths of test files, the most usual first, with names in braces for parts of the path of the source. */
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

/** Each language by the editor's id. No path: tests stand in the file itself. */
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

/** The convention of a language, by the editor's id; undefined where none is known. */
export function testConvention(language: string): TestConvention | undefined {
  return Object.hasOwn(conventions, language) ? conventions[language] : undefined;
}
