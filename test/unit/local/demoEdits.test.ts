import assert from 'node:assert/strict';
import fc from 'fast-check';
import ts from 'typescript';
import { codeCommands, type CodeCommandName } from '../../../src/core/code/codeCommands.ts';
import { CodeExtractor, WordsReply } from '../../../src/core/code/codeExtractor.ts';
import { editMessages, testMessages } from '../../../src/core/code/codePrompt.ts';
import { readEditRequest } from '../../../src/local/demoEditRequest.ts';
import { replyToEdit } from '../../../src/local/demoEdits.ts';
import { createService } from '../../../src/local/service.ts';
import { readSource, sourceFiles } from '../../support/sourceFiles.ts';
import { runs } from '../../support/sample.ts';
import { complete } from './asking.ts';

const seed = Number(process.env['SEED'] ?? 7);
const l10n = { t: (text: string) => text };

function taskOf(name: CodeCommandName): string {
  return codeCommands[name].instruction(l10n);
}

interface Edit {
  readonly language: string;
  /** The lines of the file, and which of them are the piece; all if absent. */
  readonly file: string;
  readonly start?: number;
  readonly end?: number;
  readonly task: string;
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The file after the demo's edit, or undefined where it answers in words. */
function edited({ language, file, task, start = 0, end }: Edit): string | undefined {
  const isClosed = file.endsWith('\n');
  const lines = (isClosed ? file.slice(0, -1) : file).split('\n');
  const last = end ?? lines.length;
  const code = {
    path: 'src/sample.x',
    language,
    before: linesOf(lines.slice(0, start)),
    selected: linesOf(lines.slice(start, last)),
    after: linesOf(lines.slice(last)),
    firstLine: start + 1,
  };
  const messages = editMessages(code, task, '').map(({ role, content }) => ({
    role,
    content: content ?? '',
  }));
  const request = readEditRequest(messages);
  assert.ok(request);
  const answer = new CodeExtractor(language);
  try {
    const text = answer.push(replyToEdit(request).content) + answer.end();
    const rest = lines.slice(last);
    const joined = linesOf(lines.slice(0, start)) + text + linesOf(rest);
    return isClosed ? joined : joined.slice(0, -1);
  } catch (error) {
    assert.ok(error instanceof WordsReply);
    return undefined;
  }
}

const small: readonly (readonly [name: string, edit: Edit, expected: string | undefined])[] = [
  [
    'documents a function of TypeScript',
    {
      language: 'typescript',
      task: taskOf('document'),
      file: 'export function celsiusToFahrenheit(degrees: number, digits = 1): number {\n  return degrees;\n}\n',
    },
    '/**\n * Converts celsius to fahrenheit.\n *\n * @param degrees The degrees.\n * @param digits The digits.\n */\nexport function celsiusToFahrenheit(degrees: number, digits = 1): number {\n  return degrees;\n}\n',
  ],
  [
    'documents methods, with tabs and line ends of Windows',
    {
      language: 'typescript',
      task: taskOf('document'),
      file: 'class Box {\r\n\tadd(item: string): void {\r\n\t}\r\n}\r\n',
    },
    '/** Box. */\r\nclass Box {\r\n\t/**\r\n\t * Adds the item.\r\n\t *\r\n\t * @param item The item.\r\n\t */\r\n\tadd(item: string): void {\r\n\t}\r\n}\r\n'.replace(
      'Adds the item.',
      'Adds.',
    ),
  ],
  [
    'documents a function of Python inside it',
    {
      language: 'python',
      task: taskOf('document'),
      file: 'def max_count(items, limit=3):\n    return 1',
    },
    'def max_count(items, limit=3):\n    """Max count.\n\n    Args:\n        items: The items.\n        limit: The limit.\n    """\n    return 1',
  ],
  [
    'documents a function of Python on one line above it',
    { language: 'python', task: taskOf('document'), file: 'def one(): return 1\n' },
    '# One.\ndef one(): return 1\n',
  ],
  [
    'documents a function of Go by its name',
    {
      language: 'go',
      task: taskOf('document'),
      file: 'func Add(a, b int) int {\n\treturn a + b\n}\n',
    },
    '// Add: Adds.\n// - a: The a.\n// - b: The b.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n',
  ],
  [
    'documents a method of Java above its annotation',
    {
      language: 'java',
      task: taskOf('document'),
      file: '    @Override\n    public String nameOf(User user, int count) {\n        return "";\n    }\n',
    },
    '    /**\n     * Name of the user.\n     *\n     * @param user The user.\n     * @param count The count.\n     */\n    @Override\n    public String nameOf(User user, int count) {\n        return "";\n    }\n',
  ],
  [
    'documents nothing twice',
    {
      language: 'typescript',
      task: taskOf('document'),
      file: '/** Adds. */\nfunction add() {\n}\n',
    },
    '/** Adds. */\nfunction add() {\n}\n',
  ],
  [
    'documents nothing inside a string',
    {
      language: 'typescript',
      task: taskOf('document'),
      file: 'const a = `\nfunction add() {\n`;\n',
    },
    'const a = `\nfunction add() {\n`;\n',
  ],
  [
    'documents nothing inside a string that began before the piece',
    {
      language: 'typescript',
      task: taskOf('document'),
      file: 'const a = `\nfunction add() {\n}\n`;\n',
      start: 1,
      end: 3,
    },
    'const a = `\nfunction add() {\n}\n`;\n',
  ],
  [
    'leaves JSON as it is',
    { language: 'json', task: taskOf('document'), file: '{\n  "a": 1\n}\n' },
    '{\n  "a": 1\n}\n',
  ],
  [
    'fixes comparisons of JavaScript, but not those with null',
    {
      language: 'javascript',
      task: taskOf('fix'),
      file: "if (a == 'a==b' && b != null && c!=1 && d === 2) {} // a == b  \n",
    },
    "if (a === 'a==b' && b != null && c!==1 && d === 2) {} // a == b\n",
  ],
  [
    'fixes a doubled word of a comment',
    { language: 'python', task: taskOf('fix'), file: 'a = "the the"  # the the sum\n' },
    'a = "the the"  # the sum\n',
  ],
  [
    'improves a variable that is never written again',
    {
      language: 'javascript',
      task: taskOf('improve'),
      file: 'function f() {\n  var a = 1;\n  var b = 2;\n  b++;\n  return a + b;\n}\n',
    },
    'function f() {\n  const a = 1;\n  var b = 2;\n  b++;\n  return a + b;\n}\n',
  ],
  [
    'keeps white space in strings',
    { language: 'javascript', task: taskOf('improve'), file: 'const a = `x  \n`;  \n' },
    'const a = `x  \n`;\n',
  ],
  ['keeps Markdown', { language: 'markdown', task: taskOf('fix'), file: 'a  \nb\n' }, 'a  \nb\n'],
  [
    'adds a comment',
    {
      language: 'python',
      task: 'Add a comment saying "This is the sum"',
      file: 'if a:\n    b = 1\n',
      start: 1,
    },
    'if a:\n    # This is the sum\n    b = 1\n',
  ],
  [
    'renames, but not in strings',
    { language: 'typescript', task: 'rename `a` to `b`', file: "a(a.aa, 'a', `a ${a}`); // a\n" },
    "b(b.aa, 'a', `a ${b}`); // a\n",
  ],
  [
    'renames nothing to a word of the language',
    { language: 'typescript', task: 'Rename a to class', file: 'a();\n' },
    undefined,
  ],
  [
    'renames nothing to a name that is there',
    { language: 'typescript', task: 'Rename a to b', file: 'a(b);\n' },
    undefined,
  ],
  [
    'sorts the items of a list',
    {
      language: 'json',
      task: 'Sort the lines',
      file: '[\n  "c",\n  "a",\n  "b"\n]\n',
      start: 1,
      end: 4,
    },
    '[\n  "a",\n  "b",\n  "c"\n]\n',
  ],
  [
    'sorts no lines that belong together',
    { language: 'typescript', task: 'sort lines', file: 'if (b) {\n  a();\n}\n' },
    undefined,
  ],
  [
    'sorts imports',
    {
      language: 'typescript',
      task: 'Sort imports',
      file: "import b from 'b';\nimport a from 'a';\n\nb(a);\n",
    },
    "import a from 'a';\nimport b from 'b';\n\nb(a);\n",
  ],
  [
    'removes comments, and none that are strings',
    {
      language: 'typescript',
      task: 'Remove all comments',
      file: "// a\nb('// c', /* d */ 1); // e\n/*\n f\n*/\n",
    },
    "b('// c',   1);\n",
  ],
  [
    'removes empty lines',
    { language: 'c', task: 'remove blank lines', file: 'a();\n\n\nb();\n' },
    'a();\nb();\n',
  ],
  [
    'says in words what it can do',
    { language: 'typescript', task: 'Make it faster', file: 'a();\n' },
    undefined,
  ],
];

const counted = new Map<string, number>();

/** Syntax errors of a text. */
function errorsIn(text: string, fileName: string): number {
  const known = counted.get(fileName + text);
  if (known !== undefined) return known;
  const { diagnostics = [] } = ts.transpileModule(text, { fileName, reportDiagnostics: true });
  counted.set(fileName + text, diagnostics.length);
  return diagnostics.length;
}

const tasks = [
  ...(['fix', 'improve', 'document'] as const).map(taskOf),
  'Add a comment',
  'add a comment saying: */ ` \\',
  'rename index to position',
  'rename text to value',
  'sort lines',
  'sort imports',
  'Remove comments',
  'remove blank lines',
  'remove trailing spaces',
];

describe('edits of the demo', () => {
  for (const [name, edit, expected] of small) {
    it(name, () => assert.equal(edited(edit), expected));
  }

  const files = sourceFiles.filter((file) => /\.tsx?$/.test(file));
  const tricky = [
    'var a = 1, b = 2;\nfunction f(a) { var a = 1; return a; }\n',
    'function f() {\n  var x = 1;\n  [x] = [2];\n  ({ x } = y);\n  for (x of z) {}\n}\n',
    'const r = a / b / c, s = /[/"]/.test(d) ? `${`${e}`}` : "\\"";\n',
    'switch (a) {\n  case 1:\n    var b = 1;\n  default:\n    c(b == 1)\n}\n',
    'const f = async (a, b) => {\n}\n\nconst g = function* () {}\nlet h = x => x\n',
    'class A<T> extends B {\n  #p = 1\n  static async *m(a: T) {\n  }\n  get v() { return 1 }\n  constructor(private readonly q: string) {\n    super()\n  }\n}\n',
    'return\n/* a */ b == c\n"// d"\n',
    'foo(\n  function bar(a,\n    b) {\n  },\n)\n',
    'export default function () {}\nexport default class {}\nif (a) function b() {}\n',
    'let\na\n++\nb\n',
    'a = b\n(c)\n',
  ];
  const texts = [...tricky, ...files.map((file) => readSource(file))];

  it('never break the syntax of TypeScript, whatever lines are selected', () => {
    const languages = fc.constantFrom('typescript', 'typescriptreact', 'javascript');
    const choice = fc.record({
      text: fc.constantFrom(...texts),
      task: fc.constantFrom(...tasks),
      language: languages,
      from: fc.nat({ max: 10_000 }),
      length: fc.integer({ min: 1, max: 80 }),
      isWindows: fc.boolean(),
      isClosed: fc.boolean(),
    });
    fc.assert(
      fc.property(choice, ({ text, task, language, from, length, isWindows, isClosed }) => {
        const ended = isClosed ? text : text.replace(/\n$/, '');
        const file = isWindows ? ended.replaceAll('\n', '\r\n') : ended;
        const lines = file.split('\n').length - (isClosed ? 1 : 0);
        const start = from % lines;
        const end = Math.min(lines, start + length);
        const after = edited({ language, file, task, start, end });
        if (after === undefined) return;
        const name = language === 'typescriptreact' ? 'a.tsx' : 'a.ts';
        assert.ok(errorsIn(after, name) <= errorsIn(file, name), after);
        const all = file.split('\n');
        assert.ok(after.startsWith(all.slice(0, start).join('\n')));
        assert.ok(after.endsWith(all.slice(end).join('\n')));
      }),
      { seed, numRuns: runs(400, 120) },
    );
  });

  const others: Readonly<Record<string, string>> = {
    python:
      '@app.get("/")\ndef a(b, *args, **kw):\n    """\n    def c():\n    """\n    return "# no" == b  \n\nclass D:\n    x = 1\n',
    go: 'package a\n\nfunc (s *S) Do(a, b int) (int, error) {\n\treturn `\n// no  \n`, nil\n}\n',
    rust: "impl<'a> A<'a> {\n    #[inline]\n    pub fn get(&'a self, key: &str) -> char {\n        '{'\n    }\n}\n",
    java: 'class A {\n    @Test\n    void a(int b, String... c) throws X {\n        String s = "// {";\n    }\n}\n',
    c: "#define A(x) \\\n  f(x)\nint main(int argc, char **argv) {\n  return '\"'; /* ) */\n}\n",
    csharp: 'class A {\n    [Fact]\n    public int B(int c = 1) {\n        return c;\n    }\n}\n',
    ruby: 'def a(b, c: 1)\n  puts "#{b} # no"\nend\n',
    shellscript: 'f() {\n  echo "# no" # yes\n}\nfunction g {\n  cat <<EOF\n# no  \nEOF\n}\n',
    css: '.a { content: "/*"; } /* b */\n',
    html: '<p>\n  <!-- a -->\n  text  \n</p>\n',
    yaml: 'a: 1 # b\nb: |\n  # no  \n',
    sql: "-- a\nselect '--', b from c;\n",
    lua: 'local function a(b)\n  return [[ -- no ]]\nend\n',
    php: '<?php\nfunction a($b, int $c) {\n    return "// no";\n}\n',
    cobol: 'MOVE A TO B.\n',
    '': 'anything ( at all\n',
  };
  for (const [language, file] of Object.entries(others)) {
    it(`keep brackets and the other lines of ${language || 'an unknown language'}`, () => {
      const lines = file.slice(0, -1).split('\n');
      for (const task of tasks.filter(
        (one) => !one.startsWith('Remove c') && !one.includes('*/'),
      )) {
        for (let start = 0; start < lines.length; start++) {
          for (let end = start + 1; end <= lines.length; end++) {
            const after = edited({ language, file, task, start, end });
            if (after === undefined) continue;
            assert.ok(after.startsWith(linesOf(lines.slice(0, start))), after);
            assert.ok(after.endsWith(linesOf(lines.slice(end))), after);
            for (const bracket of '()[]{}') {
              const count = (text: string): number => text.split(bracket).length;
              assert.equal(count(after), count(file), `${task}\n${after}`);
            }
          }
        }
      }
    });
  }

  it('change nothing of a file that the demo can not read', () => {
    for (const name of ['fix', 'improve', 'document'] as const) {
      for (const language of ['cobol', '', 'plaintext', 'nonsense']) {
        const file = 'IF A == B  \nfunction a(b) {\n';
        assert.equal(edited({ language, file, task: taskOf(name) }), file);
      }
    }
  });
});

/** The demo's tests of a file; undefined where it answers in words. */
function testsFor(
  path: string,
  language: string,
  selected: string,
  file: { path: string; text?: string },
): string | undefined {
  const code = { path, language, before: '', selected, after: '', firstLine: 1 };
  const messages = testMessages(code, file, taskOf('writeTests'), '');
  const request = readEditRequest(
    messages.map(({ role, content }) => ({ role, content: content ?? '' })),
  );
  assert.ok(request);
  const answer = new CodeExtractor(language);
  try {
    return answer.push(replyToEdit(request).content) + answer.end();
  } catch (error) {
    assert.ok(error instanceof WordsReply);
    return undefined;
  }
}

describe('the demo service', () => {
  it('answers a command on code with code, with every model that thinks or not', async () => {
    const code = { path: 'a.ts', language: 'typescript', before: '', after: '', firstLine: 1 };
    const selected = 'function add(a: number) {\n}\n';
    const messages = editMessages({ ...code, selected }, taskOf('document'), 'Be brief.');
    for (const model of ['mistral/mistral-small', 'deepseek/reasoner', 'qwen/thinker-32b']) {
      const { content } = await complete(createService({ pace: 0 }), { messages, model });
      const answer = new CodeExtractor('typescript');
      assert.match(answer.push(content) + answer.end(), /^\/\*\*[^]*@param a[^]*\nfunction add/);
    }
  });
});

describe('tests that the demo writes', () => {
  const add = 'export function add(a: number, b: number): number {\n  return a + b;\n}\n';

  it('are TypeScript that names the function and finds its file', () => {
    const text = testsFor('src/math/add.ts', 'typescript', add, { path: 'test/math/add.test.ts' });
    assert.match(text ?? '', /'add is defined'/);
    assert.match(text ?? '', /import\('\.\.\/\.\.\/src\/math\/add\.ts'\)/);
    assert.equal(errorsIn(text ?? '(', 'a.ts'), 0);
  });

  it('are added to tests that are there, in their own words', () => {
    const there = "import { it } from 'vitest';\n\nit('works', () => {});\n";
    const text = testsFor('add.ts', 'typescript', add, { path: 'add.test.ts', text: there });
    assert.ok(text !== undefined);
    assert.ok(text.startsWith(there));
    assert.match(text, /\nit\('add is defined', async/);
    assert.equal(errorsIn(text, 'a.ts'), 0);
  });

  for (const [language, ending, code, pattern] of [
    [
      'javascript',
      'js',
      'function add() {}\nmodule.exports = { add };\n',
      /require\('node:test'\)/,
    ],
    [
      'python',
      'py',
      'def add(a, b):\n    return a + b\n',
      /from sum import add[^]*callable\(add\)/,
    ],
    [
      'go',
      'go',
      'package sums\n\nfunc Add(a int) int {\n\treturn a\n}\n',
      /^package sums[^]*TestAdd/,
    ],
    ['java', 'java', 'public class sum {\n}\n', /class SumTest/],
    ['ruby', 'rb', 'def add(a)\nend\n', /test_add/],
    ['php', 'php', '<?php\nfunction add($a) {\n}\n', /testAdd/],
  ] as const) {
    it(`are ${language} with balanced brackets`, () => {
      const text = testsFor(`src/sum.${ending}`, language, code, {
        path: `src/sum_test.${ending}`,
      });
      assert.match(text ?? '', pattern);
      const count = (bracket: string): number => (text ?? '').split(bracket).length;
      assert.deepEqual([count('('), count('{')], [count(')'), count('}')]);
    });
  }

  it('are words for a language that the demo does not know', () => {
    assert.equal(testsFor('a.cob', 'cobol', 'MOVE A TO B.\n', { path: 'b.cob' }), undefined);
  });
});
