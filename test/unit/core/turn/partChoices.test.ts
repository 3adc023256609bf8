import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  emptyConversation,
  messagesOf,
  runningTurn,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import {
  changeChoices,
  longestPartKey,
  mostChoices,
  partKey,
  type PartChoices,
} from '../../../../src/core/conversation/partChoices.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { leftOutResult } from '../../../../src/core/turn/sentTurns.ts';
import {
  brokenPart,
  listParts,
  possibleParts,
  requestParts,
  type RequestPart,
} from '../../../../src/core/turn/requestParts.ts';
import { buildRequest, composeRequest, cutFor } from '../../../../src/core/turn/prompt.ts';
import { imageAttachment } from '../../../support/images.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart, turnWith, userMessage } from '../../../support/turns.ts';
import { files, requests, tools, type SentRequest } from './randomChat.ts';

type Choices = PartChoices | undefined;

/** The request of a turn with other choices than it began with, its parts, and the list of them. */
function partsOf(
  { conversation, turn, settings }: Pick<SentRequest, 'conversation' | 'turn' | 'settings'>,
  choices: Choices,
) {
  const chosen = { ...turn, partChoices: choices };
  const { request, ...source } = composeRequest(conversation, chosen, settings, tools);
  const parts = requestParts(request, source);
  const possible = possibleParts(conversation, chosen, settings, tools);
  return { request, parts, possible, listed: listParts(parts, possible, chosen) };
}

/** Checks a law of requests whose turn began with some choices. */
function assertLaw(law: (sent: SentRequest) => void): void {
  const chosen = fc.array(fc.tuple(fc.nat(), fc.constantFrom('left-out', 'pinned')), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(requests, chosen, (sent, pairs) => {
      const keys = [
        partKey.instructions,
        ...files.map(({ path }) => partKey.file(path)),
        ...tools.map(({ function: { name } }) => partKey.tool(name)),
        ...keysOf([...sent.conversation.turns, sent.turn]),
      ];
      const partChoices = Object.fromEntries(
        pairs.map(([at, choice]) => [keys[at % keys.length] ?? '', choice] as const),
      );
      law({ ...sent, turn: { ...sent.turn, partChoices } });
    }),
    { numRuns: runs(400) },
  );
}

const partsAsSent = (sent: SentRequest): ReturnType<typeof partsOf> =>
  partsOf(sent, sent.turn.partChoices);

/** The same request without a summary, and with room for everything. */
function roomy(sent: SentRequest): SentRequest {
  const turn = { ...sent.turn, firstSent: undefined, shortResultsBefore: undefined };
  return { ...sent, turn, conversation: { ...sent.conversation, summaries: undefined } };
}

/** Keys of all parts of turns that can be excluded or pinned. */
function keysOf(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap((turn) => [
    partKey.turn(turn.id),
    ...messagesOf(turn).flatMap(({ attachments }) =>
      attachments.map((attachment) => partKey.attachment(attachment.id)),
    ),
    ...turn.parts.flatMap((part) =>
      part.type === 'tool-call' ? partKey.result(turn.id, part.id) : [],
    ),
  ]);
}

const isSent = (parts: readonly RequestPart[], id: string): boolean =>
  parts.some((part) => part.kind === 'message' && part.turn === id);

