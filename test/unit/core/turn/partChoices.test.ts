import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  emptyConversation,
  type Attachment,
  type Conversation,
  type Part,
  type Summary,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import {
  changeChoices,
  longestPartKey,
  mostChoices,
  partKey,
  type PartChoices,
} from '../../../../src/core/conversation/partChoices.ts';
import { readEvent, writeEvent } from '../../../../src/core/conversation/record.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { requestBody } from '../../../../src/core/service/requestExtras.ts';
import type { ToolDefinition } from '../../../../src/core/tools/tool.ts';
import { leftOutResult } from '../../../../src/core/turn/sentTurns.ts';
import {
  brokenPart,
  listParts,
  possibleParts,
  requestParts,
  type RequestPart,
} from '../../../../src/core/turn/requestParts.ts';
import {
  buildRequest,
  composeRequest,
  cutFor,
  type PromptSettings,
} from '../../../../src/core/turn/prompt.ts';
import { joinedParts } from '../../../support/joinedParts.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart, turnWith } from '../../../support/turns.ts';

const line = (word: string): string => `${word} ${'of a long line '.repeat(8)}`;
const shared = Array.from({ length: 12 }, (_, index) => line(`shared ${index}`)).join('\n');
const versions = [shared, shared.replace('shared 5', 'other 5'), line('quite different')];
const paths = ['a.ts', 'b.ts'];
const toolNames = ['look', 'edit'];
const files = [
  { path: 'AGENTS.md', text: 'Use tabs.' },
  { path: 'docs/style.md', text: 'Be kind to readers.' },
  // Needed for the first message with this file, whichever that is.
  { path: 'b.instructions.md', text: 'Be brief.', scope: { has: (at: string) => at === 'b.ts' } },
];

/** Attachments with unique ids, often of the same files. */
function attachmentsOf(turn: string): fc.Arbitrary<readonly Attachment[]> {
  const source = fc.record({ path: fc.constantFrom(...paths), text: fc.constantFrom(...versions) });
  return fc.array(source, { maxLength: 3 }).map((all) =>
    all.map(({ path, text }, index) => ({
      id: `${turn}-file-${index}`,
      name: path,
      path,
      language: 'ts',
      text,
    })),
  );
}

const call = { id: 'call_1', name: 'look', arguments: '{}', round: 1, status: 'done' } as const;

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.constantFrom('It does.', ' ', 'So it is.') }),
  fc.record({
    type: fc.constant('tool-call'),
    // Services restart their numbering, so that an id is unique only in its turn.
    id: fc.constantFrom('call_1', 'call_2', 'call_3'),
    name: fc.constantFrom(...toolNames),
    arguments: fc.constantFrom('{}', 'no json'),
    round: fc.integer({ min: 1, max: 3 }),
    status: fc.constant('done'),
    result: fc.option(fc.constantFrom('found it', 'found nothing'), { nil: undefined }),
  }),
);

function turnOf(id: string): fc.Arbitrary<Turn> {
  const parts = fc.uniqueArray(part, {
    maxLength: 5,
    selector: (part) => (part.type === 'tool-call' ? part.id : part),
  });
  return fc
    .tuple(attachmentsOf(id), parts)
    .map(([attachments, parts]) =>
      turnWith({ id, question: { text: `Question ${id}`, attachments }, parts }),
    );
}

interface Case {
  readonly turns: readonly Turn[];
  readonly next: Turn;
  readonly settings: PromptSettings;
  readonly chosen: ReadonlyMap<string, 'left-out' | 'pinned'>;
  /** Number of summarized turns; 0 without a summary. */
  readonly summarized: number;
}

const tools: readonly ToolDefinition[] = toolNames.map((name) => ({
  type: 'function',
  function: { name, description: `To ${name}`, parameters: {} },
}));

/** Keys of all parts of a chat that can be excluded or pinned. */
function keysOf(turns: readonly Turn[]): readonly string[] {
  return [
    partKey.instructions,
    ...files.map(({ path }) => partKey.file(path)),
    ...toolNames.map(partKey.tool),
    ...turns.flatMap(({ id, question, parts }) => [
      partKey.turn(id),
      ...question.attachments.map((attachment) => partKey.attachment(attachment.id)),
      ...parts.flatMap((part) => (part.type === 'tool-call' ? partKey.result(id, part.id) : [])),
    ]),
  ];
}

