import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  applyEdits,
  applyMaskedEdits,
  refuseMasks,
} from '../../../../src/core/edits/applyEdits.ts';
import { maskSecrets, masksIn } from '../../../../src/core/support/secretTokens.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { privateKey, tokens } from '../support/secrets.ts';

const seed = Number(process.env['SEED'] ?? 7);

function edit(text: string, search: string, replace: string): string {
  return applyEdits(text, [{ search, replace }]);
}

function lines(...list: readonly string[]): string {
  return list.join('\n');
}

function refusal(text: string, ...edits: readonly (readonly [string, string])[]): string {
  try {
    applyEdits(
      text,
      edits.map(([search, replace]) => ({ search, replace })),
    );
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error));
    return error.message;
  }
  return assert.fail('was not refused');
}

describe('applyEdits with an exact search text', () => {
  it('replaces the text, wherever it is', () => {
    assert.equal(edit('abc', 'a', 'x'), 'xbc');
    assert.equal(edit('abc', 'b', ''), 'ac');
    assert.equal(edit('abc', 'c', 'cd'), 'abcd');
    assert.equal(edit('abc', 'abc', ''), '');
    assert.equal(edit('a\nb\n', 'b\n', 'b\nc\n'), 'a\nb\nc\n');
  });

  it("doesn't interpret the replacement as a pattern", () => {
    assert.equal(edit('cost', 'cost', '$& $1 $$ $`'), '$& $1 $$ $`');
    assert.equal(edit('a.c abc', 'a.c', '[x]'), '[x] abc');
  });

  it('keeps the end of the file', () => {
    assert.equal(edit('a\nlast', 'last', 'end'), 'a\nend');
    assert.equal(edit('a\nlast\n', 'last', 'end'), 'a\nend\n');
    assert.equal(edit('a\nlast', 'last\n', 'end\n'), 'a\nend');
    assert.equal(edit('a\nlast', 'a\nlast\n', 'b\n'), 'b');
    assert.equal(edit('a\nlast', 'last', 'last\n'), 'a\nlast\n');
  });

  it('applies each edit to the result of the ones before', () => {
    const edits = [
      { search: 'one', replace: 'two' },
      { search: 'two', replace: 'three' },
    ];
    assert.equal(applyEdits('one', edits), 'three');
    const overlapping = [
      { search: 'b\nc', replace: 'B\nC' },
      { search: 'a\nB', replace: 'A\nB' },
    ];
    assert.equal(applyEdits('a\nb\nc\n', overlapping), 'A\nB\nC\n');
    assert.match(refusal('one\ntwo', ['one', 'two'], ['two', 'x']), /Edit 2 of 2.*2 places/);
  });

  it('indents a block like the line that it replaces', () => {
    const text = lines('f() {', '    go();', '}');
    const block = lines('if (a) {', '    go();', '} else {', '    stay();', '}');
    assert.equal(
      edit(text, 'go();', block),
      lines(
        'f() {',
        '    if (a) {',
        '        go();',
        '    } else {',
        '        stay();',
        '    }',
        '}',
      ),
    );
    // Code that closes the surrounding block, or is indented already, is inserted unchanged.
    const closing = lines('return 2;', '}', '', 'g() {', '    return 3;');
    assert.equal(edit(text, 'go();', closing), lines('f() {', '    ' + closing, '}'));
    const placed = lines('if (a) {', '        go();', '    }');
    assert.equal(edit(text, '    go();', `    ${placed}`), lines('f() {', `    ${placed}`, '}'));
  });
});

