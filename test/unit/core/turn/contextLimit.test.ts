import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  type Attachment,
  type Conversation,
  type Part,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { findFirstSent } from '../../../../src/core/turn/contextLimit.ts';
import { type ContextCut } from '../../../../src/core/turn/sentTurns.ts';
import { buildRequest, cutFor } from '../../../../src/core/turn/prompt.ts';
import { turnWith } from '../../../support/turns.ts';

const textLength = ({ parts }: Turn): number =>
  parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);

function turnsOf(lengths: readonly number[]): Turn[] {
  return lengths.map((length, index) =>
    turnWith({ id: `t${index}`, parts: [{ type: 'text', text: 'x'.repeat(length) }] }),
  );
}

describe('findFirstSent', () => {
  it('omits nothing if everything fits', () => {
    const room = { characters: 100, fixedCharacters: 10 };
    assert.equal(findFirstSent(turnsOf([40, 50]), textLength, room), undefined);
    assert.equal(findFirstSent([], textLength, room), undefined);
  });

  it('omits all turns if the message alone is too long', () => {
    assert.equal(
      findFirstSent(turnsOf([40, 50]), textLength, { characters: 100, fixedCharacters: 500 }),
      '',
    );
  });

  it('fits the remaining turns, and omits at most two quarters more than needed', () => {
    const turns = fc.array(fc.nat(30), { maxLength: 60 });
    fc.assert(
      fc.property(turns, fc.integer({ min: 100, max: 400 }), fc.nat(80), (lengths, most, fixed) => {
        const room = { characters: most, fixedCharacters: fixed };
        const first = findFirstSent(turnsOf(lengths), textLength, room);
        const index = first === undefined ? 0 : Number(first.slice(1));
        const sent = first === '' ? [] : lengths.slice(index);
        const sum = sent.reduce((total, length) => total + length, fixed);
        assert.ok(sum <= most);
        if (first !== undefined && first !== '') assert.ok(sum + most / 4 + 30 >= most);
      }),
    );
  });
});

/** Content of a turn: lengths of its text and results, and the number of an attached file. */
interface Shape {
  readonly text: number;
  readonly results: readonly number[];
  readonly file?: number | undefined;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  text: fc.nat(600),
  results: fc.array(fc.nat(3000), { maxLength: 4 }),
  file: fc.option(fc.nat(2), { nil: undefined }),
});
const anyChat = fc.array(shape, { minLength: 1, maxLength: 40 });
/** Windows in tokens, from one that fits nothing to one that fits everything. */
const anyWindow = fc.integer({ min: 2500, max: 60_000 });

const model = 'm';
const tokensOf = (characters: number): number => characters / 4;
/** Characters of a window for messages, without the system message and the tools. */
const roomOf = (window: number): number => window * 3 - 6000;

function fileOf(number: number): Attachment {
  const name = `${number}.ts`;
  const text = `file ${number} `.repeat(60);
  return { id: name, kind: 'file', name, path: name, language: '', text };
}

function partsOf(id: string, { text, results }: Shape): readonly Part[] {
  const calls = results.map((length, index): Part => ({
    type: 'tool-call',
    id: `${id}-${index}`,
    name: 'read_file',
    arguments: '{}',
    round: index + 1,
    status: 'done',
    result: 'r'.repeat(length),
    startedAt: 0,
  }));
  return [...calls, { type: 'text', text: `reply ${'x'.repeat(text)}` }];
}

function turnOf(index: number, { file, ...parts }: Shape, cut: ContextCut): Turn {
  const id = `t${index}`;
  const attachments = file === undefined ? [] : [fileOf(file)];
  return turnWith({
    id,
    question: { text: `Message ${index}`, attachments },
    model,
    parts: partsOf(id, { ...parts, file }),
    ...cut,
  });
}

interface Sent {
  readonly cut: ContextCut;
  readonly messages: readonly WireMessage[];
  readonly conversation: Conversation;
}

function sendAll(
  shapes: readonly Shape[],
  windowAt: (index: number) => number | undefined,
  estimate: (index: number) => (characters: number) => number = () => tokensOf,
): readonly Sent[] {
  let conversation = emptyConversation('c');
  return shapes.map((shape, index) => {
    const settings = {
      instructions: '',
      stream: true,
      options: {},
      contextWindow: windowAt(index),
    };
    const planned = turnOf(index, shape, {});
    const cut = cutFor(planned.question, model, conversation, settings, estimate(index));
    const running = { ...planned, ...cut, parts: [] };
    const { messages } = buildRequest({ ...conversation, running }, running, settings);
    const before = conversation;
    conversation = { ...conversation, turns: [...before.turns, { ...planned, ...cut }] };
    return { cut, messages: messages.slice(1), conversation: before };
  });
}

/** Length as the limit counts it: earlier messages as JSON, the new one as text. */
function lengthOf(messages: readonly WireMessage[]): number {
  const before = messages.slice(0, -1);
  const lengths = before.map((message) => JSON.stringify(message).length);
  return lengths.reduce((sum, length) => sum + length, messages.at(-1)?.content?.length ?? 0);
}

