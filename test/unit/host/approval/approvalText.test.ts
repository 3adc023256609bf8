import assert from 'node:assert/strict';
import fc from 'fast-check';
import { visibleText } from '../../../../src/core/support/text.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { dialogText, renderFullChange } = await withoutVsCode(
  () => import('../../../../src/host/approval/approvalText.ts'),
);

const seed = Number(process.env['SEED'] ?? 7);

/** Deceptive texts: a name, the text, and how a dialog shows it. */
const deceptiveTexts: readonly (readonly [string, string, string])[] = [
  ['plain text', 'npm test -- --grep "a b"', 'npm test -- --grep "a b"'],
  ['lines', 'cd a\nls', 'cd a\nls'],
  ['carriage return', 'harmless\rrm -rf x', String.raw`harmless\u{d}rm -rf x`],
  ['tab', 'a\tb', String.raw`a\u{9}b`],
  ['NUL', 'a\0b', String.raw`a\u{0}b`],
  ['escape sequence', '\u001b[2Kls', String.raw`\u{1b}[2Kls`],
  ['C1 control', '\u009b2Jls', String.raw`\u{9b}2Jls`],
  ['backspace', 'rm\b\bls', String.raw`rm\u{8}\u{8}ls`],
  ['line separator', 'ls\u2028rm', String.raw`ls\u{2028}rm`],
  ['paragraph separator', 'ls\u2029rm', String.raw`ls\u{2029}rm`],
  ['next line', 'ls\u0085rm', String.raw`ls\u{85}rm`],
  ['right to left', 'ls \u202eexe.txt', String.raw`ls \u{202e}exe.txt`],
  ['isolates', '\u2066a\u2069', String.raw`\u{2066}a\u{2069}`],
  ['zero width space', 'npm\u200b test', String.raw`npm\u{200b} test`],
  ['joiner in a word', 'n\u200dpm', String.raw`n\u{200d}pm`],
  ['soft hyphen', 'te\u00adst', String.raw`te\u{ad}st`],
  ['byte order mark', '\ufeffls', String.raw`\u{feff}ls`],
  ['no-break space', 'rm\u00a0-rf', String.raw`rm\u{a0}-rf`],
  ['wide space', 'rm\u3000x', String.raw`rm\u{3000}x`],
  ['Hangul filler', 'a\u3164b', String.raw`a\u{3164}b`],
  ['half-width filler', 'a\uffa0b', String.raw`a\u{ffa0}b`],
  ['blank Braille', 'a\u2800b', String.raw`a\u{2800}b`],
  ['blank note', 'a\u{1d159}b', String.raw`a\u{1d159}b`],
  ['blank Khitan letter', 'a\u{16fe4}b', String.raw`a\u{16fe4}b`],
  ['variation selector', 'a\ufe0f', String.raw`a\u{fe0f}`],
  ['variation selector 17', 'a\u{e0100}', String.raw`a\u{e0100}`],
  ['tag characters', 'ls\u{e0072}\u{e006d}', String.raw`ls\u{e0072}\u{e006d}`],
  ['Cyrillic in a Latin word', 'p\u0430ckage', String.raw`p\u{430}ckage`],
  ['Greek in a Latin word', 'n\u03bfde', String.raw`n\u{3bf}de`],
  ['wide letters in a Latin word', 'n\uff50m', String.raw`n\u{ff50}m`],
  ['mathematical letters in a word', 'r\u{1d426}', String.raw`r\u{1d426}`],
  ['a word of another script', 'echo привет', 'echo привет'],
  ['accents', 'café naïve', 'café naïve'],
  ['half of a pair', 'a\ud83d', String.raw`a\u{d83d}`],
  ['private use', 'a\ue000', String.raw`a\u{e000}`],
  ['an emoji', 'echo 🎉', 'echo 🎉'],
  ['an entity', 'a &lt;b&gt; &#10; c', 'a &lt;b&gt; &#10; c'],
  ['Markdown', '[safe](command:x) **b** `c`', '[safe](command:x) **b** `c`'],
  [
    'marks on marks',
    'a\u0301\u0301\u0301\u0301\u0301',
    String.raw`a${'\u0301'.repeat(3)}\u{301}\u{301}`,
  ],
];