describe('applyEdits with a search text that begins inside the indentation', () => {
  it('indents new lines like the line', () => {
    const text = lines('def f():', '        x = 1', '        return x', '');
    assert.equal(
      edit(text, '    x = 1', lines('    x = 1', '    y = 2')),
      lines('def f():', '        x = 1', '        y = 2', '        return x', ''),
    );
    assert.equal(
      edit(text, '    x = 1\n', lines('    if a:', '        x = 1', '')),
      lines('def f():', '        if a:', '            x = 1', '        return x', ''),
    );
    assert.equal(edit('a\n\t\tb', '\tb', '\tb\n\tc'), 'a\n\t\tb\n\t\tc');
  });

  it('otherwise matches exactly', () => {
    assert.equal(edit('        x = 1', '    x = 1', 'x = 2'), '        x = 2');
    assert.equal(edit('        x  \ny', '    x  ', '    x'), '        x\ny');
    assert.equal(edit('        x\ny', '    x', '    x  \n    z'), '        x  \n        z\ny');
    assert.equal(edit('    x = 1', '    x', '  y'), '  y = 1');
    assert.equal(edit('    x = 1', '    x = 1', '    x = 1\n  y'), '    x = 1\n  y');
    assert.equal(edit('a  \t b', ' \t ', ' '), 'a  b');
    assert.equal(edit('  \t b', ' \t ', ' '), '  b');
  });

  it('keeps an empty line at the beginning of the file', () => {
    assert.equal(edit('\na  b\n', '\na b', '\nc'), '\nc\n');
  });
});

describe('applyEdits with line endings and byte order marks', () => {
  it('keeps CRLF where the model writes LF, and LF where it writes CRLF', () => {
    assert.equal(edit('a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb'), 'a\r\nx\r\nb\r\nc\r\n');
    assert.equal(edit('a\nb\nc\n', 'a\r\nb', 'a\r\nx\r\nb'), 'a\nx\nb\nc\n');
    assert.equal(edit('a\r\nb', 'b', 'b\nc'), 'a\r\nb\r\nc');
  });

  it('neither adds nor removes a byte order mark, even if the model writes one', () => {
    assert.equal(edit('\ufeffa\nb', 'a', 'x'), '\ufeffx\nb');
    assert.equal(edit('\ufeffa\nb', '\ufeffa', '\ufeffx'), '\ufeffx\nb');
    assert.equal(edit('a\nb', '\ufeffa', '\ufeffx'), 'x\nb');
  });
});

describe('applyEdits with invisible characters', () => {
  it('reads an escape as the character that it represents', () => {
    assert.equal(
      edit('a = "x\u200by"', 'a = "x\\u{200b}y"', 'b = "x\\u{200b}y"'),
      'b = "x\u200by"',
    );
    assert.equal(edit('x\u202ey  z', 'x\\u{202e}y z', 'x\\u{202e}z'), 'x\u202ez');
  });

  it('keeps escapes that the file contains, and those of missing characters', () => {
    assert.equal(edit('s = "\\u{200b}"', '\\u{200b}', '\\u{200c}'), 's = "\\u{200c}"');
    assert.equal(edit('a\u200b b', 'a\\u{200b}', 'a\\u{202e}'), 'a\\u{202e} b');
    assert.match(refusal('abc', ['a\\u{200b}', 'b']), /not in the file/);
    assert.match(refusal('abc', ['a\\u{ffffff}', 'b']), /not in the file/);
    assert.match(refusal('a b', ['\\u{61} b', 'c']), /not in the file/);
    assert.equal(edit('\\u{61} a', '\\u{61}', 'b'), 'b a');
  });
});

describe('applyEdits with an escape that may also be a character', () => {
  const hidden = 's = "a\u200bb"';
  const literal = 's = "a\\u{200b}b"';

  it('distinguishes escape and character if the file has both', () => {
    const text = lines(hidden, 'x', literal);
    const words = refusal(text, [literal, 's = ""']);
    assert.match(words, /2 places.*\n1\t.*\n3\t/);
    assert.match(refusal(text, ['s  = "a\\u{200b}b"', 's = ""']), /2 places/);
  });

  it('finds the one that the surrounding lines determine, and writes the same kind', () => {
    const text = lines(hidden, 'x', literal);
    assert.equal(edit(text, lines(literal, 'x'), 'x'), lines('x', literal));
    assert.equal(edit(text, lines('x', literal), lines('x', `${literal};`)), `${text};`);
    assert.equal(edit(text, lines('x ', `  ${literal}`), 'x'), lines(hidden, 'x'));
    assert.equal(
      edit(text, lines(`${literal} `, 'x'), `${literal};`),
      lines(`${hidden};`, literal),
    );
  });
});