describe('a request with excluded parts', () => {
  it('contains no excluded part', () => {
    assertLaw((sent) => {
      const { parts } = partsAsSent(sent);
      const { id: newest, partChoices } = sent.turn;
      for (const part of parts) {
        const isExcluded = (key: string): boolean => partChoices?.[key] === 'left-out';
        if (part.kind === 'tool') assert.ok(!isExcluded(partKey.tool(part.name)));
        if (part.kind === 'custom') assert.ok(!isExcluded(partKey.instructions));
        if (part.kind === 'instructions') assert.ok(!isExcluded(partKey.file(part.name)));
        if (part.kind === 'attachment') assert.ok(!isExcluded(partKey.attachment(part.id)));
        if (part.turn !== '' && part.turn !== newest)
          assert.ok(!isExcluded(partKey.turn(part.turn)));
        if (part.kind === 'result' && isExcluded(partKey.result(part.turn, part.id)))
          assert.equal(part.text, leftOutResult);
      }
      assert.ok(isSent(parts, newest), 'the new message');
    });
  });

  it('refers only to text that it contains', () => {
    assertLaw((sent) => {
      const turns = [...sent.conversation.turns, sent.turn];
      const attachments = turns.flatMap(messagesOf).flatMap((message) => message.attachments);
      const known = new Map<string, string>();
      for (const { kind, id, text: written } of partsAsSent(sent).parts) {
        const attachment = attachments.find((candidate) => candidate.id === id);
        if (kind !== 'attachment' || attachment === undefined) continue;
        if (attachment.image !== undefined) continue;
        const { path, text } = attachment;
        const before = known.get(path);
        if (written.includes('unchanged since')) assert.equal(before, text);
        else if (written.includes('as a diff')) {
          const removed = written.split('\n').filter((line) => line.startsWith('-'));
          assert.ok(
            before !== undefined && removed.every((line) => before.includes(line.slice(1))),
          );
        } else assert.ok(written.includes(text));
        known.set(path, text);
      }
    });
  });

  it('is the same if nothing is excluded and everything fits', () => {
    assertLaw((sent) => {
      const keys = keysOf([...sent.conversation.turns, sent.turn]);
      const pinned = changeChoices(undefined, keys, 'pinned');
      const [all, none] = [pinned, undefined].map((choices) => partsOf(roomy(sent), choices));
      assert.equal(JSON.stringify(all?.request), JSON.stringify(none?.request));
    });
  });

  it('contains no text about tools if all tools are excluded', () => {
    assertLaw(({ conversation, turn, settings }) => {
      const keys = tools.map(({ function: { name } }) => partKey.tool(name));
      const partChoices = changeChoices(undefined, keys, 'left-out');
      const request = buildRequest(conversation, { ...turn, partChoices }, settings, tools);
      const plain = { ...turn, partChoices: undefined, withoutTools: true };
      assert.equal(request.tools, undefined);
      const without = buildRequest(conversation, plain, settings, tools);
      assert.equal(JSON.stringify(request), JSON.stringify(without));
    });
  });
});

/** The parts of the request that a message starts, in a chat with these turns and choices. */
function startedParts(turns: readonly Turn[], contextWindow: number, partChoices: Choices) {
  const settings = { instructions: '', stream: true, options: {}, contextWindow };
  const chat = { ...emptyConversation('c'), turns, ...(partChoices && { partChoices }) };
  const question = userMessage();
  const tokensOf = (characters: number): number => Math.ceil(characters / 2);
  const cut = cutFor(question, 'm', chat, settings, tokensOf);
  const conversation = reduce(chat, turnStart({ id: 'new', question, ...cut }));
  const source = composeRequest(conversation, runningTurn(conversation), settings);
  return requestParts(source.request, source);
}

describe('a pinned part', () => {
  const isAnswered = ({ parts }: Turn): boolean =>
    parts.some((part) => part.type === 'text' && part.text.trim() !== '');

  it('is sent with its whole turn, however small the window is', () => {
    assertLaw((sent) => {
      const { parts } = partsAsSent(sent);
      const { partChoices } = sent.turn;
      for (const turn of sent.conversation.turns.filter(isAnswered)) {
        const isPinned = keysOf([turn]).some((key) => partChoices?.[key] === 'pinned');
        const isExcluded = partChoices?.[partKey.turn(turn.id)] === 'left-out';
        if (isPinned && !isExcluded) assert.ok(isSent(parts, turn.id), turn.id);
      }
    });
  });

  it('takes room from older turns that are not pinned', () => {
    const turns = ['a', 'b', 'c', 'd'].map((id) =>
      turnWith({ id, parts: [{ type: 'text', text: 'x'.repeat(3000) }] }),
    );
    const sentOf = (choices: Choices): string =>
      startedParts(turns, 10_000, choices)
        .filter(({ kind }) => kind === 'message')
        .map(({ turn }) => turn)
        .join(' ');
    assert.equal(sentOf(undefined), 'c d new');
    assert.equal(sentOf({ [partKey.turn('a')]: 'pinned' }), 'a d new');
    const newest = { [partKey.turn('c')]: 'left-out', [partKey.turn('d')]: 'left-out' } as const;
    assert.equal(sentOf(newest), 'a b new', 'What is left out leaves room.');
  });
});

