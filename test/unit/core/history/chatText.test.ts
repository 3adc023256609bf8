import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chatFileOf } from '../../../../src/core/history/chatFile.ts';
import { chatText } from '../../../../src/core/history/chatText.ts';
import type { Turn } from '../../../../src/core/conversation/conversation.ts';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { runs } from '../../../support/sample.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';
import { anyConversation } from './anyConversation.ts';

const note = /\n\n\(Older messages with their replies, left out: (\d+)\)$/;

function textOf(turns: readonly Turn[], most = 100_000): string {
  return chatText(
    chatFileOf({ ...emptyConversation('c'), turns }, (text) => text, { reasoning: true }).turns,
    most,
  );
}

describe('the text of a chat to attach', () => {
  it('says who said what, with a line for each call, and only the names of attachments', () => {
    const attachment = { id: 'a', name: 'rain.ts', path: 'rain.ts', language: '', text: 'secret' };
    const call = {
      type: 'tool-call',
      name: 'read_file',
      arguments: '{"path":"a"}',
      round: 1,
    } as const;
    const turn = turnWith({
      question: { text: 'Does it *rain*?\n', attachments: [attachment] },
      model: 'mistral/small',
      parts: [
        { type: 'reasoning', text: 'Hm.', startedAt: 1 },
        { ...call, id: '1', title: 'Read\na', status: 'done', result: 'content' },
        { ...call, id: '2', status: 'failed', result: 'content' },
        { type: 'message', id: 'm', message: userMessage('And tomorrow?'), at: 1 },
        { type: 'text', text: '\nYes:\n\n```ts\nconst rain = true;\n```\n' },
      ],
    });
    assert.equal(
      textOf([turn, turnWith({ id: 'failed', question: userMessage('Still?') })]),
      [
        '## User\n\nDoes it *rain*?\n\nAttached: rain.ts',
        '## Assistant (mistral/small)\n\n- Tool call: Read a (done)\n\n- Tool call: read_file (failed)',
        '## User\n\nAnd tomorrow?',
        '## Assistant (mistral/small)\n\nYes:\n\n```ts\nconst rain = true;\n```',
        '## User\n\nStill?',
      ].join('\n\n'),
    );
  });

  it('has the beginning of a newest turn that is too long by itself', () => {
    const [older, newest] = ['a', '😀'].map((text) =>
      turnWith({ id: text, question: userMessage(text.repeat(300)) }),
    );
    assert.ok(older !== undefined && newest !== undefined);
    for (const most of [200, 201]) {
      const text = textOf([older, newest], most);
      assert.ok(text.length <= most);
      assert.match(text, /^## User\n\n(?:😀)+\n\n\(truncated\)\n\n\(Older .* left out: 1\)$/u);
    }
  });

  it('is never longer than it may be, and has the newest turns that fit', () => {
    fc.assert(
      fc.property(anyConversation, fc.integer({ min: 100, max: 600 }), (conversation, most) => {
        const { turns } = chatFileOf(conversation, (text) => text);
        const text = chatText(turns, most);
        assert.ok(text.length <= most, `${text.length} of ${most}`);
        const leftOut = Number(note.exec(text)?.[1] ?? 0);
        assert.ok(leftOut < Math.max(1, turns.length), 'The newest turn is always there.');
        const kept = chatText(turns.slice(leftOut), Number.MAX_SAFE_INTEGER);
        const said = text.replace(note, '');
        if (leftOut < turns.length - 1) assert.equal(said, kept);
        else assert.ok(said === kept || kept.startsWith(said.replace(/\n\n\(truncated\)$/, '')));
        const whole = chatText(turns, Number.MAX_SAFE_INTEGER);
        if (whole.length <= most - 60) assert.equal(text, whole);
      }),
      { numRuns: runs(500) },
    );
  });
});
