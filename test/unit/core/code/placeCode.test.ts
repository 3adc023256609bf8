import assert from 'node:assert/strict';
import { normalizeReplyCode, placeCode } from '../../../../src/core/code/placeCode.ts';

/** The document after placing the code; undefined if the location is uncertain. */
function placed(document: string, code: string): string | undefined {
  const target = placeCode(document, code);
  if (target === undefined) return undefined;
  return document
    .split('\n')
    .toSpliced(target.start, target.end - target.start, ...target.lines)
    .join('\n');
}

const script = `import { a } from './a.ts';
import { b } from './b.ts';

/** Adds. */
export function sum(list: number[]): number {
  let all = 0;
  for (const one of list) {
    all += one;
  }
  return all;
}

export class Store {
  #items = new Map<string, number>();

  get(key: string): number {
    return this.#items.get(key) ?? 0;
  }

  @logged
  set(key: string, value: number): void {
    this.#items.set(key, value);
  }
}

export function mean(list: number[]): number {
  return sum(list) / list.length;
}
`;

const python = `import os


class Reader:
    def __init__(self, path):
        self.path = path

    def read(self):
        with open(self.path) as file:
            return file.read()


class Writer:
    def __init__(self, path):
        self.path = path


def main():
    reader = Reader("a")
    text = reader.read()
    print(text)
`;

interface Case {
  readonly document?: string;
  readonly code: string;
  /** Expected replacements in the document; undefined if the location is uncertain. */
  readonly change?: readonly (readonly [string, string])[];
}

