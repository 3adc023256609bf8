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
    return words;
  }
}

/** Stands for a reply that has no code. */
const words = '\0words';

interface Case {
  readonly answer: string;
  readonly code: string;
  readonly language?: string;
}

const cases: Readonly<Record<string, Case>> = {
  nothing: { answer: '', code: words },
  'a fence': { answer: '```ts\nlet a;\n```', code: 'let a;\n' },
  tildes: { answer: '~~~\nlet a;\n~~~\n', code: 'let a;\n' },
  'a long fence around a short one': {
    answer: '`````ts\na\n```\nb\n```\n`````',
    code: 'a\n```\nb\n```\n',
  },
  'tildes around backticks': { answer: '~~~\na\n```\nb\n~~~', code: 'a\n```\nb\n' },
  'an info string of several words': {
    answer: '```ts title="a.ts" {1,2}\na\n```',
    code: 'a\n',
  },
  'words around a fence': {
    answer: 'Sure! Here it is:\n\n```ts\nlet a;\n```\n\nI renamed it.',
    code: 'let a;\n',
  },
  'lines without a fence': { answer: 'let a;\nlet b', code: words },
  'lines without a fence, and one that ends them': { answer: 'let a;\n```\n', code: words },
  'a fence that never ends': { answer: '```ts\nlet a;\nlet b', code: 'let a;\nlet b' },
  'a fence of which half came': { answer: '```ts\nlet a;\n``', code: 'let a;\n' },
  'a fence right behind the code': { answer: '```ts\nf(\n)```', code: 'f(\n)' },
  'nothing but the beginning of a fence': { answer: 'Here it is:\n```typesc', code: words },
  'an empty block': { answer: '```ts\n```', code: '' },
  'empty lines in a block, which stay': { answer: '```\n\na\n\n```', code: '\na\n\n' },
  'line ends of Windows': { answer: 'So:\r\n```ts\r\na\r\nb\r\n```\r\n', code: 'a\r\nb\r\n' },
  'a block in a list': {
    answer: '1. Do this:\n   ```py\n   if a:\n       b\n   ```\n2. Done.',
    code: 'if a:\n    b\n',
  },
  'code inside a line of words': {
    answer: 'Use ```a``` so:\n```\nb\n```',
    code: 'b\n',
  },
  'several blocks, of which the first is the code': {
    answer: '```ts\na\n```\nAnd its test:\n```ts\nb\n```',
    code: 'a\n',
  },
  'a sample for the shell in front': {
    answer: 'Run\n```sh\nnpm i\n```\nthen\n```sh\nls\n```\nand\n```ts\na\n```\n```sh\nend\n```',
    code: 'a\n',
  },
  'nothing but samples for the shell': {
    answer: '```bash\nnpm i\n```\nor\n```bash\nyarn\n```',
    code: 'npm i\n',
  },
  'a script for the shell, where one is wanted': {
    answer: '```bash\nls\n```\nas\n```ts\na\n```',
    code: 'ls\n',
    language: 'shellscript',
  },
  'a block with a language in a text of the code': {
    answer: '```ts\nconst a = `\n```sh\nls\n```\n`;\n```\nDone.',
    code: 'const a = `\n```sh\nls\n```\n`;\n',
  },
  'Markdown with a block that names its language': {
    answer: '```markdown\n# A\n```ts\nb\n```\nend\n```\nDone.',
    code: '# A\n```ts\nb\n```\nend\n',
  },
  'Markdown with bare blocks': {
    answer: '```md\n# A\n```\nb\n```\nc\n```\nd\n```\n```\nDone.',
    code: '# A\n```\nb\n```\nc\n```\nd\n```\n',
  },
  'Markdown and a sample behind it': {
    answer: '```md\n# A\n```\nShow it:\n```sh\nless a\n```',
    code: '# A\n',
  },
  'Markdown without a fence around it': {
    answer: '# A\n\n```sh\nls\n```\n',
    code: words,
    language: 'markdown',
  },
  'Python that documents itself': {
    answer: '```python\ndef f():\n    """\n        ```\n        f()\n        ```\n    """\n```',
    code: 'def f():\n    """\n        ```\n        f()\n        ```\n    """\n',
  },
};

describe('FencedCode', () => {
  for (const [name, { answer, code, language }] of Object.entries(cases)) {
    it(`reads ${name}, however it is cut`, () => {
      assert.equal(codeOf([answer], language), code);
      assert.equal(codeOf(answer.match(/[^]/g) ?? [], language), code);
      for (let cut = 0; cut <= answer.length; cut++) {
        assert.equal(codeOf([answer.slice(0, cut), answer.slice(cut)], language), code);
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
  const answers = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 14 });

  it('reads the same from any pieces', () => {
    const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(answers, cuts, fc.boolean(), (lines, places, isMarkdown) => {
        const answer = lines.flat().join('');
        const sorted = [0, ...places.toSorted((a, b) => a - b), answer.length];
        const pieces = sorted.map((end, index) => answer.slice(sorted[index - 1] ?? 0, end));
        const language = isMarkdown ? 'markdown' : '';
        assert.equal(codeOf(pieces, language), codeOf([answer], language));
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('loses nothing of a block whose fence is longer than all in it', () => {
    const words = fc.constantFrom('', 'So:\n', 'So:\n\n1. This:\n');
    fc.assert(
      fc.property(answers, words, words, (lines, before, after) => {
        const code = lines.flat().join('');
        assert.equal(codeOf([`${before}\`\`\`\`\`ts\n${code}\`\`\`\`\`\n${after}`]), code);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('gives each line of a block as soon as it is whole', () => {
    const code = new CodeExtractor();
    assert.equal(code.push('Sure:\n```ts\nlet a'), '');
    assert.equal(code.push(';\nlet b'), 'let a;\n');
    assert.equal(code.push(';\n`'), 'let b;\n');
    assert.equal(code.push('``\nDone'), '');
    assert.equal(code.end(), '');
  });
});