describe('the text of a dialog', () => {
  for (const [name, text, expected] of deceptiveTexts) {
    it(`shows ${name}`, () => {
      assert.equal(visibleText(text), expected);
      assert.deepEqual(dialogText(text), {
        text: expected,
        whole: true,
        lines: expected.split('\n').length,
        characters: expected.length,
      });
    });
  }

  it('is printable for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.match(visibleText(text), /^(?:[\P{C}\n])*$/u);
        assert.doesNotMatch(visibleText(text), /\p{Default_Ignorable_Code_Point}|[^\P{Z} ]/u);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('is complete up to 12 lines and 800 characters', () => {
    const lines = 'a\n'.repeat(11) + 'a';
    assert.equal(dialogText(lines).whole, true);
    assert.equal(dialogText(`${lines}\na`).whole, false);
    assert.equal(dialogText('a'.repeat(800)).whole, true);
    assert.equal(dialogText('a'.repeat(801)).whole, false);
    // Each invisible character takes eight characters when it is made visible.
    assert.equal(dialogText('\u200b'.repeat(200)).whole, false);
  });

  it('contains the first lines of a longer text, and reports the number of all lines', () => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
    assert.deepEqual(dialogText(text), {
      text: 'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\n…',
      whole: false,
      lines: 30,
      characters: text.length,
    });
    const padded = dialogText(`echo${' '.repeat(1000)}; rm -rf x`);
    assert.equal(padded.whole, false);
    assert.match(padded.text, /…/);
  });

  it('contains the beginning of a long line, and reports its length', () => {
    const { text, characters } = dialogText('a'.repeat(2000));
    assert.equal(text, `${'a'.repeat(600)}…`);
    assert.equal(characters, 2000);
    const lines = dialogText(`${'a'.repeat(2000)}\n${'b'.repeat(2000)}`).text;
    assert.equal(lines, `${'a'.repeat(300)}…\n${'b'.repeat(300)}…\n…`);
  });
});

describe('the change in a dialog', () => {
  it('contains every difference', () => {
    assert.equal(
      renderFullChange('a', 'a\nb\nc\nd\n', 'a\nB\nc\nD\nd\n'),
      '- b\n- c\n+ B\n+ c\n+ D',
    );
    assert.equal(renderFullChange('a', '', 'a\nb\n'), '+ a\n+ b\n+ ');
    assert.equal(renderFullChange('a', 'a\n', ''), '- a\n- ');
    assert.equal(renderFullChange('a', 'a\na\n', 'a\na\na\n'), '+ a');
    assert.equal(renderFullChange('a', 'same', 'same'), '');
  });

  it('names line endings if, and only if, they change', () => {
    assert.equal(renderFullChange('a', 'a\r\nb\r\n', 'a\r\nc\r\n'), '- b\n+ c');
    assert.equal(renderFullChange('a', 'a\r\n', 'a\n'), '- a\r\n+ a');
  });

  it('begins with the changed scripts of a package', () => {
    const before = JSON.stringify({ scripts: { test: 'mocha' }, name: 'a' }, null, 2);
    const after = JSON.stringify(
      { scripts: { test: 'mocha', postinstall: 'sh x' }, name: 'b' },
      null,
      2,
    );
    const [first] = renderFullChange('/ws/package.json', before, after).split('\n');
    assert.equal(first, '! postinstall: "sh x"');
    assert.doesNotMatch(renderFullChange('/ws/other.json', before, after), /^!/);
    assert.doesNotMatch(renderFullChange('package.json', '{', '{}'), /^!/);
  });

  it('shows automatic scripts before all others, and counts hidden ones', () => {
    const lifecycle = [
      'preinstall',
      'install',
      'postinstall',
      'prepare',
      'prepublish',
      'prepack',
      'version',
    ];
    const others = Array.from({ length: 30 }, (_, index) => `task${index}`);
    const chosen = fc.tuple(
      fc.shuffledSubarray(lifecycle, { minLength: 1 }),
      fc.subarray(others),
      fc.boolean(),
    );
    fc.assert(
      fc.property(chosen, fc.nat(), ([dangerous, harmless, hasMark], at) => {
        const names = harmless.toSpliced(at % (harmless.length + 1), 0, ...dangerous);
        const scripts = Object.fromEntries(names.map((name) => [name, `run ${name}`]));
        const mark = hasMark ? '\ufeff' : '';
        const after = mark + JSON.stringify({ name: 'a', scripts }, null, 2);
        const change = renderFullChange('package.json', '{}', after);
        const lines = dialogText(change).text.split('\n').slice(0, 6);
        const visible = lines.flatMap((line) => /^! ([\w:]+): /.exec(line)?.slice(1) ?? []);
        const hidden = Number(/^! (\d+) more scripts$/m.exec(lines.join('\n'))?.[1] ?? 0);
        assert.equal(visible.length + hidden, names.length);
        const first = visible.slice(0, Math.min(dangerous.length, 5));
        assert.ok(
          first.every((name) => lifecycle.includes(name)),
          visible.join(),
        );
      }),
      { seed },
    );
  });

  it('contains every removed or added line', () => {
    const line = fc.constantFrom('a', 'b', 'c', '');
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = renderFullChange('a', before, after).split('\n');
        const of = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
        const count = (content: string): number =>
          content === '' ? 0 : content.split('\n').length;
        assert.equal(of('+ ') - of('- '), count(after) - count(before));
        assert.equal(renderFullChange('a', before, after) === '', before === after);
      }),
      { seed },
    );
  });
});