describe('a pinned result', () => {
  it('is sent in full while other old results are shortened to one line', () => {
    const call = { id: 'call_1', name: 'look', arguments: '{}', round: 1, status: 'done' } as const;
    const turns = ['a', 'b', 'c'].map((id) =>
      turnWith({
        id,
        parts: [
          { ...call, result: 'x'.repeat(2500), type: 'tool-call' },
          { type: 'text', text: 'Because.' },
        ],
      }),
    );
    const sentOf = (pinned: readonly string[]): readonly number[] =>
      startedParts(turns, 9000, changeChoices(undefined, pinned, 'pinned'))
        .filter(({ kind }) => kind === 'result')
        .map(({ text }) => text.length);
    const [first = 0, second = 0, third = 0] = sentOf([]);
    assert.ok(first < 200 && second < 200 && third === 2500, 'The oldest are one line each.');
    assert.equal(sentOf([partKey.result('a', 'call_1')])[0], 2500);
    assert.equal(sentOf([partKey.turn('a')])[0], 2500);
  });
});

describe('the list of parts', () => {
  it('contains all sent parts in order, and the excluded ones in their positions', () => {
    assertLaw((sent) => {
      const { parts, possible, listed } = partsAsSent(sent);
      const { partChoices, firstSent } = sent.turn;
      assert.deepEqual(
        listed.flatMap((entry) => entry.sent ?? []),
        parts.map((_, index) => index),
      );
      for (const entry of listed) {
        const same = entry.sent === undefined ? undefined : parts[entry.sent];
        if (entry.unsent === undefined) assert.equal(entry.part, same);
        if (entry.unsent === 'room') assert.notEqual(firstSent, undefined);
        if (entry.key !== undefined) assert.equal(entry.choice, partChoices?.[entry.key]);
        if (entry.choice === 'left-out') assert.equal(entry.unsent, 'left-out');
      }
      if (possible.length === 0) return;
      // The words before instructions are listed once where two messages need some.
      const isListed = ({ kind, name }: RequestPart): boolean =>
        kind !== 'option' && (kind !== 'instructions' || name !== '');
      const placesOf = (all: readonly RequestPart[]): readonly string[] =>
        all
          .filter(isListed)
          .map(({ kind, name, id, turn }) =>
            [kind.replace('image', 'attachment'), name, id, turn].join(),
          );
      const all = [placesOf(listed.map(({ part }) => part)), placesOf(possible)];
      // Instructions that move to a message with an image come after it, and an image is sent
      // where the message that had it before is left out.
      const isMoved = parts.some(({ kind }) => kind === 'image');
      const [shown, expected] = isMoved ? all.map((places) => places.toSorted()) : all;
      assert.deepEqual(shown, expected);
    });
  });

  it('has an image that an excluded message had before, and the text of an excluded result', () => {
    const question = { text: 'What?', attachments: [imageAttachment('a')] };
    const call = { type: 'tool-call', id: 'c', name: 'look', arguments: '{}', round: 1 } as const;
    const done = { ...call, status: 'done', result: 'A cat.' } as const;
    const turns = ['a', 'b'].map((id) => turnWith({ id, question, parts: [done] }));
    const choices = {
      [partKey.turn('a')]: 'left-out',
      [partKey.result('b', 'c')]: 'left-out',
    } as const;
    const settings = { instructions: '', stream: true, options: {}, images: () => 'data:' };
    const conversation = { ...emptyConversation('c'), turns };
    const { listed } = partsOf({ conversation, turn: turnWith({ id: 'n' }), settings }, choices);
    const ofSecond = listed.filter(({ part }) => part.turn === 'b');
    assert.deepEqual(
      ofSecond.map(({ part, unsent = 'sent' }) => `${part.kind} ${part.text}: ${unsent}`),
      [
        ...['image data:: sent', 'message What?: sent', 'call {}: sent', 'result A cat.: left-out'],
        'reply (The reply ends here.): sent',
      ],
    );
  });

  it('identifies the excluded part at which the cached prefix ends', () => {
    assertLaw((sent) => {
      const before = partsOf(roomy(sent), undefined);
      for (const { key, part } of before.listed) {
        if (key === undefined) continue;
        const after = partsOf(roomy(sent), { [key]: 'left-out' });
        const differing = firstDifference(after.parts, before.parts);
        const broken = after.listed[brokenPart(after.listed, before.parts, differing)];
        const isSame = broken?.part.turn === part.turn && broken.unsent === 'left-out';
        assert.ok(isSame, `${key} and not ${JSON.stringify(broken)}`);
      }
    });
  });
});

