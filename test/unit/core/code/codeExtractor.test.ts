import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  CodeExtractor,
  CodeIndenter,
  indentOfLines,
  type IndentStyle,
  WordsReply,
} from '../../../../src/core/code/codeExtractor.ts';
import { withoutThoughts } from '../../../../src/core/service/thinkSplitter.ts';
import { fencedCode } from '../../../../src/core/support/text.ts';
import { runs } from '../../../support/sample.ts';

const seed = Number(process.env['SEED'] ?? 7);

/** The code of a reply; otherwise the part of its text that a person can use as code. */
type Result = { readonly code: string } | { readonly usable: string | undefined };

function read(pieces: readonly string[], language: string): Result {
  let code = '';
  const extractor = new CodeExtractor(language, () => (code = ''));
  for (const piece of pieces) {
    const added = extractor.push(piece);
    code += added;
  }
  try {
    const last = extractor.end();
    return { code: code + last };
  } catch (error) {
    assert.ok(error instanceof WordsReply);
    assert.equal(error.words, withoutThoughts(pieces.join('')).trim());
    return { usable: error.code };
  }
}

/** A reply for a file of a language, and its code or usable text. */
type Row = readonly [language: string, reply: string, text: string];

/** Replies without a fence, which are never code, even if they look like it. */
const unfenced: readonly (readonly [language: string, reply: string])[] = [
  ['typescript', "Sorry, I can't help with that."],
  ['typescript', '抱歉，我无法修改这个文件。'],
  ['typescript', 'Use ```foo()``` instead.'],
  ['typescript', 'The problem is here:\n\n  if (a = b)\n\nIt should be a comparison.'],
  ['typescript', 'let a;\nlet b'],
  ['typescript', 'export function add(a: number): number {\n  return a;\n}\n'],
  ['typescript', 'Here is the fixed code:\n\nlet a = 1;\nlet b;\n'],
  ['python', 'total = 1\r\n\r\nprint total\r\n'],
  ['html', '<p>\nThe text of the page is here.\n</p>\n'],
  ['markdown', '- one\n+ two\n'],
  ['markdown', 'First, install it.\n\n```sh\nnpm i\n```\n\nThen run it.\n'],
  ['diff', '-a\n+b\n'],
];

/** Replies that are not code, but from which a person can use a part. */
const partlyUsable: readonly Row[] = [
  ['typescript', '<think>Hm.</think>yes();\n', 'yes();'],
  ['typescript', '<thinking>\n```ts\na();\n```\n</thinking>\n\nyes();\n', 'yes();'],
  ['typescript', 'let a;\nlet b;\n```\n', 'let a;\nlet b;'],
  ['typescript', 'let a;\n``', 'let a;'],
];