const cases: Readonly<Record<string, Case>> = {
  'a function with another body': {
    code: 'export function mean(list: number[]): number {\n  if (list.length === 0) return 0;\n  return sum(list) / list.length;\n}',
    change: [['  return sum(list)', '  if (list.length === 0) return 0;\n  return sum(list)']],
  },
  'a function with another signature': {
    code: 'export async function mean(...list: readonly number[]): Promise<number> {\n  return sum(list) / list.length;\n}\n',
    change: [
      [
        'export function mean(list: number[]): number',
        'export async function mean(...list: readonly number[]): Promise<number>',
      ],
    ],
  },
  'a function below its comment, which stays': {
    code: 'export function sum(list: number[]): number {\n  return list.reduce((all, one) => all + one, 0);\n}',
    change: [
      [
        script.slice(script.indexOf('  let all'), script.indexOf('}\n\nexport class')),
        '  return list.reduce((all, one) => all + one, 0);\n',
      ],
    ],
  },
  'a function with tabs in a file of spaces that has some tabs': {
    document: 'def f():\n    return 1\n\ndef g():\n    return 2\n\t\t# Odd.\n',
    code: 'def f():\n\treturn 3',
    change: [['return 1', 'return 3']],
  },
  'a method without its indentation': {
    code: 'get(key: string): number {\n  return this.#items.get(key) ?? -1;\n}',
    change: [['?? 0', '?? -1']],
  },
  'a method with a comment but without its decorator': {
    code: '// Sets.\nset(key: string, value: number): void {\n  return;\n}',
  },
  'a method with its decorator': {
    code: '@logged\nset(key: string, value: number): void {\n  return;\n}',
    change: [['this.#items.set(key, value);', 'return;']],
  },
  'a class that lacks a method': {
    code: 'export class Store {\n  #items = new Map<string, number>();\n\n  get(key: string): number {\n    return 1;\n  }\n}',
  },
  'a class with all its methods': {
    code: 'export class Store {\n  get(key: string): number {\n    return 1;\n  }\n\n  set(key: string, value: number): void {}\n}',
    change: [
      [
        script.slice(script.indexOf('  #items'), script.indexOf('}\n\nexport function mean')),
        '  get(key: string): number {\n    return 1;\n  }\n\n  set(key: string, value: number): void {}\n',
      ],
    ],
  },
  'a class around one method, with an elision': {
    code: 'export class Store {\n  // ... existing code ...\n\n  get(key: string): number {\n    return 1;\n  }\n\n  // ...\n}',
    change: [['return this.#items.get(key) ?? 0;', 'return 1;']],
  },
  'a class with a method that is new, beside an elision': {
    code: 'export class Store {\n  // ... existing code ...\n\n  clear(): void {\n    this.#items.clear();\n  }\n}',
  },
  'imports and a function, with elisions': {
    code: "import { a } from './a.ts';\nimport { c } from './c.ts';\nimport { b } from './b.ts';\n\n// ... existing code ...\n\nexport function mean(list: number[]): number {\n  return 0;\n}\n// ... rest of the file ...",
    change: [
      ["a.ts';\n", "a.ts';\nimport { c } from './c.ts';\n"],
      ['return sum(list) / list.length;', 'return 0;'],
    ],
  },
  'the beginning of a function, with an elision behind': {
    code: 'export function sum(list: number[]): number {\n  let all = 0;\n  // ... rest of the function ...\n}',
    change: [],
  },
  'the beginning of a function that changed, with an elision behind': {
    code: 'export function sum(list: number[]): number {\n  let all = 1;\n  // ... rest of the function ...\n}',
  },
  'the ends of a function, with an elision between': {
    code: 'export function sum(list: number[]): number {\n  let all = 0;\n  // ...\n  return all;\n}',
    change: [],
  },
  'an elision where the document has one itself': {
    document: 'function f() {\n  // ...\n  a();\n}\n',
    code: 'function f() {\n  // ...\n  a();\n}',
  },
  'nothing but an elision': { code: '// ... existing code ...' },
  nothing: { code: '\n' },
  'lines of a body that stand once': {
    code: 'let all = 0;\nfor (const one of list) {\n  all += Number(one);\n}\nreturn all;',
    change: [['all += one', 'all += Number(one)']],
  },
  'lines around something else altogether': {
    code: "import { a } from './a.ts';\nfoo();\nreturn all;",
  },
  'a function that is not there': {
    code: 'export function median(list: number[]): number {\n  return 0;\n}',
  },
  'code that uses a function': {
    code: 'const store = new Store();\nstore.set("a", 1);\nsum([1]);',
  },
  'a type with the name of a class': { code: 'interface Store {\n  get(): number;\n}' },
  'two functions in one block': {
    code: 'export function sum(list: number[]): number {\n  return 0;\n}\n\nexport function mean(list: number[]): number {\n  return 0;\n}',
  },
  'a function that was cut off': {
    code: 'export function sum(list: number[]): number {\n  if (a) {',
  },
  'a test with another name than the only one': {
    document: "describe('a', () => {\n  it('works', () => {\n    a();\n  });\n});\n",
    code: "it('fails', () => {\n  b();\n});",
  },
  'a function that is declared twice': {
    document: 'function f(a) {\n  return a;\n}\nfunction f(a, b) {\n  return b;\n}\n',
    code: 'function f(a, b, c) {\n  return c;\n}',
  },
  'one of two functions of a name, by its signature': {
    document: 'function f(a) {\n  return a;\n}\nfunction f(a, b) {\n  return b;\n}\n',
    code: 'function f(a, b) {\n  return a + b;\n}',
    change: [['return b', 'return a + b']],
  },
  'a method of Python': {
    document: python,
    code: 'def read(self):\n    with open(self.path, "rb") as file:\n        return file.read()',
    change: [['open(self.path)', 'open(self.path, "rb")']],
  },
  'a method that two classes of Python have': {
    document: python,
    code: 'def __init__(self, path):\n    self.path = str(path)',
  },
  'a class of Python around one method, with an elision': {
    document: python,
    code: 'class Reader:\n    # ... existing code ...\n    def read(self):\n        return ""',
    change: [
      [
        '        with open(self.path) as file:\n            return file.read()',
        '        return ""',
      ],
    ],
  },
  'a class of Python that lacks a method between two others': {
    document:
      'class A:\n    def one(self):\n        a()\n\n    def two(self):\n        b()\n\n    def three(self):\n        c()\n',
    code: 'class A:\n    def one(self):\n        a()\n\n    def three(self):\n        c()',
  },
  'a function of Python whose rest is left out, after a change': {
    document: python,
    code: 'def main():\n    reader = Reader("b")\n# ... rest of the code ...',
  },
  'code with spaces for a document with tabs': {
    document: 'class A {\n\trun() {\n\t\ta();\n\t}\n}\n',
    code: 'run() {\n    if (b) {\n        a();\n    }\n}',
    change: [['\t\ta();\n', '\t\tif (b) {\n\t\t\ta();\n\t\t}\n']],
  },
  'a method with its bracket on a line of its own': {
    document: 'class A\n{\n    public int Run(int a)\n    {\n        return a;\n    }\n}\n',
    code: 'public int Run(int a)\n{\n    return 2 * a;\n}',
    change: [['return a', 'return 2 * a']],
  },
  'a method of Ruby': {
    document: 'class A\n  def run\n    a\n  end\n\n  def stop\n    b\n  end\nend\n',
    code: 'def run\n  c\nend',
    change: [['    a\n', '    c\n']],
  },
  'a function of Go with its receiver': {
    document:
      'func (s *Store) Get(key string) int {\n\treturn 0\n}\n\nfunc Get() int {\n\treturn 1\n}\n',
    code: 'func (s *Store) Get(key string) int {\n\treturn 2\n}',
    change: [['return 0', 'return 2']],
  },
  'a stub of Python, where the file has stubs too': {
    document:
      'class Reads(Protocol):\n    def read(self) -> bytes: ...\n\n    def close(self) -> None:\n        ...\n',
    code: 'class Reads(Protocol):\n    def read(self, size: int) -> bytes: ...\n\n    def close(self) -> None:\n        ...',
    change: [['read(self)', 'read(self, size: int)']],
  },
  'a comment about what stays, which the file has too': {
    document: 'function f() {\n  // The rest stays unchanged.\n  a();\n  b();\n}\n',
    code: 'function f() {\n  // The rest stays unchanged.\n  a(1);\n  b();\n}',
    change: [['a()', 'a(1)']],
  },
  'code that is commented out': {
    document: 'function f() {\n  a();\n  b();\n}\n',
    code: 'function f() {\n  // a();\n  b();\n}',
    change: [['a()', '// a()']],
  },
  'the whole file, changed': {
    document: 'a = 1\nb = 2\nc = 3\n',
    code: 'a = 1\nb = 22\nc = 3\n',
    change: [['b = 2', 'b = 22']],
  },
};

