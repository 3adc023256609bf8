import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LineMatcher } from '../../../../src/core/search/lineMatcher.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';

const seed = Number(process.env['SEED'] ?? 9);

/** Expressions of few letters, so that they often match. */
const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\s', '^', '$', '\\b', '\\B', 'ä', '😀'),
    fc.constantFrom('\\.', '\\x61', '\\u{62}', '\\p{L}', '\\ud83d\\ude00', '[\\]a]', '[a-c-]'),
    tie('expression').map((inside) => `(${inside})`),
    tie('expression').map((inside) => `(?:${inside})`),
    tie('expression').map((inside) => `(?<name>${inside})`),
  ),
  expression: fc
    .array(
      fc.tuple(tie('part'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?')),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .chain((parts) =>
      fc.constantFrom('', '|').map((glue) => parts.map((part) => part.join('')).join(glue)),
    ),
}));
const line = fc.string({ unit: fc.constantFrom(...Array.from('abAB .]-ä😀_1')), maxLength: 10 });

describe('LineMatcher', () => {
  it('finds what a regular expression of JavaScript finds', () => {
    let compared = 0;
    fc.assert(
      fc.property(expression, line, fc.boolean(), (text, given, ignoresCase) => {
        let wanted: RegExp;
        try {
          wanted = new RegExp(text, ignoresCase ? 'iu' : 'u');
        } catch {
          return;
        }
        compared++;
        assert.equal(new LineMatcher(text, ignoresCase).test(given), wanted.test(given));
      }),
      { seed, numRuns: 3000 },
    );
    assert.ok(compared > 500, `${compared} were valid`);
  });

  it('takes steps in proportion to the line, whatever the expression is', () => {
    for (const text of ['x*x*x*x*y', '(a+)+$', '(.*a){12}b', '(x?){40}x{40}y', '(((x*)*)*)*y']) {
      const steps = [100, 1000].map((length) => {
        const matcher = new LineMatcher(text, false);
        matcher.test('x'.repeat(length));
        return matcher.steps;
      });
      assert.ok((steps[1] ?? 0) < 12 * (steps[0] ?? 0), `${text}: ${steps.join(', ')}`);
    }
  });

  it('compiles nested repetitions of nothing, or refuses them', () => {
    for (const empty of ['', 'a{0}', '()', '|', '^', '(?:){3}', '(?:a{0}|b{0})']) {
      for (const count of ['{9}', '{500}', '{9,}', '{2,9}', '*', '+']) {
        const nested = `${'(?:'.repeat(200)}${empty}${`)${count}`.repeat(200)}`;
        try {
          assert.equal(new LineMatcher(nested, false).test('x'), true, nested);
        } catch (error) {
          assert.ok(error instanceof ToolError, nested);
        }
      }
    }
  });
});
