import assert from 'node:assert/strict';
import type { FoundLine } from '../../../../src/core/search/fileSearch.ts';
import { MaskedLines } from '../../../../src/core/search/maskedLines.ts';
import { secretStandIn } from '../../../../src/core/support/secretTokens.ts';
import { privateKey } from '../support/secrets.ts';

const token = `ghp_${'a1B2c3D4'.repeat(5)}`;

/** Searches files as ripgrep does: line by line, in the text as it is. */
async function search(
  files: Readonly<Record<string, string>>,
  expression: RegExp,
  context = 0,
): Promise<string> {
  const found: string[] = [];
  const lines = new MaskedLines({
    query: { text: expression.source, isRegex: true, context },
    found: ({ path, line, text, fits }) =>
      found.push(`${path}:${line}${fits ? ':' : '-'}${text.replace(/[0-9a-f]{6}[.\d]*›/, '›')}`) >
      0,
    textOf: (path) => Promise.resolve(files[path]),
    // No expression of these tests matches across a part that was taken out.
    rematch: (texts) =>
      Promise.resolve(
        new Set(
          texts.flatMap((text, index) =>
            text.split(secretStandIn).some((part) => expression.test(part)) ? [index] : [],
          ),
        ),
      ),
  });
  for (const [path, text] of Object.entries(files)) {
    for (const line of rawLines(path, text, expression, context)) lines.add(line);
  }
  await lines.finish();
  return found.join('\n');
}

function rawLines(path: string, text: string, expression: RegExp, context: number): FoundLine[] {
  const all = text.split('\n');
  const matches = all.flatMap((line, index) => (expression.test(line) ? [index] : []));
  return all.flatMap((line, index) =>
    matches.some((match) => Math.abs(match - index) <= context)
      ? [{ path, line: index + 1, text: line, fits: matches.includes(index) }]
      : [],
  );
}

describe('MaskedLines', () => {
  it('passes on lines without secrets as they are', async () => {
    const files = { 'a.ts': 'const a = 1;\nreturn', 'b.ts': 'MIIEvQ\nconst b = 2;' };
    assert.equal(
      await search(files, /const|MII/),
      'a.ts:1:const a = 1;\nb.ts:2:const b = 2;\nb.ts:1:MIIEvQ',
    );
  });

  it('masks a secret in a line that is found by something else', async () => {
    assert.equal(
      await search({ 'a.ts': `const token = "${token}";` }, /token/),
      'a.ts:1:const token = "ghp_‹masked ›";',
    );
  });

  it('finds nothing by characters of a secret', async () => {
    const file = `before\nconst t = "${token}";\nafter`;
    for (const expression of [/ghp_a1/, /ghp_[^b]/, /"[a-z_]{5}/, /D4"/, /^const.*B2/]) {
      assert.equal(await search({ 'a.ts': file }, expression, 1), '', expression.source);
    }
  });

  it('shows lines around a match, and none around what is no match without its secret', async () => {
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

  it('shows and finds no line of a private key', async () => {
    const file = `const key = \`${privateKey}\`;\nMore text here`;
    for (const line of privateKey.split('\n').slice(1, -1)) {
      assert.equal(
        await search({ 'a.ts': file }, new RegExp(line.slice(0, 4).replaceAll('+', '.'))),
        '',
      );
    }
    const around = await search({ 'a.ts': file }, /BEGIN|END/, 3);
    for (const line of privateKey.split('\n').slice(1, -1)) assert.ok(!around.includes(line));
  });

  it('holds secrets back where a file can not be read as a whole', async () => {
    const lines: FoundLine[] = [];
    const masked = new MaskedLines({
      query: { text: 't', isRegex: false, context: 0 },
      found: (line) => lines.push(line) > 0,
      textOf: () => Promise.resolve(undefined),
      rematch: () => Promise.resolve(new Set()),
    });
    masked.add({ path: 'a', line: 1, text: `t = ${token}`, fits: true });
    masked.add({ path: 'a', line: 2, text: 'that', fits: true });
    await masked.finish();
    assert.deepEqual(lines, [{ path: 'a', line: 2, text: 'that', fits: true }]);
  });
});