/** Replies without anything usable as code. */
const unusable: readonly (readonly [language: string, reply: string])[] = [
  ['typescript', ''],
  ['typescript', '```'],
  ['typescript', 'Here it is:\n```typesc'],
  ['typescript', '<think>\nfunction a() {\n}'],
  ['typescript', 'I need another package first:\n\n```bash\nnpm install lodash\n```\n'],
  ['typescript', '```diff\n-const a = 1;\n+const a = 2;\n```'],
  ['typescript', 'Change it:\n\n```ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a();\n+b();\n```'],
  ['typescript', '```ts\n@@ -1,2 +1,2 @@\n-a();\n+b();\n```'],
  ['typescript', '```ts\n const x = 1;\n-const a = 1;\n+const a = 2;\n```'],
  ['typescript', 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a();\n+b();\n'],
  ['typescript', '-const a = 1;\n+const a = 2;\n'],
];

const fenced: readonly Row[] = [
  ['typescript', '```ts\nlet a;\n```', 'let a;\n'],
  ['typescript', '```\nlet a;\n```', 'let a;\n'],
  ['typescript', '~~~ts\nlet a;\n~~~\n', 'let a;\n'],
  ['typescript', '  ```ts\n  let a;\n  ```', 'let a;\n'],
  ['typescript', '```ts\n```', ''],
  ['typescript', '```\nSorry, I cannot do that.\n```', 'Sorry, I cannot do that.\n'],
  ['typescript', '```text\nconst a = 1;\n```', 'const a = 1;\n'],
  ['typescript', 'So:\n```md\nconst a = 1;\n```', 'const a = 1;\n'],
  ['shellscript', '```bash\necho hello world\n```', 'echo hello world\n'],
  ['dockerfile', 'So:\n```sh\nRUN npm ci\n```', 'RUN npm ci\n'],
  ['org', '```org\n- one\n+ two\n```', '- one\n+ two\n'],
  ['diff', '```diff\n-a\n+b\n```', '-a\n+b\n'],
  ['typescript', 'Sure!\n\n```ts\nlet a;\n```\n\nI renamed it.', 'let a;\n'],
  ['typescript', 'One.\n\nlet b;\n\nTwo.\n```ts\nlet a;\n```', 'let a;\n'],
  ['typescript', '<think>\n```ts\nno();\n```\n</think>\n\n```ts\nyes();\n```', 'yes();\n'],
  ['typescript', '[THINK]\n```ts\nno();\n```\n[/THINK]\n```ts\nyes();\n```', 'yes();\n'],
  ['typescript', 'Or:\n```ts\nno();\n```\nNo.\n</think>\n\n```ts\nyes();\n```', 'yes();\n'],
  ['typescript', '```ts\nno();\n```\nNo.</think>```ts\nyes();\n```', 'yes();\n'],
  ['typescript', '```ts\n// </think>\nyes();\n```\nno', '// </think>\nyes();\n'],
  [
    'javascript',
    '```js\nlet a = `\n```\nb\n```\n`;\nlet c;\n```\n',
    'let a = `\n```\nb\n```\n`;\nlet c;\n',
  ],
  [
    'python',
    '```python\na = \"\"\"\n```\nb\n```\n\"\"\"\nc()\n```\nSo.\n',
    'a = \"\"\"\n```\nb\n```\n\"\"\"\nc()\n',
  ],
  ['typescript', "```ts\nconst tick = '`';\n```\nThen `x`.\n", "const tick = '`';\n"],
  ['typescript', "```ts\nconst tick = '`';\n```\nAnd:\n```ts\nno();\n```\n", "const tick = '`';\n"],
  ['typescript', '```ts\nlet a;\nlet b', 'let a;\nlet b'],
  ['typescript', '```ts\nlet a;\nlet b;\n``', 'let a;\nlet b;\n'],
  ['typescript', '```ts\nlet a;\n```\nThen:\n```ts\nlet b;\n```', 'let a;\n'],
  ['typescript', 'Run\n```sh\nnpm i\n```\nthen\n```ts\nlet a;\n```', 'let a;\n'],
  ['typescript', 'Change\n```diff\n-a\n+b\n```\nso:\n```ts\nlet b;\n```', 'let b;\n'],
  ['', '`````ts\na\n```\nb\n```\n`````', 'a\n```\nb\n```\n'],
  ['', '~~~\na\n```\nb\n~~~', 'a\n```\nb\n'],
  ['', '```ts title="a.ts" {1,2}\na\n```', 'a\n'],
  ['', '```ts\nf(\n)```', 'f(\n)'],
  ['', '```\n\na\n\n```', '\na\n\n'],
  ['', 'So:\r\n```ts\r\na\r\nb\r\n```\r\n', 'a\r\nb\r\n'],
  ['', '1. Do this:\n   ```py\n   if a:\n       b\n   ```\n2. Done.', 'if a:\n    b\n'],
  ['', 'Use ```a``` so:\n```\nb\n```', 'b\n'],
  ['', '```bash\nnpm i\n```\nor\n```bash\nyarn\n```', 'npm i\n'],
  ['shellscript', '```bash\nls\n```\nas\n```ts\na\n```', 'ls\n'],
  ['', '```ts\nconst a = `\n```sh\nls\n```\n`;\n```\nDone.', 'const a = `\n```sh\nls\n```\n`;\n'],
  [
    '',
    '```python\ndef f():\n    """\n        ```\n        f()\n        ```\n    """\n```',
    'def f():\n    """\n        ```\n        f()\n        ```\n    """\n',
  ],
  // Markdown files, which may contain blocks themselves.
  ['', '```md\n# A\n```\nb\n```\nc\n```\nd\n```\n```\nDone.', '# A\n```\nb\n```\nc\n```\nd\n```\n'],
  ['', '```md\n# A\n```\nShow it:\n```sh\nless a\n```', '# A\n'],
  ['markdown', 'I rewrote it.\n\n```\n# A\n```\n', '# A\n'],
  [
    'markdown',
    'Sure:\n\nThis is it.\n\n```markdown\n# A\n```ts\nb\n```\nend\n```\nDone.',
    '# A\n```ts\nb\n```\nend\n',
  ],
];

const all = [...unfenced, ...partlyUsable, ...unusable, ...fenced];

describe('a reply that should be code', () => {
  for (const [language, reply] of unfenced) {
    it(`has no code without a fence for ${language || 'any file'}: ${JSON.stringify(reply)}`, () => {
      assert.deepEqual(read([reply], language), { usable: reply.replace(/\r?\n$/, '') });
    });
  }

  for (const [language, reply, usable] of partlyUsable) {
    it(`has usable text for ${language}: ${JSON.stringify(reply)}`, () => {
      assert.deepEqual(read([reply], language), { usable });
    });
  }

  for (const [language, reply] of unusable) {
    it(`has no usable text for ${language}: ${JSON.stringify(reply)}`, () => {
      assert.deepEqual(read([reply], language), { usable: undefined });
    });
  }

  for (const [language, reply, code] of fenced) {
    it(`has code for ${language}: ${JSON.stringify(reply)}`, () => {
      assert.deepEqual(read([reply], language), { code });
    });
  }

  it('has no code without a fence, but all of its lines can be used as code', () => {
    const line = fc.oneof(
      fc.constantFrom('let a;', '  b();', '', '   ', '`', '``', 'Sorry.', '- a', '+ a', '<a>'),
      fc
        .string({ maxLength: 30 })
        .filter((text) => !/[\r\n]|```|~~~|^<t|^(?:---|@@|\*\*\*)/.test(text)),
    );
    const languages = fc.constantFrom('typescript', 'python', 'markdown', 'plaintext', 'xml', '');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), languages, (lines, language) => {
        const result = read([lines.join('\n')], language);
        assert.ok('usable' in result);
        const isLastCut = /^\s*(?:`{1,2}|~{1,2})$/.test(lines.at(-1) ?? '');
        const whole = isLastCut ? lines.slice(0, -1) : lines;
        const filled = whole.filter((text) => text.trim() !== '');
        const mayBeDiff = ['+', '-'].every((sign) => filled.some((text) => text.startsWith(sign)));
        assert.ok(result.usable !== undefined || mayBeDiff || filled.length === 0);
        if (result.usable === undefined) return;
        const used = result.usable.split('\n').filter((text) => text.trim() !== '');
        assert.deepEqual(used, filled);
        const fence = read([fencedCode(result.usable)], language);
        assert.deepEqual(fence, { code: `${result.usable}\n` });
      }),
      { seed, numRuns: runs(2000) },
    );
  });

  it('has the whole block as code if its fence is longer than all fences in it', () => {
    const line = fc.constantFrom('a', '  b;', '', '```', '```ts', '````', '~~~', '``', 'x```');
    const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 14 });
    const words = fc.constantFrom('', 'So:\n', 'So:\n\n1. This:\n');
    fc.assert(
      fc.property(lines, words, words, (chosen, before, after) => {
        const code = chosen.flat().join('');
        const reply = `${before}\`\`\`\`\`ts\n${code}\`\`\`\`\`\n${after}`;
        assert.deepEqual(read([reply], ''), { code });
      }),
      { seed, numRuns: runs(2000) },
    );
  });

  it('is read the same however it is cut in two', () => {
    for (const [language, reply] of all) {
      const whole = read([reply], language);
      for (let cut = 0; cut <= reply.length; cut++) {
        assert.deepEqual(read([reply.slice(0, cut), reply.slice(cut)], language), whole, reply);
      }
      assert.deepEqual(read(reply.match(/[^]/g) ?? [], language), whole, reply);
    }
  });

  it('is read the same from any pieces, even if several replies are joined', () => {
    const rows = fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 4 });
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(rows, lengths, (chosen, steps) => {
        const [[language]] = [chosen[0] ?? all[0] ?? ['', '']];
        const reply = chosen.map((row) => row[1]).join('\n');
        const pieces: string[] = [];
        for (let at = 0, step = 0; at < reply.length; step++) {
          const length = steps[step % steps.length] ?? 1;
          pieces.push(reply.slice(at, at + length));
          at += length;
        }
        assert.deepEqual(read(pieces, language), read([reply], language));
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('streams a block line by line, and no text around it', () => {
    const block = new CodeExtractor('typescript');
    assert.equal(block.push('Sure:\n```ts\nlet a'), '');
    assert.equal(block.push(';\nlet b'), 'let a;\n');
    const words = new CodeExtractor('typescript');
    assert.equal(words.push('function add() {\n}\n'), '');
    assert.throws(() => words.end(), WordsReply);
  });

  it('is read in one pass', () => {
    const long = [
      'a '.repeat(500_000),
      ' '.repeat(1_000_000),
      '`'.repeat(1_000_000),
      '<'.repeat(1_000_000),
      'The words\n'.repeat(100_000),
      '\n'.repeat(1_000_000),
      '```\nf();\n'.repeat(100_000),
    ];
    for (const text of long) {
      const reply = text.slice(0, runs(1_000_000));
      for (const language of ['typescript', 'markdown']) {
        const result = read(reply.match(/[^]{1,4000}/g) ?? [], language);
        const extracted = 'code' in result ? result.code : (result.usable ?? '');
        assert.ok(extracted.length <= reply.length);
      }
    }
  });
});

