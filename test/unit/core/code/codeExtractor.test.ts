import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeExtractor, WordsReply } from '../../../../src/core/code/codeExtractor.ts';

const seed = Number(process.env['SEED'] ?? 7);

function codeOf(pieces: readonly string[], language = ''): string {
  const code = new CodeExtractor(language);
  const text = pieces.map((piece) => code.push(piece)).join('');
  try {
    return text + code.end();
  } catch (error) {
    assert.ok(error instanceof WordsReply);
    return noCode;
  }
}

/** Result for a reply without code. */
const noCode = '\0';

interface Case {
  readonly reply: string;
  readonly code: string;
  readonly language?: string;
}

const cases: Readonly<Record<string, Case>> = {
  nothing: { reply: '', code: noCode },
  'a fence': { reply: '```ts\nlet a;\n```', code: 'let a;\n' },
  tildes: { reply: '~~~\nlet a;\n~~~\n', code: 'let a;\n' },
  'a long fence around a short one': {
    reply: '`````ts\na\n```\nb\n```\n`````',
    code: 'a\n```\nb\n```\n',
  },
  'tildes around backticks': { reply: '~~~\na\n```\nb\n~~~', code: 'a\n```\nb\n' },
  'an info string of several words': {
    reply: '```ts title="a.ts" {1,2}\na\n```',
    code: 'a\n',
  },
  'words around a fence': {
    reply: 'Sure! Here it is:\n\n```ts\nlet a;\n```\n\nI renamed it.',
    code: 'let a;\n',
  },
  'lines without a fence': { reply: 'let a;\nlet b', code: noCode },
  'lines with a closing fence only': { reply: 'let a;\n```\n', code: noCode },
  'a fence that never ends': { reply: '```ts\nlet a;\nlet b', code: 'let a;\nlet b' },
  'half of a closing fence': { reply: '```ts\nlet a;\n``', code: 'let a;\n' },
  'a closing fence directly after the code': { reply: '```ts\nf(\n)```', code: 'f(\n)' },
  'only the beginning of a fence': { reply: 'Here it is:\n```typesc', code: noCode },
  'an empty block': { reply: '```ts\n```', code: '' },
  'empty lines in a block': { reply: '```\n\na\n\n```', code: '\na\n\n' },
  'Windows line endings': { reply: 'So:\r\n```ts\r\na\r\nb\r\n```\r\n', code: 'a\r\nb\r\n' },
  'a block in a list': {
    reply: '1. Do this:\n   ```py\n   if a:\n       b\n   ```\n2. Done.',
    code: 'if a:\n    b\n',
  },
  'a block after inline code': {
    reply: 'Use ```a``` so:\n```\nb\n```',
    code: 'b\n',
  },
  'the first of several blocks': {
    reply: '```ts\na\n```\nAnd its test:\n```ts\nb\n```',
    code: 'a\n',
  },
  'code after a shell sample': {
    reply: 'Run\n```sh\nnpm i\n```\nthen\n```sh\nls\n```\nand\n```ts\na\n```\n```sh\nend\n```',
    code: 'a\n',
  },
  'only shell samples': {
    reply: '```bash\nnpm i\n```\nor\n```bash\nyarn\n```',
    code: 'npm i\n',
  },
  'a shell script if the file is one': {
    reply: '```bash\nls\n```\nas\n```ts\na\n```',
    code: 'ls\n',
    language: 'shellscript',
  },
  'code with a fenced block in a string': {
    reply: '```ts\nconst a = `\n```sh\nls\n```\n`;\n```\nDone.',
    code: 'const a = `\n```sh\nls\n```\n`;\n',
  },
  'Markdown with a block that names its language': {
    reply: '```markdown\n# A\n```ts\nb\n```\nend\n```\nDone.',
    code: '# A\n```ts\nb\n```\nend\n',
  },
  'Markdown with bare blocks': {
    reply: '```md\n# A\n```\nb\n```\nc\n```\nd\n```\n```\nDone.',
    code: '# A\n```\nb\n```\nc\n```\nd\n```\n',
  },
  'Markdown before a shell sample': {
    reply: '```md\n# A\n```\nShow it:\n```sh\nless a\n```',
    code: '# A\n',
  },
  'Markdown without a fence around it': {
    reply: '# A\n\n```sh\nls\n```\n',
    code: noCode,
    language: 'markdown',
  },
  'Python with a fence in its documentation': {
    reply: '```python\ndef f():\n    """\n        ```\n        f()\n        ```\n    """\n```',
    code: 'def f():\n    """\n        ```\n        f()\n        ```\n    """\n',
  },
};

describe('CodeExtractor', () => {
  for (const [name, { reply, code, language }] of Object.entries(cases)) {
    it(`reads ${name}, however it is cut`, () => {
      assert.equal(codeOf([reply], language), code);
      assert.equal(codeOf(reply.match(/[^]/g) ?? [], language), code);
      for (let cut = 0; cut <= reply.length; cut++) {
        assert.equal(codeOf([reply.slice(0, cut), reply.slice(cut)], language), code);
      }
    });
  }

  const line = fc.constantFrom(
    'a',
    '  b;',
    '',
    '```',
    '```ts',
    '````',
    '~~~',
    '``',
    'x```',
    'Words:',
  );
  const replies = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 14 });

  it('reads the same code from any pieces', () => {
    const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(replies, cuts, fc.boolean(), (lines, places, isMarkdown) => {
        const reply = lines.flat().join('');
        const sorted = [0, ...places.toSorted((a, b) => a - b), reply.length];
        const pieces = sorted.map((end, index) => reply.slice(sorted[index - 1] ?? 0, end));
        const language = isMarkdown ? 'markdown' : '';
        assert.equal(codeOf(pieces, language), codeOf([reply], language));
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('keeps the whole block if its fence is longer than all fences in it', () => {
    const words = fc.constantFrom('', 'So:\n', 'So:\n\n1. This:\n');
    fc.assert(
      fc.property(replies, words, words, (lines, before, after) => {
        const code = lines.flat().join('');
        assert.equal(codeOf([`${before}\`\`\`\`\`ts\n${code}\`\`\`\`\`\n${after}`]), code);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('returns each line of a block as soon as it is complete', () => {
    const code = new CodeExtractor();
    assert.equal(code.push('Sure:\n```ts\nlet a'), '');
    assert.equal(code.push(';\nlet b'), 'let a;\n');
    assert.equal(code.push(';\n`'), 'let b;\n');
    assert.equal(code.push('``\nDone'), '');
    assert.equal(code.end(), '');
  });
});
