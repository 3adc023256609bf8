import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lastTurn } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent, TurnStart } from '../../../../src/core/conversation/events.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { readHead } from '../../../../src/core/history/chatHead.ts';
import { titleOf } from '../../../../src/core/history/chatTitle.ts';
import { journalOf } from '../../../support/cutJournal.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart } from '../../../support/turns.ts';

const id = fc.constantFrom('t1', 't2', 't3');
function message(text: string, turn = 't1'): TurnStart {
  const question = { text, attachments: [] };
  return turnStart({ id: turn, question, model: `model of ${turn}`, at: 5 });
}

function laterLine(number: number, laterEvent: object): string {
  return `${JSON.stringify({ number, writer: 'window', event: laterEvent })}\n`;
}

/** Any text of a line, including text that looks like a part of the journal. */
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.constantFrom('```', '~~~ ts', '`', ' ', '\n', '\r', '\r\n', 'a', '$(x)', '\u05d0'), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);
const anyChange: fc.Arbitrary<ConversationEvent> = fc.oneof(
  fc
    .record({ id, text: words, name: words, isAttached: fc.boolean() })
    .map(({ id: turn, text, name, isAttached }): ConversationEvent => ({
      ...message(text, turn),
      question: {
        text,
        attachments: isAttached ? [{ id: 'a', name, path: 'p', language: '', text: '' }] : [],
      },
    })),
  words.map((title) => ({ type: 'title-change', title }) as const),
  fc.boolean().map((pinned) => ({ type: 'pin-change', pinned }) as const),
  id.map((turn) => ({ type: 'turn-remove', id: turn }) as const),
  id.map((turn) => ({ type: 'version-select', turn }) as const),
  words.map((text) => ({ type: 'text-delta', text, at: 1 }) as const),
  fc.constant({ type: 'turn-end', status: 'finished', at: 1 } as const),
);

describe('the head of a chat', () => {
  it('has the same title and pin as the open chat, damaged or not', () =>
    fc.assert(
      fc.property(
        fc.array(anyChange, { maxLength: 16, size: 'max' }),
        anyChange,
        fc.nat(),
        (events, last, cut) => {
          fc.pre(last.type === 'title-change' || last.type === 'pin-change');
          const journal = journalOf('c', events, 'file:///work');
          const line = laterLine(events.length + 1, last);
          for (const text of [
            journal,
            journal + line,
            journal + line.slice(0, cut % line.length),
          ]) {
            const head = readHead('c', text);
            const { conversation } = readJournal('c', text);
            const newest = lastTurn(conversation);
            if (head !== undefined && newest !== undefined) {
              assert.deepEqual([head.model, head.at], [newest.model, newest.startedAt]);
              assert.equal(head.workspace, 'file:///work');
            }
            assert.equal(head?.title ?? titleOf(conversation), titleOf(conversation));
            assert.equal(head?.pinned ?? false, head !== undefined && conversation.pinned === true);
          }
        },
      ),
      { numRuns: runs(1500) },
    ));

  it('has the first line of the first message as its title, on one line', () => {
    const titles = [
      ['Why?', 'Why?'],
      ['\n\n  Fix the\tbug \nand more', 'Fix the bug'],
      ['  ', ''],
      ['long '.repeat(100), `${'long '.repeat(16)}…`],
      ['a\u202eb', 'a\\u{202e}b'],
      ['```ts\nconst a = 1;\n```', 'const a = 1;'],
      ['~~~\n\n```', ''],
      ['one\rtwo', 'one'],
      ['`code`', '`code`'],
    ];
    for (const [text = '', title] of titles)
      assert.equal(readHead('c', journalOf('c', [message(text)]))?.title, title);
  });

  it('has the latest title and pin', () => {
    const start = journalOf('c', [message('Say "event":{"type":"title-change","title":"No"}')]);
    const named =
      start +
      laterLine(2, { type: 'title-change', title: 'One' }) +
      laterLine(3, { type: 'pin-change', pinned: true }) +
      laterLine(4, { type: 'title-change', title: 'Two' });
    assert.equal(readHead('c', named)?.title, 'Two');
    assert.equal(readHead('c', named)?.pinned, true);
    const unnamed = named + laterLine(5, { type: 'title-change', title: '' });
    assert.match(readHead('c', unnamed)?.title ?? '', /^Say "event/);
    assert.equal(readHead('c', start)?.pinned, false);
  });

  it('can be read from an imported chat', () => {
    const question = { text: 'Imported\n', attachments: [] };
    const turn = { id: 't1', question, model: 'm', startedAt: 7, parts: [] };
    const journal = journalOf('c', []) + laterLine(1, { type: 'turn-import', turn });
    const { title, model, at } = readHead('c', journal) ?? {};
    assert.deepEqual({ title, model, at }, { title: 'Imported', model: 'm', at: 7 });
  });

  it('is the same if lines are repeated, damaged or incomplete', () => {
    const journal = journalOf('c', [message('Why?')]);
    const line = journal.split('\n')[1] ?? '';
    for (const other of [`${journal}${line}\n`, `${journal}{"number":2,"ev`, `${journal}\0\n`])
      assert.deepEqual(readHead('c', other), readHead('c', journal));
  });

  it('is undefined without a message', () => {
    assert.equal(readHead('c', ''), undefined);
    const options = { type: 'options-change', options: {} } as const;
    assert.equal(readHead('c', journalOf('c', [options])), undefined);
    const lost = journalOf('c', [{ type: 'text-delta', text: 'Because', at: 1 }]);
    assert.equal(readHead('c', lost)?.title, '');
  });
});
