import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  type FoundLine,
  maxReadLineLength,
  type SearchScope,
  type TextQuery,
} from '../../../../src/core/files/fileSearch.ts';
import {
  inputArguments,
  listArguments,
  MaskedLines,
  searchArguments,
} from '../../../../src/core/files/ripgrep.ts';
import { maskSecrets, masksIn, secretStandIn } from '../../../../src/core/support/secretTokens.ts';
import { nothingLeftOut } from '../../../support/nothingLeftOut.ts';
import { namedSecrets, privateKey, tokens } from '../support/secrets.ts';

const seed = Number(process.env['SEED'] ?? 5);

const token = `ghp_${'a1B2c3D4'.repeat(5)}`;

const unreadable = (): Promise<undefined> => Promise.resolve(undefined);

/** Searches the unmasked text of files line by line, as ripgrep does. */
async function search(
  files: Readonly<Record<string, string>>,
  expression: RegExp,
  context = 0,
): Promise<string> {
  const matches: string[] = [];
  const lines = new MaskedLines(
    { text: expression.source, isRegex: true, context },
    ({ path, line, text, fits }) =>
      matches.push(`${path}:${line}${fits ? ':' : '-'}${text.replace(/[0-9a-f]{6}[.\d]*›/, '›')}`) >
      0,
  );
  for (const [path, text] of Object.entries(files)) {
    for (const line of rawLines(path, text, expression, context)) lines.add(line);
  }
  // No expression of these tests matches across a removed secret.
  const isMatch = (text: string): boolean =>
    text.split(secretStandIn).some((part) => expression.test(part));
  await lines.finish(
    (path) => Promise.resolve(files[path]),
    (texts) => Promise.resolve(new Set(texts.flatMap((text, at) => (isMatch(text) ? [at] : [])))),
  );
  return matches.join('\n');
}

function rawLines(path: string, text: string, expression: RegExp, context: number): FoundLine[] {
  const all = text.split('\n');
  const matches = all.flatMap((line, index) => (expression.test(line) ? [index] : []));
  return all.flatMap((line, index) =>
    matches.some((match) => Math.abs(match - index) <= context)
      ? [
          {
            path,
            line: index + 1,
            text: line.slice(0, maxReadLineLength),
            fits: matches.includes(index),
          },
        ]
      : [],
  );
}

