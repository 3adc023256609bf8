import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import {
  emptyConversation,
  type Conversation,
} from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { partKey } from '../../../../src/core/conversation/partChoices.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';

const counts = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cached_tokens: 1 };
const usage = { ...counts, requests: 1, estimated: false };
const at = fc.nat(1000);
const model = fc.constant('m');
const callId = fc.nat(2).map((id) => `c${id}`);
const turnId = fc.nat(6).map((id) => `t${id}`);
/** Any conversation that events with such texts can build. */
export function conversationsOf(words: fc.Arbitrary<string>): fc.Arbitrary<Conversation> {
  return fc
    .array(eventsOf(words), { maxLength: 60 })
    .map((events) => events.reduce(reduce, emptyConversation('c')));
}

const anyWords = fc.oneof(
  fc.string(),
  fc.constantFrom('# a\n', '```ts\n', '<b>', '“é”', '\u{202e}'),
);
export const anyConversation = conversationsOf(anyWords);

/** Any event that a journal stores. */
export const storedEvents = eventsOf(anyWords).filter(({ type }) => type !== 'record-loss');

function eventsOf(words: fc.Arbitrary<string>): fc.Arbitrary<ConversationEvent> {
  const attachment = fc.record(
    {
      id: callId,
      kind: fc.constantFrom('file' as const, 'terminal' as const, 'chat' as const),
      name: words,
      path: words,
      language: fc.constantFrom('typescript', '', '`'),
      range: fc.record({ start: fc.nat(), end: fc.nat() }),
      text: words,
      tainted: fc.constant(true),
    },
    { requiredKeys: ['id', 'name', 'path', 'language', 'text'] },
  );
  const change = fc.record({
    id: callId,
    path: words,
    kind: fc.constantFrom('edit' as const, 'create' as const),
    addedLines: fc.nat(),
    removedLines: fc.nat(),
    status: fc.constantFrom('changed' as const, 'kept' as const, 'undone' as const),
  });
  const call = fc.record(
    {
      id: callId,
      name: words,
      arguments: words,
      round: fc.integer({ min: 1, max: 9 }),
      title: words,
      icon: fc.constant('file'),
      trace: fc.constant({
        message: { reasoning_content: 'Hm.' },
        call: { signature: 'c2lnbmVk' },
      }),
      summary: fc.constant({ many: '{0} files', distinct: { argument: 'path', one: '1 file' } }),
    },
    { requiredKeys: ['id', 'name', 'arguments', 'round'] },
  );
  const outcome = fc.constantFrom('done', 'failed', 'denied', 'stopped');

  return fc.oneof(
    fc.record({
      type: fc.constant('turn-start'),
      id: turnId,
      question: fc.record({ text: words, attachments: fc.array(attachment, { maxLength: 2 }) }),
      model: fc.constantFrom('m', 'mistral/mistral-small', '__proto__x'),
      json: fc.boolean(),
      after: fc.option(fc.oneof(turnId, fc.constant('')), { nil: undefined }),
      withoutTools: fc.option(fc.boolean(), { nil: undefined }),
      firstSent: fc.option(fc.oneof(turnId, fc.constant('')), { nil: undefined }),
      shortResultsBefore: fc.option(fc.oneof(turnId, fc.constant('')), { nil: undefined }),
      at,
    }),
    fc.record({ type: fc.constant('turn-continue'), at }),
    fc.record({
      type: fc.constant('turn-remove'),
      id: turnId,
      moved: fc.option(fc.constant(true), { nil: undefined }),
    }),
    fc.record({ type: fc.constant('version-select'), turn: turnId }),
    fc.record({
      type: fc.constant('options-change'),
      options: fc.record(
        { temperature: fc.constant(0.5), stop: fc.array(words), json: fc.boolean() },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      type: fc.constant('part-choice'),
      parts: fc.array(
        fc.oneof(
          turnId.map(partKey.turn),
          callId.map(partKey.attachment),
          fc.tuple(turnId, callId).map(([turn, call]) => partKey.result(turn, call)),
          fc.oneof(words.map(partKey.file), fc.constant(partKey.instructions)),
        ),
        { maxLength: 4 },
      ),
      choice: fc.constantFrom('left-out' as const, 'pinned' as const, undefined),
    }),
    fc.record({ type: fc.constant('title-change'), title: fc.constantFrom('', 'A name') }),
    fc.record({ type: fc.constant('pin-change'), pinned: fc.boolean() }),
    fc.record(
      {
        type: fc.constant('chat-shorten'),
        summary: fc.record(
          { id: callId, text: words, upTo: turnId, model, at, unused: fc.boolean() },
          { requiredKeys: ['id', 'text', 'upTo', 'model', 'at'] },
        ),
        usage: fc.constant(usage),
        demo: fc.boolean(),
      },
      { requiredKeys: ['type', 'summary'] },
    ),
    fc.record({ type: fc.constant('summary-use'), summary: callId, used: fc.boolean() }),
    fc.record({
      type: fc.constant('chat-usage'),
      model,
      usage: fc.constant(usage),
      demo: fc.boolean(),
    }),
    fc.constant({ type: 'request-sent', usage: { ...usage, estimated: true } }),
    fc.record({ type: fc.constant('usage'), usage: fc.constant(usage), demo: fc.boolean() }),
    fc.record({ type: fc.constant('text-delta'), text: words, at }),
    fc.record({ type: fc.constant('reasoning-delta'), text: words, at }),
    fc.record({
      type: fc.constant('turn-message'),
      id: callId,
      message: fc.record({ text: words, attachments: fc.array(attachment, { maxLength: 2 }) }),
      at,
    }),
    fc.record({ type: fc.constant('tool-call-start'), call }),
    fc.record({
      type: fc.constant('tool-call-ask'),
      id: callId,
      question: fc.constant({ by: 'panel', forChat: true, files: [] }),
    }),
    fc.record({ type: fc.constant('tool-call-run'), id: callId, grant: words, at }),
    fc.record({ type: fc.constant('tool-call-output'), id: callId, text: words }),
    fc.record({ type: fc.constant('tool-call-result'), id: callId, outcome, result: words, at }),
    fc.record({ type: fc.constant('files-change'), turn: turnId, changes: fc.array(change) }),
    fc.record({
      type: fc.constant('files-restore'),
      turn: turnId,
      restore: fc.record({
        id: words,
        turns: fc.array(turnId),
        files: fc.array(words),
        left: fc.array(words),
        status: fc.constantFrom('restored', 'undone'),
      }),
    }),
    fc.constant({ type: 'record-loss' }),
    fc.record({
      type: fc.constant('turn-end'),
      status: fc.constantFrom('finished', 'stopped', 'cut', 'failed'),
      finishReason: fc.option(fc.constant('stop'), { nil: undefined }),
      malformedEvents: fc.option(fc.nat(), { nil: undefined }),
      error: fc.option(fc.record({ kind: words, message: words }), { nil: undefined }),
      at,
    }),
  );
}

/** The conversation in a journal with these events. */
export function readBack(events: readonly ConversationEvent[]): Conversation {
  const lines = events.map((event, index) => writeEvent(event, index + 1));
  const header = writeHeader({ conversation: 'new', workspace: '', at: 1 });
  const { conversation, damaged } = readJournal('new', header + lines.join(''));
  assert.equal(damaged, 0);
  return conversation;
}
