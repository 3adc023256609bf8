import { findDefinitions, wordsOf, type Definition } from './demoDefinitions.ts';
import type { EditRequest } from './demoEditRequest.ts';

/** The subject of the tests. */
interface Subject {
  /** A function or class at the top of its file; undefined if there is none to call. */
  readonly definition: Definition | undefined;
  /** The name of its file without folder and ending. */
  readonly module: string;
  /** The path of its file from the folder of the tests. */
  readonly relative: string;
  readonly request: EditRequest;
}

type WriteTests = (subject: Subject) => string | undefined;

const writers: Readonly<Record<string, WriteTests>> = {
  typescript: scriptTests,
  javascript: scriptTests,
  typescriptreact: scriptTests,
  javascriptreact: scriptTests,
  python: pythonTests,
  go: goTests,
  rust: rustTests,
  java: javaTests,
  ruby: rubyTests,
  php: phpTests,
};

/** The whole text of the test file; undefined if the demo can't write one in this language. */
export function testsOf(request: EditRequest): string | undefined {
  const write = Object.hasOwn(writers, request.language) ? writers[request.language] : undefined;
  const file = request.path.slice(request.path.lastIndexOf('/') + 1);
  const definitions = findDefinitions(request);
  const definition = definitions.find(({ header }) =>
    /^(?!.*\b(?:interface|enum|type)\b)\S/.test(header),
  );
  const relative = relativePath(request.testPath, request.path);
  return write?.({ definition, module: file.replace(/\.[^.]*$/, ''), relative, request });
}

function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const parts = to.split('/');
  while (folders.length > 0 && folders[0] === parts[0] && parts.length > 1) {
    folders.shift();
    parts.shift();
  }
  return [...(folders.length === 0 ? ['.'] : folders.map(() => '..')), ...parts].join('/');
}

function appended(text: string, tests: string): string {
  return `${text.trimEnd()}\n\n${tests.trimEnd()}`;
}

function scriptTests({ definition, module, relative, request }: Subject): string | undefined {
  const { testText, piece, before, after } = request;
  const path = JSON.stringify(relative.replace(/\.[jt]sx$/, '')).replaceAll('"', "'");
  const isExported = definition !== undefined && /^\s*export\s+(?!default)/.test(definition.header);
  const isCommonJs = /\brequire\(|\bmodule\.exports\b/.test(before + piece + after);
  const name = isExported ? definition.name : undefined;
  const what = JSON.stringify(
    name === undefined ? `${module} loads` : `${name} is defined`,
  ).replaceAll('"', "'");
  const load = isCommonJs ? `require(${path})` : `await import(${path})`;
  const check =
    name === undefined ? `typeof subject !== 'object'` : `typeof subject.${name} !== 'function'`;
  const body = `  const subject = ${load};\n  if (${check}) throw new Error(${what.replace(/(?:is defined|loads)'$/, "is missing'")});`;
  const test = (call: string): string => `${call}(${what}, async () => {\n${body}\n});`;
  if (testText !== undefined) {
    const call = /^\s*(?:test|it)(?=\()/m.exec(testText)?.[0].trim();
    return call === undefined ? undefined : appended(testText, test(call));
  }
  const head = isCommonJs
    ? "const { test } = require('node:test');"
    : "import { test } from 'node:test';";
  return `${head}\n\n${test('test')}`;
}

function identifier(text: string): string {
  return wordsOf(text).replace(/[^\p{L}\p{N}]+/gu, '_');
}

function camel(text: string): string {
  return wordsOf(text).replace(/(?:^|\s)(\S)/g, (_, letter: string) => letter.toUpperCase());
}

function pythonTests({
  definition,
  module,
  relative,
  request: { testText },
}: Subject): string | undefined {
  if (!/^[\p{L}_]\w*$/u.test(module)) return undefined;
  const subject = definition?.name ?? module;
  const load = definition === undefined ? `import ${module}` : `from ${module} import ${subject}`;
  const check = definition === undefined ? `${module} is not None` : `callable(${subject})`;
  const method = `test_${identifier(subject)}`;
  if (testText !== undefined) {
    return appended(testText, `\ndef ${method}_is_there():\n    ${load}\n\n    assert ${check}`);
  }
  const folder = relative.split('/').slice(0, -1).join('/');
  const search =
    folder === '.'
      ? ''
      : `import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).resolve().parent / "${folder}"))\n\n`;
  return `import unittest\n${search}\n${load}\n\n\nclass Test${camel(subject)}(unittest.TestCase):\n    def ${method}(self):\n        self.assertTrue(${check})\n\n\nif __name__ == "__main__":\n    unittest.main()`.replace(
    'import unittest\nimport sys',
    'import sys\nimport unittest',
  );
}

function goTests({ definition, module, request }: Subject): string | undefined {
  const { testText, piece, before } = request;
  const name = definition?.name ?? module;
  const test = `Test${camel(name)}`;
  const isPlain = definition?.kind === 'function' && /^func\s+\w+\s*\(/.test(definition.header);
  const body = isPlain ? `\t_ = ${name}\n` : '';
  const code = `func ${test}(t *testing.T) {\n${body}\tt.Log("Call ${name} here, and compare what it returns.")\n}`;
  if (testText?.includes(`func ${test}(`) === true) return undefined;
  if (testText !== undefined)
    return /"testing"/.test(testText) ? appended(testText, code) : undefined;
  const owner = /^package\s+(\w+)/m.exec(before + piece)?.[1];
  return owner === undefined ? undefined : `package ${owner}\n\nimport "testing"\n\n${code}`;
}

function rustTests({ definition, module, request: { testText } }: Subject): string | undefined {
  if (testText === undefined || /#\[cfg\(test\)\]/.test(testText)) return undefined;
  const name = definition?.name ?? module;
  return appended(
    testText,
    `#[cfg(test)]\nmod tests {\n    #[test]\n    fn ${identifier(name)}_works() {\n        // Call ${name} here, and compare what it returns.\n        assert_eq!(1 + 1, 2);\n    }\n}`,
  );
}

function javaTests({ module, request }: Subject): string | undefined {
  const { testText, before, piece } = request;
  if (testText !== undefined) return undefined;
  const owner = /^package\s+[\w.]+;/m.exec(before + piece)?.[0];
  const head = owner === undefined ? '' : `${owner}\n\n`;
  return `${head}import static org.junit.jupiter.api.Assertions.assertNotNull;\n\nimport org.junit.jupiter.api.Test;\n\nclass ${camel(module)}Test {\n    @Test\n    void ${module.replace(/^\w/, (letter) => letter.toLowerCase())}IsThere() {\n        assertNotNull(${module}.class);\n    }\n}`;
}

function rubyTests({
  definition,
  module,
  relative,
  request: { testText },
}: Subject): string | undefined {
  if (testText !== undefined) return undefined;
  const name = definition?.name ?? module;
  return `require "minitest/autorun"\nrequire_relative ${JSON.stringify(relative.replace(/\.rb$/, ''))}\n\nclass Test${camel(name)} < Minitest::Test\n  def test_${identifier(name)}\n    # Call ${name} here, and compare what it returns.\n    assert true\n  end\nend`;
}

function phpTests({ definition, module, request: { testText } }: Subject): string | undefined {
  if (testText !== undefined) return undefined;
  const name = definition?.name ?? module;
  return `<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class ${camel(module)}Test extends TestCase\n{\n    public function test${camel(name)}(): void\n    {\n        // Call ${name} here, and compare what it returns.\n        $this->assertTrue(true);\n    }\n}`;
}