const cases: fc.Arbitrary<Case> = fc
  .tuple(
    fc
      .nat(5)
      .chain((count) =>
        fc.tuple(...Array.from({ length: count }, (_, index) => turnOf(`t${index}`))),
      ),
    turnOf('new').map((turn): Turn => ({ ...turn, status: 'waiting', parts: [] })),
    fc.constantFrom(undefined, 4000, 7000, 20_000),
  )
  .chain(([turns, next, contextWindow]) =>
    fc.record({
      turns: fc.constant(turns),
      next: fc.constant(next),
      summarized: fc.nat(Math.max(0, turns.length - 1)),
      settings: fc.record({
        instructions: fc.constantFrom('', 'Reply in French.'),
        stream: fc.constant(true),
        files: fc.subarray(files),
        options: fc.constant({}),
        contextWindow: fc.constant(contextWindow),
      }),
      chosen: fc
        .array(
          fc.tuple(
            fc.constantFrom(...keysOf([...turns, next])),
            fc.constantFrom('left-out' as const, 'pinned' as const),
          ),
          { maxLength: 12 },
        )
        .map((pairs) => new Map(pairs)),
    }),
  );

const tokensOf = (characters: number): number => Math.ceil(characters / 2);

/** Starts a turn in a chat with choices. Returns the turn and its request. */
function requestOf({ turns, next, settings, summarized }: Case, choices: PartChoices | undefined) {
  const before: Conversation = {
    ...emptyConversation('c'),
    turns,
    summaries: summariesOf(turns[summarized - 1]),
    ...(choices && { partChoices: choices }),
  };
  const cut = cutFor(next.question, 'm', before, settings, tokensOf);
  const conversation = reduce(before, {
    type: 'turn-start',
    id: next.id,
    question: next.question,
    model: 'm',
    json: false,
    at: 1,
    ...cut,
  });
  const { running: turn } = conversation;
  assert.ok(turn);
  const { request, ...source } = composeRequest(conversation, turn, settings, tools);
  const parts = requestParts(request, source);
  const possible = possibleParts(conversation, turn, settings, tools);
  const listed = listParts(parts, possible, turn);
  return { conversation, turn, request, source, parts, possible, listed };
}

function summariesOf(last: Turn | undefined): readonly Summary[] | undefined {
  return last && [{ id: 's', text: 'What was said before.', upTo: last.id, model: 'm', at: 0 }];
}

function chosenIn({ chosen }: Case): PartChoices | undefined {
  return [...chosen].reduce<PartChoices | undefined>(
    (choices, [key, choice]) => changeChoices(choices, [key], choice),
    undefined,
  );
}

function assertLaw(law: (generated: Case, made: ReturnType<typeof requestOf>) => void): void {
  fc.assert(
    fc.property(cases, (generated) => law(generated, requestOf(generated, chosenIn(generated)))),
    { numRuns: runs(400) },
  );
}

const isSent = (parts: readonly RequestPart[], id: string): boolean =>
  parts.some((part) => part.kind === 'message' && part.turn === id);

