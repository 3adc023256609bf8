import assert from 'node:assert/strict';
import ts from 'typescript';
import { slowInputs, type SlowInput } from './support/slowInputs.ts';
import { readSource, sourceFiles } from './support/sourceFiles.ts';

/**
 * Expressions whose time grows faster than their text, each with the maximum number of characters
 * that the code passes to it, or the reason why slow texts never occur.
 */
const bounded: Readonly<Record<string, readonly (number | string)[]>> = {
  'core/code/placeCode.ts': [500, 500],
  'core/code/testFile.ts': [4096],
  'core/files/globs.ts': ['The text ends with a ].'],
  'host/usage/usageCommands.ts': [50],
  'local/replies.ts': [200],
  'webview/markdown/delimiters.ts': [200],
  'webview/markdown/namedFile.ts': [300],
};

/** Maximum milliseconds for an expression with a text of its maximum length. */
const maxBoundedTime = 30;
/** Lengths to test. The first reveals exponential expressions, the second cubic ones. */
const lengths = [20, 150, 600, 2400];
/** Milliseconds. Searching 2,400 characters takes microseconds, or less than this with a match at each. */
const suspicious = 1;
/** A text four times as long takes 4 times as long, or 16 times if the time is quadratic. */
const maxGrowth = 9;

interface Literal {
  readonly file: string;
  readonly text: string;
}

function literalsIn(file: string): readonly Literal[] {
  const source = ts.createSourceFile(file, readSource(file), ts.ScriptTarget.Latest, true);
  const literals: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) literals.push({ file, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return literals;
}

function toExpression(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** Milliseconds of a search through a text, including all matches of a global expression. */
function timeOf(expression: RegExp, text: string): number {
  const start = performance.now();
  expression.lastIndex = 0;
  if (expression.sticky) {
    for (let index = 0; index < text.length; index = Math.max(index + 1, expression.lastIndex)) {
      expression.lastIndex = index;
      expression.test(text);
    }
  } else if (expression.global) {
    text.replace(expression, '');
  } else {
    expression.test(text);
  }
  return performance.now() - start;
}

/** The shortest of several times, because other programs use the processor too. */
function leastTime(expression: RegExp, text: string, runs = 5): number {
  return Math.min(...Array.from({ length: runs }, () => timeOf(expression, text)));
}

/** Measures three times, since other programs may have used the processor during one of them. */
function growsTooFast(expression: RegExp, input: SlowInput): boolean {
  return [1, 2, 3].every(() => seemsToGrowTooFast(expression, input));
}

function seemsToGrowTooFast(expression: RegExp, input: SlowInput): boolean {
  const length = lengths.find((length) => {
    const text = input(length);
    return timeOf(expression, text) > suspicious && leastTime(expression, text, 2) > suspicious;
  });
  if (length === undefined) return false;
  const last = lengths.at(-1);
  if (length !== last) return true;
  return leastTime(expression, input(last)) / leastTime(expression, input(last / 4)) > maxGrowth;
}

describe('regular expressions', () => {
  it('are tested with inputs that reveal slow ones', () => {
    const slow = [
      /a+$/,
      /^(a|a)*$/,
      /\[(?:[^[\]\\]|\\.)+\]/gs,
      /\$[^"]*x/y,
      /^.*\s.*foo$/,
      /(a+)+b/,
    ];
    const fast = [
      /^a+$/,
      /(?<!a)a+$/,
      /\\.|\[(?:[^[\]\\]|\\.)+\]/gs,
      /"[^"]*("?)/y,
      /^a+b+c+$/,
      /\s+/g,
    ];
    const isSlow = (expression: RegExp): boolean =>
      slowInputs(expression).some((input) => growsTooFast(expression, input));
    assert.deepEqual(
      slow.filter((expression) => !isSlow(expression)),
      [],
    );
    assert.deepEqual(fast.filter(isSlow), []);
  });

  it('take linear time, or are used on short texts only', () => {
    const counts = new Map<string, number>();
    const problems: string[] = [];
    const seen = new Set<string>();
    for (const { file, text } of sourceFiles.flatMap(literalsIn)) {
      const key = `${file} ${text}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const expression = toExpression(text);
      const input = slowInputs(expression).find((input) => growsTooFast(expression, input));
      if (input === undefined) continue;
      const index = counts.get(file) ?? 0;
      counts.set(file, index + 1);
      const bound = bounded[file]?.[index];
      const time = typeof bound === 'number' ? leastTime(expression, input(bound)) : 0;
      if (bound !== undefined && time < maxBoundedTime) continue;
      problems.push(`${file}: ${text}\n  with ${JSON.stringify(input(40))}`);
    }
    assert.deepEqual(problems, []);
  });
});