const changesOf = (sent: readonly Sent[]): number =>
  sent.filter(({ cut }, index) => index > 0 && !isSame(cut, sent[index - 1]?.cut)).length;
const isSame = (cut: ContextCut, other: ContextCut = {}): boolean =>
  cut.firstSent === other.firstSent && cut.shortResultsBefore === other.shortResultsBefore;

/** Checks a law of chats and windows of any length. */
function assertLaw(law: (shapes: readonly Shape[], window: number) => void): void {
  fc.assert(fc.property(anyChat, anyWindow, law));
}

describe('the request of a long chat', () => {
  it('fits the window, unless the message alone is too long', () => {
    assertLaw((shapes, window) => {
      for (const { cut, messages } of sendAll(shapes, () => window))
        if (messages.length > 1)
          assert.ok(lengthOf(messages) <= roomOf(window), JSON.stringify(cut));
    });
  });

  it('is complete if the window is unknown', () => {
    const { cut } =
      sendAll(
        Array.from({ length: 30 }, () => ({ text: 100_000, results: [] })),
        () => undefined,
      ).at(-1) ?? {};
    assert.deepEqual(cut, {});
  });

  it('contains everything in full if it easily fits, and not if it does not fit', () => {
    assertLaw((shapes, window) => {
      const everything = sendAll(shapes, () => 10_000_000);
      for (const [index, { cut }] of sendAll(shapes, () => window).entries()) {
        const full = everything[index]?.messages ?? [];
        if (lengthOf(full) <= roomOf(window) / 2) assert.deepEqual(cut, {});
        if (lengthOf(full) > roomOf(window)) assert.notDeepEqual(cut, {});
      }
    });
  });

  it('omits no turn if shorter results are enough', () => {
    assertLaw((shapes, window) => {
      const turns = shapes.map((shape, index) => turnOf(index, shape, {}));
      const conversation = { ...emptyConversation('c'), turns };
      const settings = { instructions: '', stream: true, options: {}, contextWindow: window };
      const question = { text: 'And now?', attachments: [] };
      const cut = cutFor(question, model, conversation, settings, tokensOf);
      const placeOf = (id = 't0'): number => (id === '' ? turns.length : Number(id.slice(1)));
      const alone = (turn: Turn): number => {
        const settingsOfAny = { ...settings, contextWindow: undefined };
        const request = buildRequest(emptyConversation('c'), turn, settingsOfAny);
        const messages = request.messages.slice(1).filter((message) => !isContinue(message));
        return lengthOf([...messages, { role: 'user', content: '' }]);
      };
      const fixed = 6000 + question.text.length;
      const before = findFirstSent(turns, alone, {
        characters: window * 3,
        fixedCharacters: fixed,
      });
      assert.ok(placeOf(cut.firstSent) <= placeOf(before));
      assert.ok(placeOf(cut.shortResultsBefore) <= placeOf(before));
      const next = {
        ...turnOf(shapes.length, { text: 0, results: [] }, {}),
        question,
        parts: [],
      };
      const short = { ...next, shortResultsBefore: before };
      const { messages } = buildRequest(conversation, short, settings);
      if (lengthOf(messages.slice(1)) <= roomOf(window)) assert.equal(cut.firstSent, undefined);
    });
  });

  it('begins like the last request, unless the cut moves', () => {
    assertLaw((shapes, window) => {
      const sent = sendAll(shapes, () => window);
      for (const [index, { cut, messages }] of sent.entries()) {
        const last = sent[index - 1];
        if (last === undefined || cut.firstSent === '' || !isSame(cut, last.cut)) continue;
        assert.deepEqual(messages.slice(0, last.messages.length), last.messages);
      }
    });
  });

  it('moves the cut rarely, even if the estimate varies', () => {
    const shapes = Array.from({ length: 160 }, () => ({ text: 200, results: [800] }));
    const varying = (index: number) => (characters: number) =>
      (characters / 4) * (1 + (index % 2) * 0.01);
    const window = 10_000;
    const quarters = lengthOf(sendAll(shapes, () => 10_000_000).at(-1)?.messages ?? []) / 7500;
    for (const estimate of [() => tokensOf, varying]) {
      const changes = changesOf(sendAll(shapes, () => window, estimate));
      assert.ok(changes > 5 && changes <= 2 * quarters, `${changes} of ${quarters}`);
    }
  });

  it('shortens results before it omits turns, and says how to read them again', () => {
    const shapes = Array.from({ length: 12 }, () => ({ text: 100, results: [3000] }));
    const last = sendAll(shapes, () => 10_000).at(-1);
    assert.equal(last?.cut.firstSent, undefined);
    const results = (last?.messages ?? []).filter(({ role }) => role === 'tool');
    assert.equal(results.length, 11);
    const line =
      '[The result of read_file was left out to save space. Call the tool again if it is needed.]';
    assert.equal(results[0]?.content, line);
    assert.equal(results.at(-1)?.content, 'r'.repeat(3000));
    assert.ok(results.every(({ content }) => content === line || content?.length === 3000));
  });
});

function isContinue({ role, content }: WireMessage): boolean {
  return role === 'user' && content === 'Continue exactly where you stopped.';
}