describe('applyEdits with different white space', () => {
  it('finds a block that is indented less, and indents its replacement', () => {
    const text = lines('class A {', '    go() {', '        one();', '        two();', '    }', '}');
    const search = lines('go() {', '    one();', '    two();', '}');
    const replace = lines('go() {', '    one();', '    if (a) {', '        three();', '    }', '}');
    assert.equal(
      edit(text, search, replace),
      lines(
        ...['class A {', '    go() {', '        one();', '        if (a) {'],
        ...['            three();', '        }', '    }', '}'],
      ),
    );
  });

  it('converts spaces and tabs to those of the file', () => {
    const tabs = lines('f() {', '\tif (a) {', '\t\tb();', '\t}', '}');
    assert.equal(
      edit(
        tabs,
        lines('    if (a) {', '        b();', '    }'),
        lines(
          '    if (a) {',
          '        b();',
          '        if (c) {',
          '            d();',
          '        }',
          '    }',
        ),
      ),
      lines('f() {', '\tif (a) {', '\t\tb();', '\t\tif (c) {', '\t\t\td();', '\t\t}', '\t}', '}'),
    );
    const spaces = lines('f() {', '  if (a) {', '    b();', '  }', '}');
    assert.equal(
      edit(
        spaces,
        lines('\tif (a) {', '\t\tb();', '\t}'),
        lines('\tif (a) {', '\t\tfor (;;) {', '\t\t\tb();', '\t\t}', '\t}'),
      ),
      lines('f() {', '  if (a) {', '    for (;;) {', '      b();', '    }', '  }', '}'),
    );
  });

  it('extrapolates new indentation levels from the nearest line', () => {
    const four = lines('f() {', '    if (a) {', '        b();', '    }', '}');
    assert.equal(
      edit(
        four,
        lines('  if (a) {', '    b();', '  }'),
        lines('  if (a) {', '    for (;;) {', '      b();', '    }', '  }'),
      ),
      lines(
        ...['f() {', '    if (a) {', '        for (;;) {', '            b();'],
        ...['        }', '    }', '}'],
      ),
    );
    // If one side has tabs, a single line is enough to determine a level.
    assert.equal(
      edit(
        'f() {\n\tgo( a );\n}',
        '    go(  a );',
        lines('    if (b) {', '        go();', '    }'),
      ),
      lines('f() {', '\tif (b) {', '\t\tgo();', '\t}', '}'),
    );
    assert.equal(
      edit(
        lines('if a:', '    go( b )'),
        lines('        go(  b )'),
        lines('        x()', '    y()'),
      ),
      lines('if a:', '    x()', 'y()'),
    );
  });

  it("keeps lines that the edit doesn't change", () => {
    const text = lines('x  =  1   ', 'y =\t2', 'z = 3');
    assert.equal(
      edit(text, lines('x = 1', 'y = 2', 'z = 3'), lines('x = 1', 'y = 5', 'z = 3')),
      lines('x  =  1   ', 'y = 5', 'z = 3'),
    );
  });

  it('ignores white space at line ends, and a missing first indentation', () => {
    assert.equal(edit('a  \nb\t\nc', 'a\nb', 'a\nx'), 'a  \nx\nc');
    assert.equal(edit('a  \nb\t\nc', 'a\nb', 'x\nb'), 'x\nb\t\nc');
    assert.equal(edit('a  \nb\t\nc', 'a\nb', 'a\nb\nx'), 'a  \nb\t\nx\nc');
    assert.equal(edit('a\nb\nc', 'a   \nb', 'a\nx'), 'a\nx\nc');
    const text = lines('  one()  ', '  two()', 'end');
    assert.equal(
      edit(text, lines('one()', '  two()'), lines('one()', '  three()')),
      lines('  one()  ', '  three()', 'end'),
    );
  });

  it('finds a part of a line', () => {
    assert.equal(edit('if (a  &&  b) c();', 'a && b', 'a || b'), 'if (a || b) c();');
    assert.equal(edit('  call(a,  b)', ' call(a, b)', ' call(b)'), '  call(b)');
    assert.equal(edit('x = call(a,  b)', ' call(a, b)', ' call(b)'), 'x = call(b)');
  });

  it('removes whole lines, and no others', () => {
    assert.equal(edit('a\n    b  c\nd', 'b c\n', ''), 'a\nd');
    assert.equal(edit('a\n    b  c\nd', 'b c', ''), 'a\nd');
    assert.equal(edit('a\n    b  c', 'b c\n', ''), 'a\n');
    assert.equal(edit('a\n    b  c + d\n', 'b c', ''), 'a\n     + d\n');
  });

  it('ignores empty lines around the search text', () => {
    assert.equal(edit('a\nb\nc', '\n\n  b\n\n\n', '\n\n  x\n\n\n'), 'a\nx\nc');
  });

  it('prefers the stricter match', () => {
    assert.equal(edit('a  \nb\n  a\n  b', 'a\nb', 'x'), 'x\n  a\n  b');
    assert.equal(edit('b\n  b \n  c', '  b\n  c', '  x'), 'b\n  x');
  });

  it('matches no part of a word', () => {
    assert.match(refusal('max  y', ['x y', 'z']), /not in the file/);
    assert.match(refusal('x  yes', ['x y', 'z']), /not in the file/);
    assert.equal(edit('(x  y)', 'x y', 'z'), '(z)');
  });

  it('does not count matches inside words, however many there are', () => {
    const cut = 'ax = 1\n'.repeat(150);
    assert.equal(edit(`${cut}x = 1\n`, 'x =  1', 'x = 2'), `${cut}x = 2\n`);
    assert.match(refusal(`x = 1\n${cut}x = 1\n`, ['x =  1', 'x = 2']), /2 places.*\n1\t.*\n152\t/);
    assert.equal(edit('ax = x = x', 'x  =  x', 'y'), 'ax = y');
  });

  it('accepts a single match only if all lines were compared', () => {
    const block = `${'(aa'.repeat(400)}(a`;
    const cut = '(aa'.repeat(1000);
    const words = refusal(lines(block, cut, block), [`${block} `, 'x']);
    assert.match(words, /not in the file/);
  });

  it('treats all kinds of spaces as equal', () => {
    const spaces = ['\u00a0', '\u1680', '\u2000', '\u200a', '\u202f', '\u205f', '\u3000', '\t'];
    for (const space of spaces) {
      assert.equal(edit(`a${space}b`, 'a b', 'c'), 'c', JSON.stringify(space));
      assert.equal(edit(`${space}a`, '  a ', '  b '), `${space}b`, JSON.stringify(space));
    }
    assert.match(refusal('a\u200bb', ['a b', 'c']), /not in the file/);
  });

  it('distinguishes white space from no white space', () => {
    assert.match(refusal('f(a,b)', ['f(a, b)', 'g']), /not in the file/);
    assert.match(refusal('a\n\nb', ['a\nb', 'c']), /not in the file/);
  });
});

