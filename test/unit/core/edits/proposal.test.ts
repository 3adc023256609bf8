import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applySplices } from '../../../../src/core/edits/lineDiff.ts';
import {
  findAnchor,
  followLines,
  Proposal,
  type ReviewHunk,
  type TextChange,
} from '../../../../src/core/edits/proposal.ts';
import { runs } from '../../../support/sample.ts';

const line = fc.constantFrom('a', 'b', '  c', '}', '', 'größe 👋', 'x = 1');
const lines = fc.array(line, { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n');

/** A file with lines around the changed ones, and the new lines. */
const change = fc
  .record({ head: lines, before: lines, tail: lines, after: lines, end: lineEnd })
  .filter((edit) => numberOfLines(edit) > 0)
  // A single line does not determine the line ending of the file.
  .map((edit) => (numberOfLines(edit) > 1 ? edit : { ...edit, end: '\n' }));

function numberOfLines({
  head,
  before,
  tail,
}: Record<'head' | 'before' | 'tail', string[]>): number {
  return head.length + before.length + tail.length;
}

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function textOf({ head, before, tail, end }: Change): string {
  return [...head, ...before, ...tail].join(end);
}

function proposalOf({ head, before, after }: Change): Proposal {
  const proposal = new Proposal(before, head.length);
  for (const line of after) proposal.push(`${line}\n`);
  proposal.endStream();
  return proposal;
}

type Place = readonly [line: number, character: number];

/** A change as VS Code reports it. */
function changeOf(start: Place, end: Place, text: string): TextChange {
  const [from, to] = [start, end].map(([line, character]) => ({ line, character }));
  assert.ok(from && to);
  return { range: { start: from, end: to }, text };
}

/** An open file that reviews and a person change. */
class File {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  accept(proposal: Proposal, hunks: readonly ReviewHunk[]): void {
    this.text = applySplices(this.text, proposal.splicesFor(this.text, hunks));
    proposal.take(hunks);
  }

  /** Replaces a range of offsets. Returns the change as VS Code reports it. */
  type(start: number, end: number, text: string): TextChange {
    const change = changeOf(this.#position(start), this.#position(end), text);
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    return change;
  }

  #position(offset: number): Place {
    const above = this.text.slice(0, offset);
    const start = above.lastIndexOf('\n') + 1;
    return [above.split('\n').length - 1, offset - start];
  }
}

describe('Proposal', () => {
  it('shows the remaining changes, and none when all are rejected', () => {
    fc.assert(
      fc.property(change, (edit) => {
        const proposal = proposalOf(edit);
        const text = textOf(edit);
        assert.equal(proposal.proposedText(text), textOf({ ...edit, before: edit.after }));
        proposal.remove(proposal.hunks);
        assert.equal(proposal.proposedText(text), text);
        assert.deepEqual(proposal.splicesFor(text, proposal.hunks), []);
      }),
    );
  });

  it('marks stale hunks, and omits them', () => {
    const proposal = Proposal.between('one\ntwo\nthree\nfour\n', 'ONE\ntwo\nTHREE\nfour\n');
    proposal.follow([changeOf([2, 0], [2, 1], 'T')]);
    assert.equal(proposal.proposedText('one\ntwo\nThree\nfour\n'), 'ONE\ntwo\nThree\nfour\n');
    assert.deepEqual(
      proposal.hunks.map(({ isStale }) => isStale),
      [false, true],
    );
  });

  it('shows code as it arrives, followed by the remaining old lines', () => {
    const proposal = new Proposal(['function f() {', '  old();', '}'], 1);
    const proposedText = (): string =>
      proposal.proposedText('// head\nfunction f() {\n  old();\n}\n');
    proposal.push('function f() {\n');
    assert.equal(proposedText(), '// head\nfunction f() {\n  old();\n}\n');
    proposal.push('  fresh();\n');
    assert.equal(proposedText(), '// head\nfunction f() {\n  fresh();\n  old();\n}\n');
    proposal.push('}');
    proposal.endStream();
    assert.equal(proposedText(), '// head\nfunction f() {\n  fresh();\n}\n');
  });

  it('keeps accepted hunks until all are written together', () => {
    fc.assert(
      fc.property(change, fc.constantFrom('', '\ufeff'), (edit, mark) => {
        const before = mark + textOf(edit);
        const after = mark + textOf({ ...edit, before: edit.after });
        const proposal = Proposal.between(before, after);
        proposal.keep(proposal.hunks);
        assert.equal(proposal.resultText(before), after);
        assert.deepEqual(proposal.hunks, []);
      }),
    );
  });

  it('has the text that the person types, and keeps decided hunks', () => {
    const edits = fc.array(fc.record({ start: fc.nat(), end: fc.nat(), lines }), { maxLength: 5 });
    fc.assert(
      fc.property(change, edits, fc.infiniteStream(fc.nat()), (edit, all, picks) => {
        const text = textOf(edit);
        const file = new File(text);
        const proposal = proposalOf(edit);
        for (const { start, end, lines: typed } of all) {
          const before = proposal.proposedText(file.text).split(/\r?\n/);
          const from = start % (before.length + 1);
          const to = Math.max(from, end % (before.length + 1));
          const after = before.toSpliced(from, to - from, ...typed);
          proposal.edit(file.text, before, after.length === 0 ? [''] : after);
          const displayed = proposal.proposedText(file.text).split(/\r?\n/);
          assert.deepEqual(displayed, after.length === 0 ? [''] : after);
          for (const { hunk, start: first, end: last } of proposal.shownHunks()) {
            assert.deepEqual(displayed.slice(first, last), hunk.after);
          }
          const ids = proposal.hunks.map(({ id }) => id);
          assert.equal(new Set(ids).size, ids.length);
          const hunk = proposal.hunks[picks.next().value % (proposal.hunks.length + 1)];
          if (hunk === undefined) continue;
          file.accept(proposal, [hunk]);
          assert.deepEqual(proposal.proposedText(file.text).split(/\r?\n/), displayed);
        }
        const wanted = proposal.proposedText(file.text);
        file.accept(proposal, proposal.hunks);
        assert.equal(file.text, wanted);
        assert.deepEqual(proposal.hunks, []);
      }),
      { numRuns: runs(500) },
    );
  });

  it('changes exactly the accepted hunks in the file, as the person edited them', () => {
    const typing = fc.record({ kind: fc.constant('type'), start: fc.nat(), end: fc.nat(), lines });
    const changing = fc.record({
      kind: fc.constant('change'),
      start: fc.nat(),
      end: fc.nat(9),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    });
    const deciding = fc.record({
      kind: fc.constantFrom('accept', 'reject', 'undo'),
      start: fc.nat(),
    });
    const steps = fc.array(fc.oneof(typing, changing, deciding), { maxLength: 10 });
    fc.assert(
      fc.property(change, steps, fc.boolean(), (edit, all, isAccepted) => {
        const file = new File(textOf({ ...edit, end: '\n' }));
        const proposal = proposalOf(edit);
        const shownLines = (): string[] => proposal.proposedText(file.text).split('\n');
        let undoable: string[] | undefined;
        for (const step of all) {
          const displayed = shownLines();
          const text = file.text;
          const hunks = proposal.hunks.filter(({ isStale }) => !isStale);
          const hunk = hunks[step.start % Math.max(1, hunks.length)];
          if ('lines' in step && step.kind === 'type') {
            const from = step.start % (displayed.length + 1);
            const to = Math.max(from, step.end % (displayed.length + 1));
            const typed = displayed.toSpliced(from, to - from, ...step.lines);
            const after = typed.length === 0 ? [''] : typed;
            proposal.edit(text, displayed, after);
            assert.deepEqual(shownLines(), after);
            assert.equal(file.text, text);
            undoable = displayed;
            continue;
          }
          if (step.kind === 'undo' && undoable !== undefined) {
            proposal.edit(text, displayed, undoable);
            assert.deepEqual(shownLines(), undoable);
          } else if ('lines' in step) {
            const from = step.start % (text.length + 1);
            const to = Math.min(from + step.end, text.length);
            proposal.follow([file.type(from, to, step.lines.join('\n'))]);
          } else if (step.kind === 'accept' && hunk !== undefined) {
            const { line: first, before, after } = hunk;
            assert.deepEqual(text.split('\n').slice(first, first + before.length), before);
            const wanted = text.split('\n').toSpliced(first, before.length, ...after);
            file.accept(proposal, [hunk]);
            assert.equal(file.text, wanted.join('\n'));
            assert.deepEqual(shownLines(), displayed);
          } else if (step.kind === 'reject' && hunk !== undefined) {
            proposal.remove([hunk]);
            assert.equal(file.text, text);
          }
          undoable = undefined;
        }
        const wanted = isAccepted ? proposal.proposedText(file.text) : file.text;
        const fitting = proposal.hunks.filter(({ isStale }) => !isStale);
        if (isAccepted) file.accept(proposal, fitting);
        else proposal.remove(proposal.hunks);
        assert.equal(file.text, wanted);
        assert.equal(proposal.proposedText(file.text), wanted);
      }),
      { numRuns: runs(500) },
    );
  });

  it('keeps hunks that were accepted but not written, unless the person edits them', () => {
    const before = 'one\ntwo\nthree\nfour\n';
    const proposal = Proposal.between(before, '1\ntwo\nthree\n4\n');
    proposal.keep(proposal.hunks.slice(0, 1));
    const displayed = proposal.proposedText(before).split('\n');
    proposal.edit(before, displayed, ['1', 'two', 'three', '4!', '']);
    assert.deepEqual(
      proposal.hunks.map(({ after }) => after),
      [['4!']],
    );
    proposal.edit(before, ['1', 'two', 'three', '4!', ''], ['1!', 'two', 'three', '4!', '']);
    assert.deepEqual(
      proposal.hunks.map(({ after }) => after),
      [['1!'], ['4!']],
    );
    assert.equal(proposal.resultText(before), '1!\ntwo\nthree\n4!\n');
  });

  it('applies text typed in a version that was displayed before the file changed', () => {
    const before = 'one\ntwo\nthree\n';
    const proposal = Proposal.between(before, 'one\ntwo\n3\n');
    const displayed = proposal.proposedText(before).split('\n');
    proposal.follow([changeOf([0, 0], [0, 0], 'a\n')]);
    proposal.edit(`a\n${before}`, displayed, ['one', 'two', '3', 'mine', '']);
    assert.equal(proposal.proposedText(`a\n${before}`), 'a\none\ntwo\n3\nmine\n');
  });

  it('follows many changes at once as one after the other', () => {
    const place = fc.tuple(fc.nat(14), fc.nat(3));
    const typed = fc.constantFrom('', 'T', 'T\n', '\nT', 'T\nT');
    const changes = fc.array(
      fc.tuple(place, place, typed).map(([first, second, text]): TextChange => {
        const isReversed = first[0] > second[0] || (first[0] === second[0] && first[1] > second[1]);
        return isReversed ? changeOf(second, first, text) : changeOf(first, second, text);
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(change, changes, fc.boolean(), (edit, all, areUpwards) => {
        const ordered = areUpwards
          ? all.toSorted(
              ({ range: { start } }, { range: { start: other } }) =>
                other.line - start.line || other.character - start.character,
            )
          : all;
        const [together, apart] = [proposalOf(edit), proposalOf(edit)];
        together.follow(ordered);
        for (const single of ordered) apart.follow([single]);
        assert.deepEqual(together.hunks, apart.hunks);
      }),
      { numRuns: runs(2000) },
    );
  });

  describe('with tens of thousands of hunks', () => {
    const count = 25_000;
    const text = Array.from({ length: 2 * count }, (_, index) => `line ${index}\n`).join('');
    const proposed = text.replace(/(\d*[13579])\n/g, '$1!\n');
    const replaced = text.replaceAll('line', 'row');
    /** Seconds of the processor: several times what linear time takes, and less than quadratic time. */
    const most = 1.5;

    const lines = (content: string): readonly string[] => content.split('\n');
    const works: Readonly<Record<string, (proposal: Proposal) => void>> = {
      'accepts half of them'(proposal) {
        const half = proposal.hunks.filter((_, index) => index % 2 === 0);
        const after = applySplices(text, proposal.splicesFor(text, half));
        proposal.take(half);
        assert.equal(proposal.hunks.length, count / 2);
        assert.equal(proposal.proposedText(after), proposed);
      },
      'keeps half of them for later, and rejects the others'(proposal) {
        proposal.keep(proposal.hunks.filter((_, index) => index % 2 === 0));
        assert.equal(proposal.shownHunks().length, count / 2);
        proposal.remove(proposal.hunks);
        assert.equal(proposal.hunks.length, 0);
      },
      'takes a replacement of all in the proposed text'(proposal) {
        const typed = proposed.replaceAll('line', 'row');
        proposal.edit(text, lines(proposed), lines(typed));
        assert.equal(proposal.proposedText(text), typed);
        proposal.edit(text, lines(typed), lines(proposed));
        assert.equal(proposal.proposedText(text), proposed);
      },
      'takes a replacement in every other line, after the file changed in the others'(proposal) {
        const changed = text.replace(/(\d*[02468])\n/g, '$1?\n');
        const typed = proposed.replaceAll('!', '!!');
        proposal.edit(changed, lines(proposed), lines(typed));
        assert.equal(proposal.proposedText(changed), typed.replace(/(\d*[02468])\n/g, '$1?\n'));
      },
      'follows a replacement of all in the file'(proposal) {
        const changes = Array.from({ length: count }, (_, index): TextChange => {
          const line = 2 * (count - 1 - index);
          return changeOf([line, 0], [line, 4], 'row');
        });
        proposal.follow(changes);
        const rows = text.replace(/^line (\d*[02468])$/gm, 'row $1');
        assert.equal(
          proposal.proposedText(rows),
          proposed.replace(/^line (\d*[02468])$/gm, 'row $1'),
        );
      },
    };
    for (const [name, work] of Object.entries(works))
      it(name, () => {
        const proposal = Proposal.between(text, proposed);
        assert.equal(proposal.hunks.length, count);
        const start = process.cpuUsage();
        work(proposal);
        const { user, system } = process.cpuUsage(start);
        assert.ok((user + system) / 1e6 < most, `${(user + system) / 1e6} s`);
      });

    it('takes a text of more lines than a call has arguments, whose lines all differ', () => {
      const [long, other] = [text.repeat(5), replaced.repeat(5)];
      const proposal = Proposal.between(long, other);
      assert.equal(applySplices(long, proposal.splicesFor(long, proposal.hunks)), other);
    });
  });

  it('keeps invisible characters that the person keeps or restores, and shows typed ones', () => {
    const proposal = Proposal.between('a\n', 'a\nb\u202e\n');
    const displayed = proposal.proposedText('a\n').split('\n');
    proposal.edit('a\n', displayed, ['a', 'b', 'c\u200b', '']);
    assert.equal(proposal.proposedText('a\n'), 'a\nb\nc\u200b\n');
    proposal.edit('a\n', ['a', 'b', 'c\u200b', ''], displayed);
    assert.equal(proposal.proposedText('a\n'), 'a\nb\\u{202e}\n');
    assert.equal(proposal.resultText('a\n'), 'a\nb\u202e\n');
  });
});

describe('lines of a changing text', () => {
  it("stay within the text, and on the same lines if those don't change", () => {
    const content = ['zero', 'one', 'two', 'three', 'four', 'five'];
    const text = content.join('\n');
    const anyChange = fc.tuple(
      fc.nat(text.length),
      fc.nat(text.length),
      fc.constantFrom('', 'x', '\n', 'x\ny', '\n\nx\n'),
    );
    const anyRange = fc.tuple(fc.nat(5), fc.nat(5)).map(([start, end]) => ({
      first: Math.min(start, end),
      last: Math.max(start, end),
    }));
    fc.assert(
      fc.property(anyRange, anyChange, (range, [one, other, typed]) => {
        const file = new File(text);
        const change = file.type(Math.min(one, other), Math.max(one, other), typed);
        const after = file.text.split('\n');
        const moved = followLines(range, change);
        const { start, end } = change.range;
        const isTouched = start.line <= range.last && end.line >= range.first;
        const isInside = start.line >= range.first && end.line <= range.last;
        if (moved === undefined) {
          assert.ok(isTouched && !isInside);
          return;
        }
        const { first, last } = moved;
        assert.ok(first >= 0 && first <= last && last < after.length, `${first}-${last}`);
        if (isTouched) return;
        assert.deepEqual(after.slice(first, last + 1), content.slice(range.first, range.last + 1));
      }),
    );
  });

  it('move down when text is typed above them, and grow when text is typed inside', () => {
    const insert = (line: number, character: number, text: string): TextChange =>
      changeOf([line, character], [line, character], text);
    const range = { first: 2, last: 3 };
    assert.deepEqual(followLines(range, insert(2, 0, 'x\n')), { first: 3, last: 4 });
    assert.deepEqual(followLines(range, insert(1, 3, '\n')), { first: 3, last: 4 });
    assert.deepEqual(followLines(range, insert(2, 1, '\n')), { first: 2, last: 4 });
    assert.deepEqual(followLines(range, insert(3, 5, 'x')), range);
    assert.deepEqual(followLines(range, insert(4, 0, '\n')), range);
    assert.equal(followLines(range, changeOf([1, 1], [2, 1], 'x\ny')), undefined);
  });

  it('are found again at the nearest position', () => {
    const text = ['a', 'b', 'x', 'a', 'b', 'a'];
    assert.deepEqual(findAnchor(text, ['a', 'b'], 0), { first: 0, last: 1 });
    assert.deepEqual(findAnchor(text, ['a', 'b'], 2), { first: 3, last: 4 });
    assert.deepEqual(findAnchor(text, ['a', 'b'], 99), { first: 3, last: 4 });
    assert.deepEqual(findAnchor(text, ['c', 'd'], 1), { first: 1, last: 2 });
    assert.deepEqual(findAnchor(text, ['c', 'd'], 99), { first: 5, last: 5 });
    assert.deepEqual(findAnchor([''], ['c'], 3), { first: 0, last: 0 });
  });
});
