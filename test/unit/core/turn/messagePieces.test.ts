import assert from 'node:assert/strict';
import { AttachmentFormatter } from '../../../../src/core/turn/messagePieces.ts';
import {
  emptyConversation,
  type Attachment,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { buildRequest, cutFor } from '../../../../src/core/turn/prompt.ts';
import { turnWith } from '../../../support/turns.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

function file(text: string, more: Partial<Attachment> = {}): Attachment {
  return { id: 'a', name: 'a.ts', path: 'src/a.ts', language: 'typescript', text, ...more };
}

function turn(id: string, attachments: readonly Attachment[], answer = 'Yes.'): Turn {
  return turnWith({
    id,
    question: { text: id, attachments },
    parts: answer === '' ? [] : [{ type: 'text', text: answer }],
  });
}

const settings = { instructions: '', stream: true, options: {} };

/** Messages of the request for the last turn, without the system message. */
function sent(turns: readonly Turn[]): readonly (string | null)[] {
  const conversation: Conversation = { ...emptyConversation('c'), turns: turns.slice(0, -1) };
  const last = turns.at(-1);
  assert.ok(last);
  const { messages } = buildRequest(conversation, { ...last, parts: [] }, settings);
  return messages.slice(1).map(({ content }) => content);
}

describe('a repeated attachment', () => {
  it('is not sent again while unchanged', () => {
    const texts = new AttachmentFormatter();
    assert.equal(texts.stateOf(file('one\n')), 'attached');
    assert.equal(texts.format(file('one\n')), 'src/a.ts:\n```typescript\none\n```');
    assert.equal(texts.stateOf(file('one\n')), 'unchanged');
    assert.equal(texts.format(file('one\n')), 'src/a.ts: unchanged since it was attached above.');
  });

  it('is sent as a diff if that is shorter, otherwise in full', () => {
    const texts = new AttachmentFormatter();
    texts.format(file(lines(100)));
    const changed = file(lines(100).replace('line 50\n', 'other\n'));
    assert.equal(texts.stateOf(changed), 'changed');
    assert.equal(
      texts.format(changed),
      [
        'src/a.ts (changed since it was attached above, as a diff):',
        '```diff',
        '@@ -49,5 +49,5 @@',
        ' line 48',
        ' line 49',
        '-line 50',
        '+other',
        ' line 51',
        ' line 52',
        '```',
      ].join('\n'),
    );
    assert.equal(texts.format(file('new\n')), 'src/a.ts (changed):\n```typescript\nnew\n```');
  });

  it('is sent in full if its lines or its kind differ', () => {
    const texts = new AttachmentFormatter();
    texts.format(file('one'));
    assert.equal(texts.stateOf(file('one', { range: { start: 1, end: 1 } })), 'attached');
    assert.equal(texts.stateOf(file('one', { kind: 'changes' })), 'attached');
    assert.equal(texts.stateOf(file('one', { kind: 'symbol' })), 'unchanged');
  });

  it('is sent in full if its earlier message got no reply', () => {
    const unanswered = turn('one', [file('text')], '');
    assert.match(sent([unanswered, turn('two', [file('text')])])[0] ?? '', /```typescript\ntext/);
  });

  it('is sent in full if its earlier message no longer fits', () => {
    const first = turn('one', [file('text')]);
    const second = { ...turn('two', [file('text')]), firstSent: '' };
    assert.equal(sent([first, second]).length, 1);
    assert.match(sent([first, second])[0] ?? '', /```typescript\ntext/);
    assert.match(sent([first, turn('two', [file('text')])]).at(-1) ?? '', /unchanged/);
  });

  it('counts only once toward the context window', () => {
    const again = (id: string): Turn => turn(id, [file('x'.repeat(8000))]);
    const conversation = { ...emptyConversation('c'), turns: ['1', '2', '3', '4'].map(again) };
    const question = { text: 'And?', attachments: [file('x'.repeat(8000))] };
    const window = { ...settings, contextWindow: 6000 };
    const tokensOf = (characters: number): number => characters / 4;
    assert.deepEqual(cutFor(question, 'm', conversation, window, tokensOf), {});
    const other = { text: 'And?', attachments: [file('y'.repeat(8000), { path: 'b.ts' })] };
    assert.notEqual(cutFor(other, 'm', conversation, window, tokensOf).firstSent, undefined);
  });
});