function fit(code: readonly string[], style: IndentStyle): string[] {
  const indented = new CodeIndenter(style);
  const text = indented.push(code.join('\n')) + indented.end();
  return text.split('\n');
}

const spaces = { indent: '    ', unit: '  ' };

/** Code, the style of the file, and the code in that style. `¶` is a line break. */
const cases: Readonly<Record<string, readonly [code: string, style: IndentStyle, fits: string]>> = {
  'keeps code that is indented correctly': [
    '    if (a) {¶      b();¶\tc();¶    }',
    spaces,
    '    if (a) {¶      b();¶\tc();¶    }',
  ],
  'indents code that starts at the margin': [
    '¶if (a) {¶  b();¶¶}',
    spaces,
    '¶    if (a) {¶      b();¶¶    }',
  ],
  'removes excess indentation': [
    '        if a:¶            b()¶        c()',
    { indent: '    ', unit: '    ' },
    '    if a:¶        b()¶    c()',
  ],
  'indents lines that are less indented than the first': [
    '  .then(b)¶  .then(c);¶d();',
    { indent: '      ', unit: '  ' },
    '      .then(b)¶      .then(c);¶    d();',
  ],
  'indents only the first line if only that lacks indentation': [
    'if (a) {¶      b();¶    }',
    spaces,
    '    if (a) {¶      b();¶    }',
  ],
  'converts spaces to tabs': [
    'if (a) {¶    if (b) {¶        c();¶    }¶}',
    { indent: '\t', unit: '\t' },
    '\tif (a) {¶\t\tif (b) {¶\t\t\tc();¶\t\t}¶\t}',
  ],
  'converts tabs to spaces': [
    '\tif (a) {¶\t\tb();¶\t\t\tc();¶\t}',
    { indent: '  ', unit: '  ' },
    '  if (a) {¶    b();¶      c();¶  }',
  ],
  'converts spaces of the same depth to tabs': [
    '    if (a) {¶        b();¶    }',
    { indent: '\t', unit: '\t' },
    '\tif (a) {¶\t\tb();¶\t}',
  ],
  'keeps line endings and alignment': [
    'call(a,\r¶     b);\r',
    { indent: '\t', unit: '  ' },
    '\tcall(a,\r¶\t     b);\r',
  ],
};