describe('applyEdits with a first line that lacks its indentation', () => {
  const text = lines('def f():', '    if a:', '        one()', '    two()', '    three()', '');

  it('gives the line the indentation of the file, once', () => {
    for (const first of ['two()', '    two()']) {
      for (const replaced of ['dos()', '    dos()']) {
        assert.equal(
          edit(text, lines(first, '    three()'), lines(replaced, '    three()')),
          text.replace('two', 'dos'),
          JSON.stringify([first, replaced]),
        );
      }
    }
    assert.equal(
      edit(text, lines('two()', '    three()'), lines('    two()', '    more()', '    three()')),
      text.replace('two()', lines('two()', '    more()')),
    );
    assert.equal(edit(text, 'two()', '    dos()'), text.replace('two', 'dos'));
    assert.equal(
      edit(text, 'one()', lines('uno()', '        dos()')),
      text.replace('one()', lines('uno()', '        dos()')),
    );
  });

  it('gives a line that stays its own indentation', () => {
    assert.equal(
      edit(text, lines('one()', '    two()'), 'two()'),
      lines('def f():', '    if a:', '    two()', '    three()', ''),
    );
    assert.equal(
      edit(text, lines('    if a:', '        one()', '    two()'), lines('one()', '    two()')),
      lines('def f():', '        one()', '    two()', '    three()', ''),
    );
  });

  it('indents a whole block at the margin', () => {
    assert.equal(
      edit(text, 'one()', lines('if b:', '    uno()', 'else:', '    dos()')),
      text.replace(
        'one()',
        lines('if b:', '            uno()', '        else:', '            dos()'),
      ),
    );
    assert.equal(
      edit(text, lines('    two()', '    three()'), lines('for x in y:', '    dos(x)')),
      lines('def f():', '    if a:', '        one()', '    for x in y:', '        dos(x)', ''),
    );
  });

  it('keeps the end of a comment above a line at the margin', () => {
    const text = lines('/**', ' * A.', ' */', 'function a() {', '}', '');
    const edited = edit(text, ' */\nfunction a() {', '*/\nfunction b() {');
    assert.equal(edited, text.replace('a()', 'b()'));
  });

  it('only removes a line where the others stay as they are', () => {
    const text = lines('a {', '  b {', '  }', '}', 'c', '');
    assert.equal(edit(text, '  }\n}\nc', '}\nc'), lines('a {', '  b {', '}', 'c', ''));
    assert.equal(edit(text, '  }\n}', '}'), lines('a {', '  b {', '}', 'c', ''));
  });

  it('moves lines to the margin if only that changes', () => {
    assert.equal(edit(text, '    three()', 'three()'), text.replace('    three()', 'three()'));
  });
});

