import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTaintedChat } from '../../../../src/core/approval/grants.ts';
import {
  emptyConversation,
  lastTurn,
  type Conversation,
  type Turn,
  partText,
} from '../../../../src/core/conversation/conversation.ts';
import { partKey } from '../../../../src/core/conversation/partChoices.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { previewTurn } from '../../../../src/core/turn/nextTurn.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import { zeroUsage as noUsage } from '../../../../src/core/conversation/usage.ts';
import { chatFileOf } from '../../../../src/core/history/chatFile.ts';
import { sideChatEvents, forkEvents } from '../../../../src/core/history/chatImport.ts';
import { paidUsage } from '../../../../src/host/usage/usageByModel.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { turnWith } from '../../../support/turns.ts';
import { anyConversation, readBack } from './anyConversation.ts';

/** The chat after forking, read back from its journal. */
function forkOf(conversation: Conversation, until?: string): Conversation {
  return readBack(forkEvents(conversation, 'A fork', until) ?? []);
}

/** The content of a turn without ids and approvals. */
const contentOf = ({ question, model, status, parts }: Turn): unknown => [
  question.text,
  question.attachments.map(({ path, text }) => [path, text]),
  [model, status],
  parts.map((part) =>
    part.type === 'tool-call'
      ? [part.name, part.arguments, part.result]
      : [part.type, partText(part)],
  ),
];

const keysOf = ({ id, question, parts }: Turn): readonly string[] => [
  partKey.turn(id),
  ...question.attachments.map((attachment) => partKey.attachment(attachment.id)),
  ...parts.flatMap((part) => (part.type === 'tool-call' ? partKey.result(id, part.id) : [])),
];

const isOwn = (name: string): boolean => name.length % 2 === 0;

describe('a fork of a chat', () => {
  it('has its preset, unlike a chat file', () => {
    const file = { isOwn: true, workspace: '', path: 'a.agent.md', name: 'A', text: 'x' };
    const preset = { ...file, instead: 'm' };
    const turn = turnWith({ endedAt: 1, parts: [{ type: 'text', text: 'Hello' }] });
    const chat = { ...emptyConversation('c'), turns: [turn] };
    const chosen = reduce(chat, { type: 'preset-change', preset });
    assert.deepEqual(forkOf(chosen).preset, preset);
    assert.doesNotMatch(JSON.stringify(chatFileOf(chosen, (text) => text)), /agent\.md/);
    assert.equal(reduce(chosen, { type: 'preset-change' }).preset, undefined);
  });

  it('has the same content up to a turn, and shares nothing else with the chat', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(), (conversation, number) => {
        const { turns } = chatFileOf(conversation, (text) => text, { reasoning: true });
        fc.pre(turns.length > 0);
        const until = turns[number % Math.max(1, turns.length)]?.id;
        const past = turns.slice(
          0,
          until === undefined ? 0 : turns.findIndex(({ id }) => id === until) + 1,
        );
        const fork = forkOf(conversation, until);
        assert.deepEqual(fork.turns.map(contentOf), past.map(contentOf));
        assert.equal(fork.running, undefined);
        assert.equal(fork.title, 'A fork');
        assert.deepEqual(fork.options, { ...conversation.options });
        assert.deepEqual(Object.keys(paidUsage(fork)), []);
        const old = new Set(turnsOfAllPaths(conversation).map(({ id }) => id));
        assert.ok(fork.turns.every(({ id }) => !old.has(id)));
        const taint = isTaintedChat({ ...emptyConversation('c'), turns: past }, isOwn);
        assert.equal(isTaintedChat(fork, isOwn), taint, 'The past is as foreign as it was.');
      }),
      { numRuns: runs(500) },
    );
  });

  it('is as untrusted as an imported chat, and so is a fork of the fork', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        fc.pre(lastTurn(conversation) !== undefined);
        const fork = forkOf({ ...conversation, importedUsage: { m: noUsage } });
        for (const copy of [fork, forkOf(fork)]) {
          assert.equal(
            isTaintedChat(copy, () => true),
            true,
          );
          assert.deepEqual(Object.values(copy.importedUsage ?? {}), []);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('excludes and pins the same parts, except missing ones', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const { turns } = chatFileOf(conversation, (text) => text);
        for (const until of [undefined, turns[0]?.id]) {
          const fork = forkOf(conversation, until);
          const choicesOf = ({ partChoices = {} }: Conversation, all: readonly Turn[]): unknown =>
            all.map((turn) => keysOf(turn).map((key) => partChoices[key]));
          const copiedTurns = turns.slice(0, fork.turns.length);
          assert.deepEqual(choicesOf(fork, fork.turns), choicesOf(conversation, copiedTurns));
          const ofParts = Object.keys(fork.partChoices ?? {}).filter(
            (key) => !/^(?:file:|instructions$)/.test(key),
          );
          assert.ok(ofParts.every((key) => conversation.partChoices?.[key] === undefined));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('contains the whole path if no turn is named, and is undefined for an unknown turn', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const { turns } = chatFileOf(conversation, (text) => text);
        assert.equal(forkOf(conversation).turns.length, turns.length);
        assert.equal(forkEvents(conversation, 'A fork', 'no such turn'), undefined);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a side chat', () => {
  /** The request of the next message as JSON. */
  const requestOf = (conversation: Conversation): string => {
    const settings = { instructions: 'Be brief.', stream: true, options: {} };
    const options = {
      clock: new ManualClock(),
      settings: () => settings,
      meter: { estimate: (_: string, characters: number) => characters, learn: () => undefined },
    };
    const message = { text: 'Why?', attachments: [] };
    const { turn, conversation: next } = previewTurn(message, 'm', conversation, options);
    return JSON.stringify(buildRequest(next, turn, settings));
  };

  it('sends the same request as the chat, byte for byte, without running turns', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const ended = { ...conversation, running: undefined };
        const side = readBack(sideChatEvents(conversation, 'Why?'));
        assert.equal(requestOf(side), requestOf(ended));
        assert.equal(side.running, undefined);
        assert.deepEqual(Object.keys(paidUsage(side)), [], 'It has used nothing yet.');
      }),
      { numRuns: runs(300) },
    );
  });

  it('has no turns if the chat has no reply', () => {
    const side = readBack(sideChatEvents(emptyConversation('c'), 'Why?'));
    assert.deepEqual([side.turns, side.title], [[], 'Why?']);
  });
});
