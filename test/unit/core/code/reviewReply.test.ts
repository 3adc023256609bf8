import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  planReview,
  type ReviewComment,
  type ReviewedFile,
  ReviewReader,
} from '../../../../src/core/code/changeReview.ts';

const addedLines = (first: number, ...lines: readonly string[]): string =>
  `@@ -${first},0 +${first},${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
const files: readonly ReviewedFile[] =
  planReview(
    [
      { path: 'src/a.ts', diff: addedLines(10, 'a10', 'a11', 'a12', 'a13') },
      {
        path: 'lib/b.ts',
        diff: addedLines(1, 'b1', 'b2') + addedLines(100, 'b100', 'b101'),
      },
      { path: 'src/b.ts', diff: addedLines(1, 'c1') },
    ],
    '',
  ).requests[0]?.files ?? [];

function read(...pieces: readonly string[]): ReviewReader & { readonly all: ReviewComment[] } {
  const reader = new ReviewReader(files);
  return Object.assign(reader, { all: pieces.flatMap((piece) => reader.push(piece)) });
}

const line = (fields: object): string => JSON.stringify({ comment: 'Wrong.', ...fields });
const placeOf = ({ path, start, end }: ReviewComment): string => `${path}:${start}-${end}`;

const anyComment = line({
  file: 'src/a.ts',
  line: 11,
  endLine: 12,
  kind: 'bug',
  comment: 'A {b} "c"\\',
});

/** Texts that models and attackers write around or instead of comments. */
const pieces = [
  ...[anyComment, line({ file: 'lib/b.ts', line: 100 }), line({ file: 'elsewhere', line: 1 })],
  ...['{', '}', '[', ']', ',', '"', '\\', '\n', '\r\n', '```json', 'none', ' ', '{"comments":['],
  ...['{"file":"src/a.ts","line":"12",\n "comment":"two\nlines"}', 'It\'s "fine"', '\u{202e}'],
  ...['{"file":"src/a.ts","line":1e99,"comment":"x"}', '{"file":"../../etc/passwd","line":1}'],
];
const anyReply = fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((all) => all.join(''));

describe('the reply to a review', () => {
  it('contains the same comments however it is cut into pieces', () => {
    fc.assert(
      fc.property(anyReply, fc.array(fc.nat(400)), (reply, cuts) => {
        const places = [0, ...cuts.map((at) => at % (reply.length + 1)), reply.length];
        const sorted = places.toSorted((first, second) => first - second);
        const sliced = read(...sorted.map((at, index) => reply.slice(at, sorted[index + 1])));
        const whole = read(reply);
        assert.deepEqual(sliced.all, whole.all);
        assert.equal(sliced.words, whole.words);
        assert.equal(sliced.leftOut, whole.leftOut);
      }),
      { numRuns: 500 },
    );
  });

  it('comments only on lines that were sent, with the text of these lines', () => {
    const lineOf = new Map(
      files.flatMap(({ path, hunks }) =>
        hunks.flatMap(({ lines }) => lines.map(({ line: at, text }) => [`${path}:${at}`, text])),
      ),
    );
    const anyLine = fc.record({
      file: fc.oneof(fc.constantFrom(...files.map(({ name }) => name)), fc.string()),
      line: fc.oneof(fc.integer(), fc.double(), fc.nat(105), fc.nat(105).map(String), fc.string()),
      endLine: fc.oneof(fc.integer(), fc.nat(105), fc.constant(null)),
      comment: fc.oneof(
        fc.string(),
        fc.constantFrom('x', 'y'.repeat(4000), '\u{202e}'.repeat(4000)),
      ),
    });
    fc.assert(
      fc.property(fc.array(anyLine), (lines) => {
        for (const comment of read(lines.map((record) => JSON.stringify(record)).join('\n')).all) {
          assert.ok(comment.lines.length > 0 && comment.text !== '' && comment.text.length <= 2000);
          for (let at = comment.start; at <= comment.end; at++)
            assert.equal(comment.lines[at - comment.start], lineOf.get(`${comment.path}:${at}`));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is read from fences, lists, wrappers and prose', () => {
    const plain = line({ file: 'src/a.ts', line: 11 });
    const replies = [
      plain,
      `Here is my "review:\n\`\`\`json\n${plain}\n\`\`\`\nThat's all.`,
      `[\n  ${plain}\n]`,
      `{"comments":[${plain}]}`,
      `{ "comments": [\n    {\n "file": "src/a.ts",\n "line": "11",\n "comment": "Wrong." } ] }`,
      `function f() { return "x }\n${plain}`,
      `{"file":"src/a.ts","line":10,"comment":"never ends\n${plain}`,
    ];
    for (const reply of replies) assert.deepEqual(read(reply).all.map(placeOf), ['src/a.ts:11-11']);
  });

  it('keeps the text of a comment, and makes invisible characters visible', () => {
    const [comment] = read(anyComment).all;
    assert.deepEqual(comment, {
      path: 'src/a.ts',
      start: 11,
      end: 12,
      lines: ['a11', 'a12'],
      kind: 'bug',
      text: 'A {b} "c"\\',
    });
    const said = read(
      line({ file: 'src/a.ts', line: 10, comment: ' a\u{202e}b\nc ', kind: 7 }),
    ).all;
    assert.deepEqual(
      said.map(({ text, kind }) => [text, kind]),
      [['a\\u{202e}b\nc', 'suggestion']],
    );
  });

  it('accepts variants of file names unless they are ambiguous', () => {
    const names = ['./src/a.ts', '/src/a.ts', 'b/src/a.ts', 'src\\a.ts', 'a.ts'];
    for (const file of names)
      assert.deepEqual(read(line({ file, line: 10 })).all.map(placeOf), ['src/a.ts:10-10'], file);
    for (const file of ['b.ts', '', '.ts', 'other.ts', '../src/a.ts', 'src']) {
      const { all, leftOut } = read(line({ file, line: 1 }));
      assert.deepEqual([all, leftOut], [[], 1], file);
    }
  });

  it('moves slightly misplaced comments to the nearest line, and drops others', () => {
    const placed = (at: number, endLine = at): readonly string[] =>
      read(line({ file: 'lib/b.ts', line: at, endLine })).all.map(placeOf);
    assert.deepEqual(placed(4), ['lib/b.ts:2-2']);
    assert.deepEqual(placed(98, 101), ['lib/b.ts:100-101']);
    assert.deepEqual(placed(1, 101), ['lib/b.ts:1-2']);
    assert.deepEqual(placed(2, 1), ['lib/b.ts:2-2']);
    for (const at of [6, 50, 105, -5, 1e20]) assert.deepEqual(placed(at), []);
  });

  it('contains a limited number of comments, and no duplicates', () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      line({
        file: index % 2 === 0 ? 'src/a.ts' : 'lib/b.ts',
        line: 1 + 9 * ((index + 1) % 2),
        comment: `${index}`,
      }),
    );
    const { all, leftOut } = read(many.join('\n'));
    assert.deepEqual([all.length, leftOut], [60, 140]);
    assert.deepEqual(read(anyComment, anyComment).all.length, 1);
    assert.deepEqual(read(`{"x":"${'y'.repeat(1e6)}"`, `\n${anyComment}`).all.length, 1);
  });

  it('returns other text, unless that only says that there are no comments', () => {
    const empty = [
      '',
      'none',
      'None.',
      '```json\n[]\n```',
      '{"comments": []}',
      '```\nnone\n```',
      anyComment,
    ];
    for (const reply of empty) assert.equal(read(reply).words, '', reply);
    assert.equal(read('I cannot review this.').words, 'I cannot review this.');
    assert.match(read('{"error":"too long"}').words, /too long/);
    assert.ok(read('words '.repeat(10_000)).words.length <= 2000);
  });
});
