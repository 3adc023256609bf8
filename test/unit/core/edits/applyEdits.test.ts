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

/** Text, search text, replacement and the text after the edit, by what they show. `¶` is a line break. */
type Examples = Readonly<
  Record<
    string,
    readonly (readonly [text: string, search: string, replace: string, after: string])[]
  >
>;

function check(examples: Examples): void {
  for (const [name, rows] of Object.entries(examples))
    it(name, () => {
      for (const row of rows) {
        const [text = '', search = '', replace = '', after] = row.map((part) =>
          part.replaceAll('¶', '\n'),
        );
        assert.equal(edit(text, search, replace), after, JSON.stringify(row));
      }
    });
}

const nested = 'def f():¶        x = 1¶        return x¶';

describe('applyEdits with an exact search text', () => {
  check({
    "doesn't interpret the replacement as a pattern": [
      ['cost', 'cost', '$& $1 $$ $`', '$& $1 $$ $`'],
      ['a.c abc', 'a.c', '[x]', '[x] abc'],
    ],
    'keeps the end of the file': [
      ['a¶last', 'last¶', 'end¶', 'a¶end'],
      ['a¶last', 'a¶last¶', 'b¶', 'b'],
      ['a¶last', 'last', 'last¶', 'a¶last¶'],
    ],
    'indents a block like the line that it replaces': [
      [
        'f() {¶    go();¶}',
        'go();',
        'if (a) {¶    go();¶} else {¶    stay();¶}',
        'f() {¶    if (a) {¶        go();¶    } else {¶        stay();¶    }¶}',
      ],
    ],
    'inserts code unchanged that closes the surrounding block, or is indented already': [
      ['f() {¶    go();¶}', 'go();', 'a;¶}¶¶g() {¶    b;', 'f() {¶    a;¶}¶¶g() {¶    b;¶}'],
      [
        'f() {¶    go();¶}',
        '    go();',
        '    a {¶        b;¶    }',
        'f() {¶    a {¶        b;¶    }¶}',
      ],
    ],
    'indents new lines like the line in whose indentation the search text begins': [
      [nested, '    x = 1', '    x = 1¶    y = 2', nested.replace('x = 1', 'x = 1¶        y = 2')],
      [
        nested,
        '    x = 1¶',
        '    if a:¶        x = 1¶',
        nested.replace('x = 1', 'if a:¶            x = 1'),
      ],
      ['a¶\t\tb', '\tb', '\tb¶\tc', 'a¶\t\tb¶\t\tc'],
    ],
    'otherwise matches exactly inside the indentation': [
      ['        x = 1', '    x = 1', 'x = 2', '        x = 2'],
      ['        x  ¶y', '    x  ', '    x', '        x¶y'],
      ['        x¶y', '    x', '    x  ¶    z', '        x  ¶        z¶y'],
      ['    x = 1', '    x', '  y', '  y = 1'],
      ['    x = 1', '    x = 1', '    x = 1¶  y', '    x = 1¶  y'],
      ['a  \t b', ' \t ', ' ', 'a  b'],
      ['  \t b', ' \t ', ' ', '  b'],
      ['¶a  b¶', '¶a b', '¶c', '¶c¶'],
    ],
    'keeps CRLF where the model writes LF, and LF where it writes CRLF': [
      ['a\r¶b\r¶c\r¶', 'a¶b', 'a¶x¶b', 'a\r¶x\r¶b\r¶c\r¶'],
      ['a¶b¶c¶', 'a\r¶b', 'a\r¶x\r¶b', 'a¶x¶b¶c¶'],
    ],
    'neither adds nor removes a byte order mark, even if the model writes one': [
      ['\ufeffa¶b', 'a', 'x', '\ufeffx¶b'],
      ['\ufeffa¶b', '\ufeffa', '\ufeffx', '\ufeffx¶b'],
      ['a¶b', '\ufeffa', '\ufeffx', 'x¶b'],
    ],
    'writes the whole text of an empty file': [
      ['', '', 'print(1)¶', 'print(1)¶'],
      ['\ufeff', '', 'print(1)¶', '\ufeffprint(1)¶'],
    ],
  });

  it('applies each edit to the result of the ones before', () => {
    const edits = [
      { search: 'one', replace: 'two' },
      { search: 'two', replace: 'three' },
    ];
    assert.equal(applyEdits('one', edits), 'three');
    assert.match(refusal('one\ntwo', ['one', 'two'], ['two', 'x']), /Edit 2 of 2.*2 places/);
  });
});

