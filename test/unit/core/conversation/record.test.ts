import assert from 'node:assert/strict';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import { turnStart } from '../../../support/turns.ts';

const attachment = { id: 'a', name: 'a.ts', path: 'a.ts', language: 'typescript', text: 'x' };

function journalWith(attachments: readonly unknown[]): string {
  const question = { text: 'Why?', attachments };
  const event = { ...turnStart(), question };
  const first = writeHeader({ conversation: 'c', workspace: '', at: 1 });
  return `${first}${JSON.stringify({ number: 1, event })}\n`;
}

function attachmentsOf(journal: string): unknown {
  const { conversation, damaged } = readJournal('c', journal);
  assert.equal(damaged, 0);
  return JSON.parse(JSON.stringify(conversation.running?.question.attachments));
}

describe('a journal with attachments', () => {
  it('keeps the kind of each', () => {
    const question = { text: 'Why?', attachments: [{ ...attachment, kind: 'symbol' as const }] };
    const event = turnStart({ question });
    const first = writeHeader({ conversation: 'c', workspace: '', at: 1 });
    assert.deepEqual(attachmentsOf(first + writeEvent(event, 1)), question.attachments);
  });

  it('can be read if it was written before attachments had kinds', () => {
    assert.deepEqual(attachmentsOf(journalWith([attachment])), [attachment]);
  });

  it('reads a kind of a later version as a file', () => {
    const later = { ...attachment, kind: 'hologram' };
    assert.deepEqual(attachmentsOf(journalWith([later])), [{ ...attachment, kind: 'file' }]);
  });
});

describe('a journal that was written before there were modes', () => {
  const optionsOf = (options: object): unknown => {
    const first = writeHeader({ conversation: 'c', workspace: '', at: 1 });
    const event = { type: 'options-change', options };
    const journal = `${first}${JSON.stringify({ number: 1, event })}\n`;
    const { conversation, damaged } = readJournal('c', journal);
    assert.equal(damaged, 0);
    return JSON.parse(JSON.stringify(conversation.options));
  };

  it('has the mode without tools if tools were switched off', () => {
    const options = { temperature: 1, withoutTools: true };
    assert.deepEqual(optionsOf(options), { temperature: 1, mode: 'chat' });
  });

  it('has no mode if tools were sent, and keeps a mode that was chosen later', () => {
    assert.deepEqual(optionsOf({ withoutTools: false }), {});
    assert.deepEqual(optionsOf({ withoutTools: true, mode: 'ask' }), { mode: 'ask' });
  });
});

describe('a journal of a later version', () => {
  const start = turnStart();

  function read(...events: readonly unknown[]) {
    const lines = [start, ...events].map((event, index) =>
      JSON.stringify({ number: index + 1, event }),
    );
    const { conversation, damaged } = readJournal('c', lines.join('\n'));
    assert.equal(damaged, 0);
    return conversation.running ?? conversation.turns[0];
  }

  it('keeps an error without its unknown remedy', () => {
    const error = { kind: 'x', message: 'No.', remedy: 'restart-the-sun' };
    const turn = read({ type: 'turn-end', status: 'failed', error, at: 2 });
    assert.equal(turn?.status, 'failed');
    assert.deepEqual([turn.error?.message, turn.error?.remedy], ['No.', undefined]);
  });

  it('keeps an event with the nearest known value', () => {
    const ended = read({ type: 'turn-end', status: 'evaporated', at: 2 });
    assert.equal(ended?.status, 'cut');
    const file = { id: 'f', path: 'a.ts', kind: 'rename', addedLines: 1, removedLines: 0 };
    const changes = [{ ...file, status: 'archived' }];
    const changed = read({ type: 'files-change', turn: 't', changes });
    assert.deepEqual(changed?.changes, [{ ...file, kind: 'edit', status: 'kept' }]);
    const call = { id: 'c', name: 'look', arguments: '{}', outcome: 'postponed' };
    const called = read({ type: 'tool-call-end', call });
    assert.deepEqual(called?.parts, [
      { type: 'tool-call', id: 'c', name: 'look', arguments: '{}', round: 1, status: 'failed' },
    ]);
    const paused = read({ type: 'turn-pause', pause: { reason: 'weekend' } });
    assert.equal(paused?.pause?.reason, 'rounds');
  });
});
