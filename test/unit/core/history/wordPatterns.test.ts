import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findPattern } from '../../../../src/core/conversation/findInTurns.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent } from '../../../../src/core/conversation/record.ts';
import {
  findPlace,
  storedPatterns,
  wordsPattern,
} from '../../../../src/core/history/wordPatterns.ts';
import { cutJournal, cutsOf, journalOf, searchedWords } from '../../../support/cutJournal.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart, userMessage } from '../../../support/turns.ts';

/** A ripgrep pattern as a JavaScript expression. */
function toRegExp(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll('\\x{FEFF}', '\\uFEFF'), 'iu');
}

function isCandidate(query: string, journal: string): boolean {
  const { usual, any } = storedPatterns(query);
  return toRegExp(usual).test(journal) || toRegExp(any).test(journal);
}

function matchIn(query: string, journal: string) {
  const pattern = wordsPattern(query);
  assert.ok(pattern !== undefined);
  const search = findPlace(readJournal('c', journal).conversation, pattern);
  for (let step = search.next(); ; step = search.next()) if (step.done === true) return step.value;
}

const cutText = searchedWords.chain((words) => fc.tuple(fc.constant(words), cutsOf(words.text)));

describe('the patterns of a query', () => {
  it('find its words in a reply, however the reply was split into records', () =>
    fc.assert(
      fc.property(cutText, fc.boolean(), ([{ query }, cut], isUpper) => {
        const typed = isUpper
          ? query.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
          : query;
        const journal = cutJournal('c', cut);
        assert.equal(matchIn(typed, journal)?.turn, 'turn');
        assert.ok(isCandidate(typed, journal));
      }),
      { numRuns: runs(1000) },
    ));

  it('find text that is split across consecutive records in one pass', () => {
    const word = 'hygrometer';
    for (let at = 1; at < word.length; at++) {
      const pieces = ['A ', word.slice(0, at), word.slice(at), ' reads'];
      const journal = cutJournal('c', { pieces, after: [] });
      for (const query of [word, `a ${word} READS`])
        assert.ok(toRegExp(storedPatterns(query).usual).test(journal), pieces.join('|'));
    }
  });

  it('find words in messages, file names and arguments of calls', () =>
    fc.assert(
      fc.property(searchedWords, fc.constantFrom(0, 1, 2, 3), ({ query, text }, where) => {
        const at = (field: number): string => (where === field ? text : '');
        const journal = journalOf('c', [
          turnStart({
            question: {
              text: at(0),
              attachments: [
                { id: 'a', name: 'n', path: at(1), language: '', text: 'not searched' },
              ],
            },
          }),
          {
            type: 'tool-call-end',
            call: {
              id: 'c',
              name: 'edit_file',
              arguments: asciiJson({ edits: [{ search: at(2) }] }),
              outcome: 'done',
            },
          },
          { type: 'tool-call-end', call: { id: 'd', name: at(3), arguments: '', outcome: 'done' } },
        ]);
        assert.equal(matchIn(query, journal)?.turn, 't');
        assert.ok(isCandidate(query, journal));
      }),
      { numRuns: runs(800) },
    ));

  it('find each letter in each of its cases, escaped or not', () => {
    const same = new Map<string, string[]>();
    for (let code = 0; code < 0x20000; code += code === 0xd7ff ? 0x801 : 1) {
      const letter = String.fromCodePoint(code);
      const folded = letter.toLowerCase().toUpperCase();
      if (folded === letter && letter.toLowerCase() === letter) continue;
      same.set(folded, [...(same.get(folded) ?? []), letter]);
    }
    let pairs = 0;
    for (const letters of same.values())
      for (const query of letters) {
        const any = toRegExp(storedPatterns(query).any);
        for (const letter of letters) {
          if (wordsPattern(query)?.test(letter) !== true) continue;
          pairs += 1;
          for (const stored of [letter, JSON.stringify(asciiJson(letter))])
            assert.ok(any.test(`{"arguments":${stored}}`), `${query} in ${stored}`);
        }
      }
    assert.ok(pairs > 5000, String(pairs));
  });

  it('find words in any Unicode normalization, in the list and in the chat', () =>
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('é', 'ế', 'ガ', '한', '글', 'Å', 'a', '豈', '😀'),
          minLength: 1,
        }),
        fc.constantFrom('NFC', 'NFD'),
        fc.constantFrom('NFC', 'NFD'),
        fc.func(fc.nat(8)),
        (word, typed, written, cut) => {
          const query = word.normalize(typed);
          const text = `In ${word.normalize(written)}.`;
          const at = cut(text) % text.length;
          for (const [searched, ...pieces] of [
            [query, text.slice(0, at), text.slice(at)],
            [word, `In ${word}.`],
          ] as const) {
            const journal = cutJournal('c', { pieces, after: [] });
            assert.equal(matchIn(searched, journal)?.turn, 'turn');
            assert.ok(isCandidate(searched, journal));
            assert.ok(findPattern(searched)?.test(pieces.join('')));
          }
        },
      ),
      { numRuns: runs(500) },
    ));

  it('find nothing in attachments and results of calls', () => {
    const journal = journalOf('c', [
      turnStart({
        question: {
          text: 'Where is it?',
          attachments: [{ id: 'a', name: 'a.ts', path: 'src/a.ts', language: '', text: 'needle' }],
        },
        model: 'needle/model',
      }),
      { type: 'tool-call-start', call: { id: 'c', name: 'read_file', arguments: '{}', round: 1 } },
      { type: 'tool-call-result', id: 'c', outcome: 'done', result: 'needle', at: 2 },
      { type: 'turn-end', status: 'finished', at: 9 },
    ]);
    for (const query of ['needle', 'turn-start', 'version', 'finished'])
      assert.equal(matchIn(query, journal), undefined, query);
    assert.equal(matchIn('where IS', journal)?.line, 'Where is it?');
  });

  it('find messages of other paths, but none that was moved to another chat', () => {
    const journal = journalOf('c', [
      turnStart({ question: userMessage('needle') }),
      { type: 'turn-end', status: 'finished', at: 2 },
    ]);
    const removed = (moved: boolean): string =>
      journal + writeEvent({ type: 'turn-remove', id: 't', moved }, 3, { writer: 'window' });
    assert.equal(matchIn('needle', removed(false))?.turn, 't');
    assert.equal(matchIn('needle', removed(true)), undefined);
  });

  it('are undefined for a query without words', () => {
    for (const query of ['', '  \n']) assert.equal(wordsPattern(query), undefined);
  });

  it('take linear time', () => {
    const pattern = wordsPattern('* x');
    assert.equal(pattern?.test('*'.repeat(50_000)), false);
  });
});

/** JSON as some models write it, with escapes for slashes and non-ASCII characters. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/');
}