describe('a request with excluded parts', () => {
  it('equals its parts, byte for byte', () => {
    assertLaw((_, { request, source: { pieces } }) => {
      const body: unknown = JSON.parse(JSON.stringify(requestBody(request)));
      assert.deepEqual(joinedParts(requestParts(request, { pieces })), body);
    });
  });

  it('contains no excluded part', () => {
    assertLaw(({ chosen, next }, { parts }) => {
      for (const part of parts) {
        const isExcluded = (key: string): boolean => chosen.get(key) === 'left-out';
        if (part.kind === 'tool') assert.ok(!isExcluded(partKey.tool(part.name)));
        if (part.kind === 'custom') assert.ok(!isExcluded(partKey.instructions));
        if (part.kind === 'instructions') assert.ok(!isExcluded(partKey.file(part.name)));
        if (part.kind === 'attachment') assert.ok(!isExcluded(partKey.attachment(part.id)));
        if (part.turn !== '' && part.turn !== next.id)
          assert.ok(!isExcluded(partKey.turn(part.turn)));
        if (part.kind === 'result' && isExcluded(partKey.result(part.turn, part.id)))
          assert.equal(part.text, leftOutResult);
      }
      assert.ok(isSent(parts, next.id), 'the new message');
    });
  });

  it('refers only to text that it contains', () => {
    assertLaw(({ turns, next }, { parts }) => {
      const attachments = [...turns, next].flatMap(({ question }) => question.attachments);
      const known = new Map<string, string>();
      for (const { kind, id, text: sent } of parts) {
        const attachment = attachments.find((candidate) => candidate.id === id);
        if (kind !== 'attachment' || attachment === undefined) continue;
        const { path, text } = attachment;
        const before = known.get(path);
        if (sent.includes('unchanged since')) assert.equal(before, text);
        else if (sent.includes('as a diff')) {
          const removed = sent.split('\n').filter((line) => line.startsWith('-'));
          assert.ok(
            before !== undefined && removed.every((line) => before.includes(line.slice(1))),
          );
        } else assert.ok(sent.includes(text));
        known.set(path, text);
      }
    });
  });

  it('is the original request when everything is included again', () => {
    assertLaw((generated, made) => {
      const { chosen } = generated;
      const plain = requestOf(generated, undefined);
      const back = reduce(made.conversation, { type: 'part-choice', parts: [...chosen.keys()] });
      assert.equal(back.partChoices, undefined);
      const again = requestOf(generated, back.partChoices);
      assert.equal(JSON.stringify(again.request), JSON.stringify(plain.request));
    });
  });

  it('is the same if nothing is excluded and everything fits', () => {
    assertLaw((generated) => {
      const settings = { ...generated.settings, contextWindow: undefined };
      const roomy = { ...generated, summarized: 0, settings };
      const pinned = changeChoices(
        undefined,
        keysOf([...generated.turns, generated.next]),
        'pinned',
      );
      assert.equal(
        JSON.stringify(requestOf(roomy, pinned).request),
        JSON.stringify(requestOf(roomy, undefined).request),
      );
    });
  });

  it('contains no text about tools if all tools are excluded', () => {
    assertLaw((generated) => {
      const all = changeChoices(undefined, toolNames.map(partKey.tool), 'left-out');
      const { request, conversation, turn } = requestOf(generated, all);
      const without = buildRequest(
        conversation,
        { ...turn, withoutTools: true },
        generated.settings,
        tools,
      );
      assert.equal(request.tools, undefined);
      assert.equal(JSON.stringify(request), JSON.stringify(without));
    });
  });
});

describe('a pinned part', () => {
  const isAnswered = ({ parts }: Turn): boolean =>
    parts.some((part) => (part.type === 'text' ? part.text.trim() !== '' : false));

  it('is sent with its whole turn, however small the window is', () => {
    assertLaw(({ turns, chosen }, { parts }) => {
      for (const turn of turns.filter(isAnswered)) {
        const keys = keysOf([turn]).filter((key) => chosen.get(key) === 'pinned');
        const ownKeys = keys.filter((key) => !/^(tool|file|instructions)/.test(key));
        const isExcluded = chosen.get(partKey.turn(turn.id)) === 'left-out';
        if (ownKeys.length > 0 && !isExcluded) assert.ok(isSent(parts, turn.id), turn.id);
      }
    });
  });

  it('takes room from older turns that are not pinned', () => {
    const createTurn = (id: string, length: number): Turn =>
      turnWith({ id, parts: [{ type: 'text', text: 'x'.repeat(length) }] });
    const turns = ['a', 'b', 'c', 'd'].map((id) => createTurn(id, 3000));
    const generated: Case = {
      turns,
      next: { ...createTurn('new', 0), parts: [] },
      settings: { instructions: '', stream: true, options: {}, contextWindow: 10_000 },
      chosen: new Map([[partKey.turn('a'), 'pinned']]),
      summarized: 0,
    };
    const sentOf = (choices: PartChoices | undefined): string =>
      requestOf(generated, choices)
        .parts.filter(({ kind }) => kind === 'message')
        .map(({ turn }) => turn)
        .join(' ');
    assert.equal(sentOf(undefined), 'c d new');
    assert.equal(sentOf(chosenIn(generated)), 'a d new');
    const newest = { [partKey.turn('c')]: 'left-out', [partKey.turn('d')]: 'left-out' } as const;
    assert.equal(sentOf(newest), 'a b new', 'What is left out leaves room.');
  });
});