describe('MaskedLines', () => {
  it('passes on lines without secrets unchanged', async () => {
    const files = { 'a.ts': 'const a = 1;\nreturn', 'b.ts': 'MIIEvQ\nconst b = 2;' };
    assert.equal(
      await search(files, /const|MII/),
      'a.ts:1:const a = 1;\nb.ts:2:const b = 2;\nb.ts:1:MIIEvQ',
    );
  });

  it('masks a secret in a matching line', async () => {
    assert.equal(
      await search({ 'a.ts': `const token = "${token}";` }, /token/),
      'a.ts:1:const token = "ghp_‹masked ›";',
    );
  });

  it('shows lines around a match, unless it only matches in a secret', async () => {
    const file = `one\nconst t = "${token}";\nthree\nfour\nghost\nsix`;
    assert.equal(
      await search({ 'a.ts': file }, /gh[op]/, 1),
      'a.ts:1-one\na.ts:2:const t = "ghp_‹masked ›";\na.ts:3-three\na.ts:4-four\na.ts:5:ghost\na.ts:6-six',
    );
    assert.equal(
      await search({ 'a.ts': file }, /a1B|ghost/, 1),
      'a.ts:4-four\na.ts:5:ghost\na.ts:6-six',
    );
  });

  /** Texts with a secret at different positions. */
  const layouts: readonly ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => `\t${secret}; \rx\u{2028}`,
    (secret) => `a\n\n${secret} ${secret}\nb`,
    (secret) => `${'var a = 1; '.repeat(300)}${secret}`,
    (secret) => `${'ü '.repeat(700)}${secret}`,
    (secret) => `${'a=1;'.repeat(499)}${secret}${' // b'.repeat(99)}`,
    (secret) => secret.replace(/(?<=^[A-Za-z_"']{1,40}[:=] ?)(?=\S)/, '\n  '),
    (secret) => secret.replace(/(?=[:=])/, '\r\n '),
  ];

  it('finds nothing by a part of any secret, wherever it is in a line or file', async () => {
    let tried = 0;
    const generated = [fc.oneof(tokens, namedSecrets), fc.constantFrom(...layouts)] as const;
    await fc.assert(
      fc.asyncProperty(...generated, fc.nat(), async (secret, layout, at) => {
        const text = layout(secret);
        const masked = maskSecrets(text);
        const [hidden] = [...masked.secrets.values()].map((secret) =>
          secret.secret.slice(secret.visiblePrefix.length),
        );
        if (hidden === undefined || masksIn(masked.text).length === 0) return;
        tried++;
        const start = at % (hidden.length - 5);
        const part = hidden.slice(start, start + 6);
        if (masked.text.includes(part)) return;
        const expression = new RegExp(part.replace(/[^A-Za-z0-9]/g, String.raw`\$&`));
        assert.equal(await search({ a: text }, expression), '', text.slice(-200));
      }),
      { seed, numRuns: 1500 },
    );
    assert.ok(tried > 1000, String(tried));
  });

  it('neither finds nor shows a line of a private key, whatever surrounds it', async () => {
    const lines = privateKey.split('\n');
    const shown = await search({ 'a.ts': `const key = \`${privateKey}\`;` }, /BEGIN|END/, 3);
    for (const line of lines.slice(1, -1)) assert.ok(!shown.includes(line));
    for (const around of [
      '// $',
      'key += "$\\n";',
      '* $',
      '"line": "$",',
      '  echo $ >> key',
      '\t\t$ \\',
    ]) {
      const file = lines.map((line) => around.replace('$', () => line)).join('\n');
      for (const line of lines.slice(1, -2)) {
        const part = line.slice(20, 28).replace(/[+]/g, String.raw`\$&`);
        assert.equal(await search({ 'a.ts': file }, new RegExp(part)), '', around);
      }
    }
  });

  it("searches only the part of a long line that was read if the file can't be read", async () => {
    const matches: string[] = [];
    const searched: string[] = [];
    const query = { text: 't', isRegex: false, context: 0 };
    const masked = new MaskedLines(query, ({ text }) => matches.push(text) > 0);
    const texts = ['t' + 'a '.repeat(900), 'a '.repeat(1000)];
    texts.forEach((text, at) => masked.add({ path: 'a', line: at + 1, text, fits: true }));
    await masked.finish(unreadable, (lines) => {
      searched.push(...lines);
      return Promise.resolve(
        new Set(lines.flatMap((line, at) => (line.includes('t') ? [at] : []))),
      );
    });
    assert.deepEqual(matches, texts.slice(0, 1));
    assert.ok(searched.every((line) => line.length <= 500));
  });

  it("masks secrets if a file can't be read as a whole", async () => {
    const lines: FoundLine[] = [];
    const query = { text: 't', isRegex: false, context: 0 };
    const masked = new MaskedLines(query, (line) => lines.push(line) > 0);
    masked.add({ path: 'a', line: 1, text: `t = ${token}`, fits: true });
    masked.add({ path: 'a', line: 2, text: 'that', fits: true });
    await masked.finish(unreadable, () => Promise.resolve(new Set()));
    assert.deepEqual(lines, [{ path: 'a', line: 2, text: 'that', fits: true }]);
  });
});

const root = { scheme: 'file', authority: '', path: '/work' };
const scope: SearchScope = {
  root,
  start: 'src',
  include: [],
  exclude: ['**/.git', '/build'],
  leftOut: nothingLeftOut,
};
const query: TextQuery = { text: 'x', isRegex: false, context: 0 };

describe('the arguments of ripgrep', () => {
  it('never make ripgrep read a configuration', () => {
    for (const list of [
      listArguments(scope),
      searchArguments(scope, query),
      inputArguments(query),
    ]) {
      assert.equal(list[0], '--no-config');
    }
  });

  it("can't be mistaken for options, whatever a model writes", () => {
    const hostile = '--pre=/tmp/evil';
    const list = searchArguments(
      { ...scope, start: hostile, include: [hostile, `a/${hostile}`] },
      { ...query, text: hostile },
    );
    const end = list.indexOf('--');
    assert.deepEqual(list.slice(end + 1), [`./${hostile}`]);
    assert.ok(list.includes(`--regexp=${hostile}`));
    assert.ok(list.slice(0, end).every((parameter) => !parameter.startsWith('--pre')));
  });

  function kinds(...include: readonly string[]): readonly string[] {
    return listArguments({ ...scope, include }).filter((parameter) =>
      parameter.startsWith('--type'),
    );
  }

  it('list names without ignored files', () => {
    assert.deepEqual(kinds('*.{ts,js}'), ['--type-add=aside:*.{ts,js}', '--type=aside']);
    assert.deepEqual(kinds('src/**/*.ts', '*.css'), [
      ...['--type-add=aside:*.ts', '--type-add=aside:*.css', '--type=aside'],
    ]);
    const list = listArguments({ ...scope, include: ['.git/config'] });
    assert.deepEqual(
      list.filter((parameter) => parameter.startsWith('--glob')),
      ['--glob=!**/.git', '--glob=!/build'],
    );
  });

  it("list all names if a glob doesn't end with one", () => {
    for (const glob of ['src/**', 'src/', '{src/*.ts,test/*.js}', 'a/include:rust']) {
      assert.deepEqual(kinds(glob, '*.ts'), [], glob);
    }
  });

  it('search for literal text, or for an expression', () => {
    assert.ok(searchArguments(scope, query).includes('--fixed-strings'));
    assert.ok(!searchArguments(scope, { ...query, isRegex: true }).includes('--fixed-strings'));
  });
});
