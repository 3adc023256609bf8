import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applySplices } from '../../../../src/core/edits/splices.ts';
import { Proposal } from '../../../../src/core/review/proposal.ts';
import type { ReviewHunk, TextChange } from '../../../../src/core/review/reviewHunk.ts';

const line = fc.constantFrom('a', 'b', '  c', '}', '', 'größe 👋', 'x = 1');
const lines = fc.array(line, { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n');

/** A file, the lines of it that are changed, and their new lines. */
const change = fc
  .record({
    head: lines,
    before: lines,
    tail: lines,
    after: lines,
    end: lineEnd,
  })
  .filter((edit) => numberOfLines(edit) > 0)
  // A text of one line says nothing about its line ends.
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
  proposal.end();
  return proposal;
}

/** A file that only its reviews and a person change. */
class File {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  accept(proposal: Proposal, hunks: readonly ReviewHunk[]): void {
    this.text = applySplices(this.text, proposal.splicesFor(this.text, hunks));
    proposal.take(hunks);
  }

  /** Replaces a range by offsets, and tells it as VS Code does. */
  type(start: number, end: number, text: string): TextChange {
    const [from, to] = [this.#position(start), this.#position(end)];
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    return {
      startLine: from.line,
      startCharacter: from.character,
      endLine: to.line,
      endCharacter: to.character,
      text,
    };
  }

  #position(offset: number): { readonly line: number; readonly character: number } {
    const above = this.text.slice(0, offset);
    const start = above.lastIndexOf('\n') + 1;
    return { line: above.split('\n').length - 1, character: offset - start };
  }
}

describe('Proposal', () => {
  it('gives the proposed text if all hunks are accepted, in any order', () => {
    fc.assert(
      fc.property(change, fc.infiniteStream(fc.nat()), (edit, picks) => {
        const proposal = proposalOf(edit);
        const file = new File(textOf(edit));
        while (proposal.hunks.length > 0) {
          const hunk = proposal.hunks[picks.next().value % proposal.hunks.length];
          assert.ok(hunk);
          file.accept(proposal, [hunk]);
        }
        assert.equal(file.text, textOf({ ...edit, before: edit.after }));
      }),
    );
  });

  it('shows the remaining changes, and none when all are rejected', () => {
    fc.assert(
      fc.property(change, (edit) => {
        const proposal = proposalOf(edit);
        const text = textOf(edit);
        const all = applySplices(text, proposal.splicesFor(text, proposal.hunks));
        assert.equal(proposal.proposedText(text), all);
        proposal.remove(proposal.hunks);
        assert.equal(proposal.proposedText(text), text);
        assert.deepEqual(proposal.splicesFor(text, proposal.hunks), []);
      }),
    );
  });

  it('keeps text typed elsewhere, and overwrites none', () => {
    const typed = fc.record({
      start: fc.nat(),
      length: fc.nat(9),
      text: fc.constantFrom('T', 'T\n', '\nT', 'T\nT', ''),
    });
    fc.assert(
      fc.property(change, fc.array(typed, { maxLength: 5 }), (edit, edits) => {
        const proposal = proposalOf({ ...edit, end: '\n' });
        const file = new File(textOf({ ...edit, end: '\n' }));
        for (const { start, length, text } of edits) {
          const from = start % (file.text.length + 1);
          const to = Math.min(from + length, file.text.length);
          proposal.follow(file.type(from, to, text));
        }
        const count = (text: string): number => text.split('T').length;
        const before = file.text;
        proposal.proposedText(before);
        for (const { line: first, before: old, isStale } of proposal.hunks) {
          if (isStale) continue;
          assert.deepEqual(before.split('\n').slice(first, first + old.length), old);
        }
        file.accept(proposal, proposal.hunks);
        assert.equal(count(file.text), count(before));
      }),
    );
  });

  it('marks stale hunks, and omits them', () => {
    const proposal = Proposal.between('one\ntwo\nthree\nfour\n', 'ONE\ntwo\nTHREE\nfour\n');
    proposal.follow({ startLine: 2, startCharacter: 0, endLine: 2, endCharacter: 1, text: 'T' });
    assert.equal(proposal.proposedText('one\ntwo\nThree\nfour\n'), 'ONE\ntwo\nThree\nfour\n');
    assert.deepEqual(
      proposal.hunks.map(({ isStale }) => isStale),
      [false, true],
    );
  });

  it('locates each hunk in the proposed text', () => {
    fc.assert(
      fc.property(change, (edit) => {
        const proposal = proposalOf(edit);
        const proposed = proposal.proposedText(textOf(edit)).split(/\r?\n/);
        for (const { hunk, start, end } of proposal.shownHunks()) {
          assert.deepEqual(proposed.slice(start, end), hunk.after);
        }
      }),
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
    proposal.end();
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

  it('makes invisible characters visible', () => {
    const proposal = Proposal.between('a\n', 'a\nb\u202e\n');
    assert.equal(proposal.proposedText('a\n'), 'a\nb\\u{202e}\n');
    assert.equal(applySplices('a\n', proposal.splicesFor('a\n', proposal.hunks)), 'a\nb\u202e\n');
  });
});