const hidden = 's = "a\u200bb"';
const literal = 's = "a\\u{200b}b"';
const both = lines(hidden, 'x', literal);

describe('applyEdits with invisible characters', () => {
  check({
    'reads an escape as the character that it represents': [
      ['a = "x\u200by"', 'a = "x\\u{200b}y"', 'b = "x\\u{200b}y"', 'b = "x\u200by"'],
      ['x\u202ey  z', 'x\\u{202e}y z', 'x\\u{202e}z', 'x\u202ez'],
    ],
    'keeps escapes that the file contains, and those of missing characters': [
      ['s = "\\u{200b}"', '\\u{200b}', '\\u{200c}', 's = "\\u{200c}"'],
      ['a\u200b b', 'a\\u{200b}', 'a\\u{202e}', 'a\\u{202e} b'],
    ],
    'finds the escape or character that the surrounding lines determine, and writes the same': [
      [both, `${literal}¶x`, 'x', `x¶${literal}`],
      [both, `x¶${literal}`, `x¶${literal};`, `${both};`],
      [both, `x ¶  ${literal}`, 'x', `${hidden}¶x`],
      [both, `${literal} ¶x`, `${literal};`, `${hidden};¶${literal}`],
    ],
  });

  it('refuses an escape of a missing character, or one that the file has in both ways', () => {
    assert.match(refusal('abc', ['a\\u{200b}', 'b']), /not in the file/);
    assert.match(refusal('a b', ['\\u{61} b', 'c']), /not in the file/);
    assert.match(refusal(both, [literal, 's = ""']), /2 places.*\n1\t.*\n3\t/);
  });
});

const loop = 'f() {¶    if (a) {¶        b();¶    }¶}';
const tabbed = 'f() {¶\tif (a) {¶\t\tb();¶\t}¶}';