describe('CodeIndenter', () => {
  for (const [name, [code, style, fits]] of Object.entries(cases))
    it(name, () => assert.deepEqual(fit(code.split('¶'), style), fits.split('¶')));

  it('changes only indentation, and returns the same text however it is cut', () => {
    const line = fc.constantFrom('', 'a', '  b', '    c', '\td', '\t\te', ' ', '}');
    const indent = fc.constantFrom('', '  ', '    ', '\t', '\t\t');
    const unit = fc.constantFrom('  ', '    ', '\t');
    fc.assert(
      fc.property(fc.array(line), indent, unit, fc.nat({ max: 40 }), (lines, where, level, cut) => {
        const text = lines.join('\n');
        const style = { indent: where, unit: level };
        const cutOne = new CodeIndenter(style);
        const pieces =
          cutOne.push(text.slice(0, cut)) + cutOne.push(text.slice(cut)) + cutOne.end();
        assert.deepEqual(pieces.split('\n'), fit(lines, style));
        const trimmed = (all: readonly string[]): string[] => all.map((line) => line.trim());
        assert.deepEqual(trimmed(fit(lines, style)), trimmed(text.split('\n')));
        const first = fit(lines, style).find((line) => line.trim() !== '');
        if (first !== undefined) assert.equal(indentOfLines([first]), where);
      }),
      { numRuns: 2000 },
    );
  });
});
