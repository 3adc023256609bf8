import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  CodeIndenter,
  indentOfLines,
  type IndentStyle,
} from '../../../../src/core/code/codeExtractor.ts';

function fit(code: readonly string[], style: IndentStyle): string[] {
  const indented = new CodeIndenter(style);
  const text = indented.push(code.join('\n')) + indented.end();
  return text.split('\n');
}

const spaces = { indent: '    ', unit: '  ' };

interface Case {
  readonly code: readonly string[];
  readonly style: IndentStyle;
  readonly fits: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  'keeps code that is indented correctly': {
    code: ['    if (a) {', '      b();', '\tc();', '    }'],
    style: spaces,
    fits: ['    if (a) {', '      b();', '\tc();', '    }'],
  },
  'indents code that starts at the margin': {
    code: ['', 'if (a) {', '  b();', '', '}'],
    style: spaces,
    fits: ['', '    if (a) {', '      b();', '', '    }'],
  },
  'removes excess indentation': {
    code: ['        if a:', '            b()', '        c()'],
    style: { indent: '    ', unit: '    ' },
    fits: ['    if a:', '        b()', '    c()'],
  },
  'indents lines that are less indented than the first': {
    code: ['  .then(b)', '  .then(c);', 'd();'],
    style: { indent: '      ', unit: '  ' },
    fits: ['      .then(b)', '      .then(c);', '    d();'],
  },
  'indents only the first line if only that lacks indentation': {
    code: ['if (a) {', '      b();', '    }'],
    style: spaces,
    fits: ['    if (a) {', '      b();', '    }'],
  },
  'converts spaces to tabs': {
    code: ['if (a) {', '    if (b) {', '        c();', '    }', '}'],
    style: { indent: '\t', unit: '\t' },
    fits: ['\tif (a) {', '\t\tif (b) {', '\t\t\tc();', '\t\t}', '\t}'],
  },
  'converts tabs to spaces': {
    code: ['\tif (a) {', '\t\tb();', '\t\t\tc();', '\t}'],
    style: { indent: '  ', unit: '  ' },
    fits: ['  if (a) {', '    b();', '      c();', '  }'],
  },
  'converts spaces of the same depth to tabs': {
    code: ['    if (a) {', '        b();', '    }'],
    style: { indent: '\t', unit: '\t' },
    fits: ['\tif (a) {', '\t\tb();', '\t}'],
  },
  'converts spaces to tabs in code at the margin': {
    code: ['def f():', '  a()', '  if b:', '    c()'],
    style: { indent: '', unit: '\t' },
    fits: ['def f():', '\ta()', '\tif b:', '\t\tc()'],
  },
  'keeps line endings and alignment': {
    code: ['call(a,\r', '     b);\r'],
    style: { indent: '\t', unit: '  ' },
    fits: ['\tcall(a,\r', '\t     b);\r'],
  },
};

describe('CodeIndenter', () => {
  for (const [name, { code, style, fits }] of Object.entries(cases)) {
    it(name, () => assert.deepEqual(fit(code, style), fits));
  }

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