describe('a pinned result', () => {
  it('is sent in full while other old results are shortened to one line', () => {
    const result = 'x'.repeat(2500);
    const called = (id: string): Turn =>
      turnWith({
        id,
        parts: [
          { ...call, result, type: 'tool-call' },
          { type: 'text', text: 'Because.' },
        ],
      });
    const generated: Case = {
      turns: ['a', 'b', 'c'].map(called),
      next: { ...called('new'), parts: [] },
      settings: { instructions: '', stream: true, options: {}, contextWindow: 9000 },
      chosen: new Map(),
      summarized: 0,
    };
    const sentOf = (pinned: readonly string[]): readonly number[] =>
      requestOf(generated, changeChoices(undefined, pinned, 'pinned'))
        .parts.filter(({ kind }) => kind === 'result')
        .map(({ text }) => text.length);
    const [first = 0, second = 0, third = 0] = sentOf([]);
    assert.ok(first < 200 && second < 200 && third === 2500, 'The oldest are one line each.');
    assert.equal(sentOf([partKey.result('a', 'call_1')])[0], 2500);
    assert.equal(sentOf([partKey.turn('a')])[0], 2500);
  });
});

describe('the list of parts', () => {
  it('contains all sent parts in order, and the excluded ones in their positions', () => {
    assertLaw(({ chosen, settings }, { parts, possible, listed }) => {
      const sent = listed.flatMap((entry) => entry.sent ?? []);
      assert.deepEqual(
        sent,
        parts.map((_, index) => index),
      );
      for (const entry of listed) {
        const same = entry.sent === undefined ? undefined : parts[entry.sent];
        if (entry.unsent === undefined) assert.equal(entry.part, same);
        if (entry.unsent === 'room') assert.notEqual(settings.contextWindow, undefined);
        if (entry.key !== undefined) assert.equal(entry.choice, chosen.get(entry.key));
        if (entry.choice === 'left-out') assert.equal(entry.unsent, 'left-out');
      }
      if (possible.length === 0) return;
      // The words before instructions are listed once where two messages need some.
      const placesOf = (all: readonly RequestPart[]): readonly string[][] =>
        all
          .filter(({ kind, name }) => kind !== 'option' && (kind !== 'instructions' || name !== ''))
          .map(({ kind, name, id, turn }) => [kind, name, id, turn]);
      assert.deepEqual(placesOf(listed.map(({ part }) => part)), placesOf(possible));
    });
  });

  it('identifies the excluded part at which the cached prefix ends', () => {
    assertLaw((generated) => {
      const roomy = { ...generated, settings: { ...generated.settings, contextWindow: undefined } };
      const before = requestOf(roomy, undefined);
      for (const entry of before.listed) {
        if (entry.key === undefined) continue;
        const choices: PartChoices = { [entry.key]: 'left-out' };
        const after = requestOf(roomy, choices);
        const differing = firstDifference(after.parts, before.parts);
        const broken = after.listed[brokenPart(after.listed, before.parts, differing)];
        const isSame = broken?.part.turn === entry.part.turn && broken.unsent === 'left-out';
        assert.ok(isSame, `${entry.key} and not ${JSON.stringify(broken)}`);
      }
    });
  });
});

function firstDifference(next: readonly RequestPart[], last: readonly RequestPart[]): number {
  return last.findIndex((part, at) => JSON.stringify(part) !== JSON.stringify(next[at]));
}

describe('choices about parts', () => {
  const keys = fc.array(fc.constantFrom(...toolNames.map(partKey.tool), partKey.turn('t')), {
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

  it('are read back from the journal', () => {
    fc.assert(
      fc.property(event, (change) => {
        const { type, parts, choice: made } = change;
        const stored = { type, parts, ...(made && { choice: made }) };
        assert.deepEqual(readEvent(writeEvent(stored, 1))?.event, stored);
      }),
      { numRuns: runs(100) },
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