describe('applyEdits with different white space', () => {
  check({
    'finds a block that is indented less, and indents its replacement': [
      [
        `class A {¶    ${loop.replaceAll('¶', '¶    ')}¶}`,
        loop,
        loop.replace('b();', 'b();¶        if (c) {¶            d();¶        }'),
        `class A {¶    ${loop.replace('b();', 'b();¶        if (c) {¶            d();¶        }').replaceAll('¶', '¶    ')}¶}`,
      ],
    ],
    'converts spaces and tabs to those of the file': [
      [
        tabbed,
        '    if (a) {¶        b();¶    }',
        '    if (a) {¶        b();¶        if (c) {¶            d();¶        }¶    }',
        'f() {¶\tif (a) {¶\t\tb();¶\t\tif (c) {¶\t\t\td();¶\t\t}¶\t}¶}',
      ],
      [
        loop,
        '\tif (a) {¶\t\tb();¶\t}',
        '\tif (a) {¶\t\tfor (;;) {¶\t\t\tb();¶\t\t}¶\t}',
        'f() {¶    if (a) {¶        for (;;) {¶            b();¶        }¶    }¶}',
      ],
    ],
    'extrapolates new indentation levels from the nearest line': [
      [
        loop,
        '  if (a) {¶    b();¶  }',
        '  if (a) {¶    for (;;) {¶      b();¶    }¶  }',
        'f() {¶    if (a) {¶        for (;;) {¶            b();¶        }¶    }¶}',
      ],
      ['if a:¶    go( b )', '        go(  b )', '        x()¶    y()', 'if a:¶    x()¶y()'],
    ],
    'determines a level by a single line if one side has tabs': [
      [
        'f() {¶\tgo( a );¶}',
        '    go(  a );',
        '    if (b) {¶        go();¶    }',
        'f() {¶\tif (b) {¶\t\tgo();¶\t}¶}',
      ],
    ],
    "keeps lines that the edit doesn't change": [
      [
        'x  =  1   ¶y =\t2¶z = 3',
        'x = 1¶y = 2¶z = 3',
        'x = 1¶y = 5¶z = 3',
        'x  =  1   ¶y = 5¶z = 3',
      ],
    ],
    'ignores white space at line ends, and a missing first indentation': [
      ['a  ¶b\t¶c', 'a¶b', 'a¶x', 'a  ¶x¶c'],
      ['a  ¶b\t¶c', 'a¶b', 'a¶b¶x', 'a  ¶b\t¶x¶c'],
      ['a¶b¶c', 'a   ¶b', 'a¶x', 'a¶x¶c'],
      ['  a()  ¶  b()¶c', 'a()¶  b()', 'a()¶  d()', '  a()  ¶  d()¶c'],
    ],
    'finds a part of a line': [
      ['if (a  &&  b) c();', 'a && b', 'a || b', 'if (a || b) c();'],
      ['  call(a,  b)', ' call(a, b)', ' call(b)', '  call(b)'],
      ['x = call(a,  b)', ' call(a, b)', ' call(b)', 'x = call(b)'],
      ['(x  y)', 'x y', 'z', '(z)'],
      ['ax = x = x', 'x  =  x', 'y', 'ax = y'],
    ],
    'removes whole lines, and no others': [
      ['a¶    b  c¶d', 'b c¶', '', 'a¶d'],
      ['a¶    b  c¶d', 'b c', '', 'a¶d'],
      ['a¶    b  c', 'b c¶', '', 'a¶'],
      ['a¶    b  c + d¶', 'b c', '', 'a¶     + d¶'],
    ],
    'ignores empty lines around the search text': [['a¶b¶c', '¶¶  b¶¶¶', '¶¶  x¶¶¶', 'a¶x¶c']],
    'prefers the stricter match': [
      ['a  ¶b¶  a¶  b', 'a¶b', 'x', 'x¶  a¶  b'],
      ['b¶  b ¶  c', '  b¶  c', '  x', 'b¶  x'],
    ],
  });

  it('matches no part of a word, and does not count such matches, however many there are', () => {
    assert.match(refusal('max  y', ['x y', 'z']), /not in the file/);
    assert.match(refusal('x  yes', ['x y', 'z']), /not in the file/);
    const cut = 'ax = 1\n'.repeat(150);
    assert.equal(edit(`${cut}x = 1\n`, 'x =  1', 'x = 2'), `${cut}x = 2\n`);
    assert.match(refusal(`x = 1\n${cut}x = 1\n`, ['x =  1', 'x = 2']), /2 places.*\n1\t.*\n152\t/);
  });

  it('accepts a single match only if all lines were compared', () => {
    const block = `${'(aa'.repeat(400)}(a`;
    const words = refusal(lines(block, '(aa'.repeat(1000), block), [`${block} `, 'x']);
    assert.match(words, /not in the file/);
  });

  it('treats all kinds of spaces as equal, but not as nothing', () => {
    const spaces = ['\u00a0', '\u1680', '\u2000', '\u200a', '\u202f', '\u205f', '\u3000', '\t'];
    for (const space of spaces) {
      assert.equal(edit(`a${space}b`, 'a b', 'c'), 'c', JSON.stringify(space));
      assert.equal(edit(`${space}a`, '  a ', '  b '), `${space}b`, JSON.stringify(space));
    }
    for (const [text, search] of [
      ['a\u200bb', 'a b'],
      ['f(a,b)', 'f(a, b)'],
      ['a\n\nb', 'a\nb'],
    ] as const)
      assert.match(refusal(text, [search, 'c']), /not in the file/);
  });
});

const body = 'def f():¶    if a:¶        one()¶    two()¶    three()¶';