describe('applyEdits with other characters than the file', () => {
  it('finds letters with accents however they are written', () => {
    const decomposed = 'cafe\u0301 = 1\n# e\u0301te\u0301\n';
    assert.equal(
      edit(decomposed, 'caf\u00e9 = 1\n# \u00e9t\u00e9', 'caf\u00e9 = 2\n# \u00e9t\u00e9'),
      'caf\u00e9 = 2\n# e\u0301te\u0301\n',
    );
  });

  it('finds typographic characters by plain ones, and keeps those that do not change', () => {
    for (const [real, written] of [
      ['say(“hi”)', 'say("hi")'],
      ['it’s', "it's"],
      ['pages 1–2', 'pages 1-2'],
      ['wait… what', 'wait... what'],
    ] as const) {
      assert.equal(
        edit(`${real}\nx = 1\n`, `${written}\nx = 1`, `${written}\nx = 2`),
        `${real}\nx = 2\n`,
      );
    }
    assert.equal(edit('“one” “two”', '"one" "two"', '"one" "three"'), '“one” “three”');
  });

  it('prefers the place with the characters as written', () => {
    assert.equal(edit('“a”\n"a"', '"a"', '"b"'), '“a”\n"b"');
    assert.match(refusal('“a”\n„a“', ['"a"', '"b"']), /2 places/);
  });
});

describe('applyEdits with numbers of lines', () => {
  const text = lines('function f() {', '  return 1;', '}', '');

  it('drops them if each line of the search text has the next one', () => {
    const search = lines('1\tfunction f() {', '2\t  return 1;');
    const after = text.replace('1', '2');
    assert.equal(edit(text, search, lines('1\tfunction f() {', '2\t  return 2;')), after);
    assert.equal(edit(text, search, lines('function f() {', '  return 2;')), after);
    assert.match(refusal(text, [search.replace('2\t', '3\t'), 'x']), /not in the file/);
  });

  it('keeps those of the file', () => {
    assert.equal(edit('1\tone\n2\ttwo\n', '2\ttwo', '2\tzwei'), '1\tone\n2\tzwei\n');
  });
});