function firstDifference(next: readonly RequestPart[], last: readonly RequestPart[]): number {
  return last.findIndex((part, at) => JSON.stringify(part) !== JSON.stringify(next[at]));
}

describe('choices about parts', () => {
  const keys = fc.array(fc.constantFrom(partKey.tool('a'), partKey.tool('b'), partKey.turn('t')), {
    maxLength: 4,
  });
  const choice = fc.constantFrom('left-out' as const, 'pinned' as const, undefined);
  const event = fc.record({ type: fc.constant('part-choice' as const), parts: keys, choice });

  it('are the latest for each part, and undefined if all were removed', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const expected = new Map<string, string | undefined>();
        for (const { parts, choice: made } of events)
          for (const key of parts) expected.set(key, made);
        const all = events.reduce(reduce, emptyConversation('c'));
        const remaining = [...expected].filter(([, made]) => made !== undefined);
        assert.deepEqual(
          all.partChoices,
          remaining.length === 0 ? undefined : Object.fromEntries(remaining),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it('apply to later turns, but not to a running turn', () => {
    const start = (id: string) => turnStart({ id });
    const exclusion = { type: 'part-choice', parts: ['tool:look'], choice: 'left-out' } as const;
    const during = [start('a'), exclusion].reduce<Conversation>(reduce, emptyConversation('c'));
    assert.equal(during.running?.partChoices, undefined);
    const after = [start('b'), { ...exclusion, choice: undefined }].reduce<Conversation>(
      reduce,
      during,
    );
    assert.deepEqual(after.running?.partChoices, { 'tool:look': 'left-out' });
    assert.equal(after.partChoices, undefined);
    const continued = [
      { type: 'turn-end', status: 'stopped', at: 2 } as const,
      { type: 'turn-continue', at: 3 } as const,
    ].reduce<Conversation>(reduce, after);
    assert.equal(continued.running?.partChoices, undefined, 'The person asks for more now.');
  });

  it('are limited in number and length', () => {
    const many = Array.from({ length: mostChoices * 2 }, (_, index) => partKey.turn(`${index}`));
    const made = changeChoices(undefined, [...many, 'x'.repeat(longestPartKey + 1)], 'left-out');
    assert.equal(Object.keys(made ?? {}).length, mostChoices);
    assert.equal(made?.[partKey.turn('0')], 'left-out');
    const long = changeChoices(undefined, ['x'.repeat(longestPartKey + 1)], 'left-out');
    assert.equal(long, undefined);
  });
});
