import assert from 'node:assert/strict';
import { readJournal, writeEvent, writeFirst } from '../../../../src/core/conversation/record.ts';

const attachment = { id: 'a', name: 'a.ts', path: 'a.ts', language: 'typescript', text: 'x' };

function journalWith(attachments: readonly unknown[]): string {
  const question = { text: 'Why?', attachments };
  const event = { type: 'turn-start', id: 't', question, model: 'm', json: false, at: 1 };
  const first = writeFirst({ conversation: 'c', workspace: '', at: 1 });
  return `${first}${JSON.stringify({ number: 1, event })}\n`;
}

function attachmentsOf(journal: string): unknown {
  const { conversation, damaged } = readJournal('c', journal);
  assert.equal(damaged, 0);
  return JSON.parse(JSON.stringify(conversation.running?.question.attachments));
}

describe('a journal with attachments', () => {
  it('keeps of what kind each was', () => {
    const question = { text: 'Why?', attachments: [{ ...attachment, kind: 'symbol' as const }] };
    const event = {
      type: 'turn-start',
      id: 't',
      question,
      model: 'm',
      json: false,
      at: 1,
    } as const;
    const first = writeFirst({ conversation: 'c', workspace: '', at: 1 });
    assert.deepEqual(attachmentsOf(first + writeEvent(event, 1)), question.attachments);
  });

  it('is read where it was written before there were kinds', () => {
    assert.deepEqual(attachmentsOf(journalWith([attachment])), [attachment]);
  });

  it('takes a kind of a later version for a file', () => {
    const later = { ...attachment, kind: 'hologram' };
    assert.deepEqual(attachmentsOf(journalWith([later])), [{ ...attachment, kind: 'file' }]);
  });
});