describe('applyEdits with an empty file', () => {
  it('writes its whole text, and never replaces that of another', () => {
    assert.equal(edit('', '', 'print(1)\n'), 'print(1)\n');
    assert.equal(edit('\ufeff', '', 'print(1)\n'), '\ufeffprint(1)\n');
    assert.match(refusal('\n', ['', 'a']), /search is empty/);
  });
});

describe('refusals of applyEdits', () => {
  it('list the lines of several matches', () => {
    const text = lines('start', 'go()', 'stop', 'go()', 'end');
    const words = refusal(text, ['go()', 'x()']);
    assert.equal(
      words,
      'search matches 2 places. Add lines around it until only one matches:\n2\tgo()\n4\tgo()',
    );
    assert.match(refusal('aaa', ['aa', 'b']), /2 places/);
    assert.match(refusal('a\n'.repeat(300), ['a', 'b']), /100 or more places/);
    assert.match(refusal('f( a )\n  f( a  )', ['f(  a )', 'b']), /2 places/);
  });

  it('show the nearest lines with their numbers', () => {
    const text = lines(
      ...Array.from({ length: 50 }, (_, index) => `const value${index} = compute(${index});`),
    );
    const search = lines('const value30 = compute(30);', 'const value31 = calculate(31);');
    assert.equal(
      refusal(text, [search, 'x']),
      lines(
        'search is not in the file. The nearest lines:',
        '30\tconst value29 = compute(29);',
        '31\tconst value30 = compute(30);',
        '32\tconst value31 = compute(31);',
        '33\tconst value32 = compute(32);',
      ),
    );
  });

  it('say if nothing is similar, and truncate long lines', () => {
    assert.match(refusal('abc def', ['xyz', 'a']), /nor anything like it/);
    assert.match(refusal('', ['xyz', 'a']), /nor anything like it/);
    const long = refusal(`needle ${'x'.repeat(10_000)}`, ['needle here', 'a']);
    assert.ok(long.length < 400, long);
  });

  it('name the edit that fails, and apply none', () => {
    assert.match(refusal('a b', ['a', 'x'], ['zz', 'y']), /^Edit 2 of 2: [^]*No edit was made\.$/);
  });

  it('include empty edits', () => {
    assert.match(refusal('a', ['', 'b']), /search is empty/);
    assert.match(refusal('a', ['a', 'a']), /are the same/);
    assert.match(refusal('a\r\n', ['a\r\n', 'a\n']), /are the same/);
    assert.match(refusal('a'), /edits is empty/);
    assert.match(refusal('a b', ['a', 'c'], ['c', 'a']), /change nothing/);
  });
});

describe('applyEdits with a comment in the place of code', () => {
  const text = lines('def main():', '    one()', '    two()', '    three()', '');
  const whole = text.trimEnd();

  it('refuses to delete the code that it stands for', () => {
    for (const comment of [
      '# ... existing code ...',
      '# rest of main unchanged',
      '# 其余代码不变',
    ]) {
      const message = refusal(text, [whole, lines('def main():', '    one(1)', `    ${comment}`)]);
      assert.ok(message.includes(`would delete: ${comment}\n`), message);
    }
  });

  it('takes comments that delete nothing, or that the file has, and stubs', () => {
    const rest = '    # The rest remains the same.';
    assert.equal(edit(text, '    two()', lines(rest, '    two()')).split('\n')[2], rest);
    const commented = lines('def main():', rest, '    one()', '    two()');
    assert.match(edit(commented, lines(rest, '    one()'), lines(rest, '    1')), / 1\n/);
    assert.equal(
      edit('a\n  #original: A;', '  #original: A;', '  #original: B;'),
      'a\n  #original: B;',
    );
    const numbered = ['1\t# Same as before.', '2\ta()', '3\tb()'].join('\n');
    const same = '# Same as before.\na(1)\nb()';
    assert.equal(edit('# Same as before.\na()\nb()', numbered, same), same);
    assert.equal(edit(text, whole, 'def main(): ...'), 'def main(): ...\n');
    assert.equal(edit(text, whole, '# main was removed'), '# main was removed\n');
  });
});