/** Files, and code that keeps less of them. */
const withHole: Readonly<Record<string, { readonly file: string; readonly code: string }>> = {
  rust: {
    file: 'fn main() {\n    one();\n    two();\n    three();\n    four();\n}\n',
    code: 'fn main() {\n    one(1);\n    HOLE\n    four(4);\n}',
  },
  python: {
    file: 'def main():\n    one()\n    two()\n    three()\n    four()\n',
    code: 'def main():\n    one(1)\n    HOLE\n    four(4)',
  },
  java: {
    file: 'class A {\n  int two;\n  int three;\n  void f() { one(); }\n}\n',
    code: 'class A {\n  HOLE\n  void f() { one(1); }\n}',
  },
  sql: {
    file: 'CREATE TABLE a (\n  one int,\n  two int,\n  three int,\n  four int\n);\n',
    code: 'CREATE TABLE a (\n  one int,\n  HOLE\n  four text\n);',
  },
  html: {
    file: '<ul>\n  <li>one</li>\n  <li>two</li>\n  <li>three</li>\n</ul>\n',
    code: '<ul>\n  <li>One</li>\n  HOLE\n</ul>',
  },
  jsx: {
    file: 'function App() {\n  return (\n    <p>\n      {two}\n      {three}\n    </p>\n  );\n}\n',
    code: 'function App() {\n  return (\n    <p>\n      {one}\n      HOLE\n    </p>\n  );\n}',
  },
};

const remarks = `
... existing code ... | ... | … | rest of main unchanged | rest of class | Rest of the code remains the same
the rest stays as it is | existing code here | your existing code | unchanged | no changes here
fields omitted for brevity | Implementation omitted | same as before | (same as above) | other methods
Other methods remain unchanged... | previous code | remaining columns | keep as is | keep the existing handlers
TODO: keep the rest | Lines 2-3 remain unchanged | [Unchanged, as before] | For brevity, not repeated here
everything else stays | ... login logic ... | 其余代码不变 | 省略 | 既存のコード | 나머지 코드는 동일
restlicher Code unverändert | le reste du code est inchangé | el resto del código sigue igual
restante do código inalterado | остальной код без изменений
`
  .trim()
  .split(/ \| |\n/);