describe('applyEdits with a first line that lacks its indentation', () => {
  check({
    'gives the line the indentation of the file, once': [
      ...['two()', '    two()'].flatMap((first) =>
        ['dos()', '    dos()'].map(
          (replaced) =>
            [
              body,
              `${first}¶    three()`,
              `${replaced}¶    three()`,
              body.replace('two', 'dos'),
            ] as const,
        ),
      ),
      [
        body,
        'two()¶    three()',
        '    two()¶    more()¶    three()',
        body.replace('two()', 'two()¶    more()'),
      ],
      [body, 'two()', '    dos()', body.replace('two', 'dos')],
      [body, 'one()', 'uno()¶        dos()', body.replace('one()', 'uno()¶        dos()')],
    ],
    'gives a line that stays its own indentation': [
      [body, 'one()¶    two()', 'two()', body.replace('        one()¶', '')],
      [
        body,
        '    if a:¶        one()¶    two()',
        'one()¶    two()',
        body.replace('    if a:¶', ''),
      ],
    ],
    'indents a whole block at the margin': [
      [
        body,
        'one()',
        'if b:¶    uno()¶else:¶    dos()',
        body.replace('one()', 'if b:¶            uno()¶        else:¶            dos()'),
      ],
      [
        body,
        '    two()¶    three()',
        'for x in y:¶    dos(x)',
        body.replace('two()¶    three()', 'for x in y:¶        dos(x)'),
      ],
    ],
    'keeps the end of a comment above a line at the margin': [
      ['/**¶ * A.¶ */¶a {¶}¶', ' */¶a {', '*/¶b {', '/**¶ * A.¶ */¶b {¶}¶'],
    ],
    'only removes a line where the others stay as they are': [
      ['a {¶  b {¶  }¶}¶c¶', '  }¶}¶c', '}¶c', 'a {¶  b {¶}¶c¶'],
    ],
    'moves lines to the margin if only that changes': [
      [body, '    three()', 'three()', body.replace('    three()', 'three()')],
    ],
  });
});

describe('applyEdits with other characters than the file', () => {
  check({
    'finds letters with accents however they are written': [
      [
        'cafe\u0301 = 1¶# e\u0301te\u0301¶',
        'café = 1¶# été',
        'café = 2¶# été',
        'café = 2¶# e\u0301te\u0301¶',
      ],
    ],
    'finds typographic characters by plain ones, and keeps those that do not change': [
      ['say(“hi”)¶x = 1¶', 'say("hi")¶x = 1', 'say("hi")¶x = 2', 'say(“hi”)¶x = 2¶'],
      ['it’s¶x = 1¶', "it's¶x = 1", "it's¶x = 2", 'it’s¶x = 2¶'],
      ['1–2¶x = 1¶', '1-2¶x = 1', '1-2¶x = 2', '1–2¶x = 2¶'],
      ['wait…¶x = 1¶', 'wait...¶x = 1', 'wait...¶x = 2', 'wait…¶x = 2¶'],
      ['“one” “two”', '"one" "two"', '"one" "three"', '“one” “three”'],
    ],
    'prefers the place with the characters as written': [['“a”¶"a"', '"a"', '"b"', '“a”¶"b"']],
    'keeps numbers of lines that the file has': [['1\ta¶2\tb¶', '2\tb', '2\tc', '1\ta¶2\tc¶']],
  });

  it('refuses several places that are equal but for such characters', () =>
    assert.match(refusal('“a”\n„a“', ['"a"', '"b"']), /2 places/));

  it('drops numbers of lines if each line of the search text has the next one', () => {
    const text = lines('function f() {', '  return 1;', '}', '');
    const search = lines('1\tfunction f() {', '2\t  return 1;');
    const after = text.replace('1', '2');
    assert.equal(edit(text, search, lines('1\tfunction f() {', '2\t  return 2;')), after);
    assert.equal(edit(text, search, lines('function f() {', '  return 2;')), after);
    assert.match(refusal(text, [search.replace('2\t', '3\t'), 'x']), /not in the file/);
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
    const long = refusal(`needle ${'x'.repeat(10_000)}`, ['needle here', 'a']);
    assert.ok(long.length < 400, long);
  });

  it('name the edit that fails, and apply none', () => {
    assert.match(refusal('a b', ['a', 'x'], ['zz', 'y']), /^Edit 2 of 2: [^]*No edit was made\.$/);
  });

  it('include empty edits', () => {
    assert.match(refusal('\n', ['', 'b']), /search is empty/);
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