describe('applyEdits for any text', () => {
  const line = fc.array(fc.constantFrom('a', 'b', ' ', '\t', '{', '}', 'ü', '🦊', '$&'), {
    maxLength: 6,
  });
  const text = fc
    .tuple(
      fc.array(line, { maxLength: 30 }),
      fc.array(fc.constantFrom('\n', '\r\n'), { maxLength: 30 }),
    )
    .map(([parts, ends]) =>
      parts.map((part, index) => part.join('') + (ends[index] ?? '')).join(''),
    );

  it('replaces exactly the single match, and nothing else', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), fc.string(), (before, first, second, word) => {
        const marked = before.replaceAll('\r', '');
        const [from, to] = [first, second]
          .map((number) => number % (marked.length + 1))
          .toSorted((a, b) => a - b);
        const head = marked.slice(0, from);
        const tail = marked.slice(to);
        const search = `«${marked.slice(from, to)}»`;
        const replace = `<${word.replaceAll('\r', '')}>`;
        assert.equal(edit(head + search + tail, search, replace), head + replace + tail);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('counts all matches, including overlapping ones', () => {
    const word = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });
    fc.assert(
      fc.property(word(0, 60), word(1, 6), (whole, part) => {
        const offsets = Array.from(whole, (_, index) => index);
        const places = offsets.filter((offset) => whole.startsWith(part, offset));
        if (places.length === 1) assert.equal(edit(whole, part, 'c'), whole.replace(part, 'c'));
        else if (places.length === 0) assert.match(refusal(whole, [part, 'c']), /not in the file/);
        else assert.ok(refusal(whole, [part, 'c']).includes(` ${places.length} places`));
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('keeps the line endings of all unchanged text', () => {
    fc.assert(
      fc.property(text, text, (head, tail) => {
        const before = `${head}\r\n«x»\n${tail}`;
        assert.equal(edit(before, '\n«x»\n', '\ny\n'), `${head}\r\ny\n${tail}`);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('finds a block whatever its indentation and trailing white space are', () => {
    const word = fc.constantFrom('alpha', 'beta(1)', '{', '}', 'gamma = 2');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('', '  ', '    ', '\t'),
        fc.constantFrom('', '  ', '\t'),
        fc.constantFrom('', ' ', '\t '),
        (words, indent, otherIndent, trailing) => {
          const block = ['begin', ...words, 'end'];
          const real = lines(...block.map((line) => indent + line + trailing));
          const search = lines(...block.map((line) => otherIndent + line));
          const replace = lines(...block.map((line) => otherIndent + line), `${otherIndent}more`);
          const after = edit(`top\n${real}\nbottom\n`, search, replace);
          assert.equal(after, `top\n${real}\n${indent}more\nbottom\n`);
        },
      ),
      { seed, numRuns: 500 },
    );
  });

  it('returns a text or throws a ToolError for any input', () => {
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, text), { maxLength: 3 }), (before, pairs) => {
        try {
          const edits = pairs.map(([search, replace]) => ({ search, replace }));
          assert.notEqual(applyEdits(before, edits), before);
        } catch (error) {
          assert.ok(error instanceof ToolError, String(error));
        }
      }),
      { seed, numRuns: 2000 },
    );
  });
});

describe('applyEdits in a file of 20,000 lines', () => {
  it('takes linear time for repetitive text', () => {
    const space = ' '.repeat(100_000);
    const start = performance.now();
    assert.match(refusal(`a${space}b`, [`b${space}\n${space}c`, 'x']), /search is not/);
    assert.match(refusal('ab'.repeat(100_000), ['abab'.repeat(500), 'x']), /100 or more/);
    assert.match(refusal('a'.repeat(200_000), [`${'a'.repeat(50_000)} `, 'x']), /search is not/);
    const cut = '(aa'.repeat(22_000);
    assert.match(refusal(cut.repeat(3), [`${cut}(a `, 'x']), /search is not/);
    assert.match(refusal('\n'.repeat(200_000), [`${'\n'.repeat(1000)}x`, 'y']), /not in/);
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });
});

const token = `ghp_${'a1B2c3D4'.repeat(5)}`;

describe('applyMaskedEdits', () => {
  it('keeps secrets byte for byte in edits of the masked text', () => {
    const ends = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 5 }), ends, (secrets, end) => {
        const lines = secrets.flatMap((secret, index) => [
          `const token${index} = '${secret}';`,
          `use(token${index});`,
        ]);
        const text = [...lines, privateKey.replaceAll('\n', end), 'last();'].join(end);
        const maskedLines = maskSecrets(text).text.split(/\r?\n/);
        const edits = secrets.map((_, index) => ({
          search: `${maskedLines[index * 2] ?? ''}\nuse(token${index});`,
          replace: `/* new */ ${maskedLines[index * 2] ?? ''}\nuse(token${index}, ${index});`,
        }));
        const expected = lines.map((line, index) =>
          index % 2 === 0 ? `/* new */ ${line}` : line.replace(');', `, ${(index - 1) / 2});`),
        );
        const after = applyMaskedEdits(text, edits);
        assert.equal(after, [...expected, privateKey.replaceAll('\n', end), 'last();'].join(end));
      }),
      { seed, numRuns: 100 },
    );
  });

  it('moves a secret by its mask, and accepts a search text with the secret', () => {
    const masked = maskSecrets(token).text;
    const edit = { search: `a = ${masked};\nb = 2;`, replace: `b = 2;\na = ${masked};` };
    assert.equal(applyMaskedEdits(`a = ${token};\nb = 2;\n`, [edit]), `b = 2;\na = ${token};\n`);
    const plain = { search: `a = ${token};`, replace: `c = ${token};` };
    assert.equal(applyMaskedEdits(`a = ${token};\n`, [plain]), `c = ${token};\n`);
  });

  it('refuses a mask that matches no secret of the file', () => {
    const other = maskSecrets(`ghp_${'z9Y8x7W6'.repeat(5)}`).text;
    for (const replace of [`b = ${other};`, `b = ${maskSecrets(token).text.slice(4)};`]) {
      assert.throws(
        () => applyMaskedEdits(`a = ${token};\n`, [{ search: 'a = ', replace }]),
        (error) => error instanceof ToolError && /stands for a secret/.test(error.message),
      );
    }
    assert.throws(() => applyMaskedEdits('a = 1;', [{ search: 'a', replace: other }]), ToolError);
    assert.throws(() => refuseMasks(other, ''), ToolError);
  });

  it('keeps masks that are part of the file', () => {
    const text = `// ${maskSecrets(token).text}\na\n`;
    assert.equal(
      applyMaskedEdits(text, [{ search: '\na', replace: '\nb' }]),
      text.replace('\na', '\nb'),
    );
  });

  it('changes nothing if masks are ambiguous', () => {
    const text = `${token}\n${maskSecrets(token).text}\na\n`;
    assert.throws(() => applyMaskedEdits(text, [{ search: '\na', replace: '\nb' }]), ToolError);
  });

  it('reveals no secret by matches and listed lines', () => {
    const texts = [token, `ghp_${'z9Y8x7W6'.repeat(5)}`].map((secret) => `key = ${secret}\nend\n`);
    for (const search of ['key = ghp_a', 'ghp_a1B2', 'key = ghp', 'nothing like key']) {
      const results = texts.map((text) => {
        try {
          const { text: edited } = maskSecrets(
            applyMaskedEdits(text, [{ search, replace: 'x = ghp' }]),
          );
          return masksIn(edited).length;
        } catch (error) {
          return String(error).replace(/‹masked [0-9a-f]{6}›/g, '‹masked›');
        }
      });
      assert.equal(results[0], results[1], search);
      assert.ok(!String(results[0]).includes('a1B2c3'), search);
    }
  });
});