const omissions: Readonly<Record<string, readonly string[]>> = {
  rust: [
    ...remarks.map((remark) => `// ${remark}`),
    '...',
    '…',
    '... rest of the function',
    '[... rest of the file ...]',
    '(rest of the code ...)',
    '(unchanged)',
    'if ready { ... }',
    'if ready { /* unchanged */ }',
    'helper(); // ... existing calls',
  ],
  python: [...remarks.map((remark) => `# ${remark}`), '...', '…', 'if ready: ...'],
  java: [
    ...remarks.map((remark) => `/* ${remark} */`),
    '// fields',
    '// (getters and setters)',
    '/*\n   * the fields\n   */',
  ],
  sql: [...remarks.map((remark) => `-- ${remark}`), '...'],
  html: [...remarks.map((remark) => `<!-- ${remark} -->`), '...'],
  jsx: [...remarks.map((remark) => `{/* ${remark} */}`), '...', '{...}'],
};

describe('placeCode', () => {
  for (const [name, { document = script, code, change }] of Object.entries(cases)) {
    it(`${change === undefined ? 'does not place' : 'places'} ${name}`, () => {
      const expected = change?.reduce((text, [before, after]) => {
        assert.equal(text.split(before).length, 2, before);
        return text.replace(before, () => after);
      }, document);
      assert.equal(placed(document, code), expected);
      assert.equal(placed(document.replaceAll('\n', '\r\n'), code)?.replaceAll('\r', ''), expected);
    });
  }

  for (const [language, { file, code }] of Object.entries(withHole)) {
    it(`deletes no code behind a line that stands for it, in ${language}`, () => {
      for (const omission of omissions[language] ?? []) {
        const result =
          placed(
            file,
            code.replace('HOLE', () => omission),
          ) ?? file;
        for (const kept of ['two', 'three']) assert.ok(result.includes(kept), omission);
      }
    });
  }

  it('takes linear time for a document of repeated lines', () => {
    const document = 'function f() {\n}\n'.repeat(20_000);
    assert.equal(placeCode(document, 'function f() {\n  return;\n}'), undefined);
  });
});

describe('normalizeReplyCode', () => {
  const path = 'src/a.ts';
  const table: readonly (readonly [name: string, code: string, expected: string])[] = [
    ['keeps code without a file name', 'let a;\n  let b;', 'let a;\n  let b;'],
    ['removes empty lines at the end', 'let a;\r\nlet b;\r\n\r\n', 'let a;\nlet b;'],
    ['removes the name of the file', '// src/a.ts\n\nlet a;\n', 'let a;'],
    ['removes the name of the file and its label', '// file: src/a.ts\nlet a;\n', 'let a;'],
    ['removes the name of the file and its lines', '// src/a.ts:10-20\nlet a;\n', 'let a;'],
    ['removes the name of the file in a block comment', '/* ./src/a.ts */\nlet a;\n', 'let a;'],
    ['keeps a comment with other words', '// see src/a.ts\nlet a;', '// see src/a.ts\nlet a;'],
    ['keeps an expression with the name of the file', "'src/a.ts'.length;", "'src/a.ts'.length;"],
    ['keeps a list that begins with the name of the file', "'src/a.ts',\n'b'", "'src/a.ts',\n'b'"],
    ['keeps an import of the file', "import 'src/a.ts';\nlet a;", "import 'src/a.ts';\nlet a;"],
    ['keeps the name of another file', '// src/b.ts\nlet a;', '// src/b.ts\nlet a;'],
    ['returns nothing if there is only the name of the file', '// src/a.ts\n', ''],
  ];
  for (const [name, code, expected] of table)
    it(name, () => assert.equal(normalizeReplyCode(code, path, 'let a;\n'), expected));

  it('keeps the name of the file if the file begins with it', () => {
    const code = '// src/a.ts\nlet a;';
    assert.equal(normalizeReplyCode(code, path, '// src/a.ts\r\nlet b;\r\n'), code);
    assert.equal(normalizeReplyCode(code, undefined, ''), code);
  });
});
