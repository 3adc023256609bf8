import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  type Attachment,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { partKey } from '../../../../src/core/conversation/partChoices.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { outlineUrl } from '../../../../src/core/support/image.ts';
import { scopeOfFolder } from '../../../../src/core/turn/instructionScope.ts';
import { turnStart } from '../../../../src/core/turn/nextTurn.ts';
import { buildRequest, type PromptSettings } from '../../../../src/core/turn/prompt.ts';
import { withUniqueIds } from '../../../../src/core/turn/runCalls.ts';
import { imageAttachment } from '../../../support/images.ts';
import { ManualClock } from '../../../support/manualClock.ts';

/** Ids as models give them, by the number of the call in the reply, or in the chat. */
const idForms: Readonly<Record<string, (inReply: number, inChat: number) => string>> = {
  mistral: (_, inChat) => `Ab${inChat}`.padEnd(9, 'x'),
  llama: (_, inChat) => `chatcmpl-tool-${inChat.toString(16).padStart(32, '0')}`,
  kimi: (_, inChat) => `functions.read_file:${inChat}`,
  // Numbered anew in each reply.
  gemma: (inReply) => `call_${inReply}`,
  // The signature of a thought, behind a gateway.
  gemini: (_, inChat) => `call_${inChat}__thought__${'Q/+='.repeat(100)}`,
  // The same for each call.
  qwen: () => 'call',
};
const models = Object.keys(idForms);
const services = ['https://a.test', 'https://b.test'];

export const files = [
  { path: 'AGENTS.md', text: 'Use tabs.' },
  { path: 'a/AGENTS.md', text: 'Be kind.', scope: scopeOfFolder('a/', '') },
  { path: 'b/AGENTS.md', text: 'Be brief.', scope: scopeOfFolder('b/', '') },
];
const skills = [{ path: 's/SKILL.md', text: '- s/SKILL.md: for tests' }];
export const tools = ['read_file', 'run_command'].map((name) => ({
  type: 'function' as const,
  function: { name, description: '', parameters: {} },
}));

const attachment = fc.oneof(
  fc.record({
    id: fc.constant(''),
    name: fc.constant('x.ts'),
    path: fc.constantFrom('x.ts', 'a/x.ts', 'b/x.ts'),
    language: fc.constant('ts'),
    text: fc.constantFrom('let x;', 'let x = 1;'),
  }),
  fc.constantFrom('a', 'b', 'c').map((digit): Attachment => imageAttachment(digit)),
);
/** One request of a turn: what is received of the reply. */
const reply = fc.record({
  text: fc.constantFrom('', '\n\n', 'I look. ', 'It is so. '.repeat(40)),
  reasoning: fc.constantFrom('', 'Hm.'),
  calls: fc.nat(3),
  /** Calls that have run, and those that ran when the turn was stopped. */
  done: fc.nat(3),
  begun: fc.nat(1),
  /** Written in full, but not run. */
  unrun: fc.boolean(),
  /** The attachments of each message that was added after the calls. */
  added: fc.array(fc.array(attachment, { maxLength: 1 }), { maxLength: 2 }),
});
const running = {
  rounds: fc.array(reply, { maxLength: 3 }),
  end: fc.constantFrom(...(['finished', 'length', 'stopped', 'cut', 'failed'] as const)),
};
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('send' as const),
      model: fc.constantFrom(...models),
      service: fc.constantFrom(...services),
      attachments: fc.array(attachment, { maxLength: 2 }),
      text: fc.oneof(
        fc.constantFrom('Why?', '', 'x.ts:\n```ts\nlet x;\n```\n\nWhy?'),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
      ),
      mode: fc.constantFrom('agent' as const, 'chat' as const),
      json: fc.boolean(),
      ...running,
    }),
  },
  fc.record({ type: fc.constant('continue' as const), ...running }),
  fc.record({
    type: fc.constant('retry' as const),
    turn: fc.nat(3),
    model: fc.constantFrom(...models),
    service: fc.constantFrom(...services),
    ...running,
  }),
  fc.record({ type: fc.constant('shorten' as const), turn: fc.nat(3) }),
  fc.record({
    type: fc.constant('choose' as const),
    turn: fc.nat(3),
    part: fc.constantFrom('turn', 'result', 'attachment', 'file', 'tool'),
    choice: fc.constantFrom('left-out' as const, 'pinned' as const),
  }),
);
type ValueOf<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;
export type Step = ValueOf<typeof step>;
/** A chat of these steps, and the settings of its requests. */
export const chats = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
  settings: fc.record({
    instructions: fc.constantFrom('', 'Reply in French.'),
    files: fc.subarray(files),
    skills: fc.subarray(skills),
    contextWindow: fc.constantFrom(undefined, 2500, 4000, 20_000),
    takesImages: fc.boolean(),
  }),
});

export type ChatSteps = ValueOf<typeof chats>;

export interface SentRequest {
  readonly conversation: Conversation;
  readonly turn: Turn;
  readonly settings: PromptSettings;
  readonly request: CompletionRequest;
  /** What its service signs the calls of its model with. */
  readonly signature: string;
  /** The ids that its model gave at its service. */
  readonly own: ReadonlySet<string>;
}

/** A chat that takes steps, and all requests that it sends. */
class RandomChat {
  readonly requests: SentRequest[] = [];
  #conversation: Conversation = emptyConversation('c');
  #service = '';
  #turns = 0;
  #calls = 0;
  readonly #given = new Map<string, Set<string>>();
  readonly #settings: PromptSettings;

  constructor({ takesImages, ...settings }: ChatSteps['settings']) {
    this.#settings = {
      ...settings,
      stream: true,
      options: {},
      // One image is missing.
      images: takesImages
        ? ({ image }) =>
            image === undefined || image.hash.startsWith('c') ? undefined : outlineUrl(image)
        : undefined,
    };
  }

  take(taken: Step): void {
    const { turns } = this.#conversation;
    switch (taken.type) {
      case 'send':
        this.#apply({ type: 'options-change', options: { mode: taken.mode, json: taken.json } });
        this.#send(taken, {
          text: taken.text,
          attachments: taken.attachments.map((attached, index) => ({
            ...attached,
            id: `${this.#turns}-${index}`,
          })),
        });
        return;
      case 'retry': {
        const turn = turns.at(-1 - taken.turn);
        if (turn === undefined) return;
        this.#apply({ type: 'turn-remove', id: turn.id });
        this.#send(taken, turn.question);
        return;
      }
      case 'continue':
        if (turns.length === 0) return;
        this.#apply({ type: 'turn-continue', at: 1 });
        this.#run(taken);
        return;
      case 'shorten': {
        const upTo = turns.at(-1 - taken.turn)?.id;
        const id = `s${this.#turns}`;
        if (upTo !== undefined)
          this.#apply({
            type: 'chat-shorten',
            summary: { id, upTo, text: 'All.', model: '', at: 1 },
          });
        return;
      }
      case 'choose':
        this.#choose(taken);
    }
  }

  #choose({ turn: back, part, choice }: Extract<Step, { type: 'choose' }>): void {
    const turn = this.#conversation.turns.at(-1 - back);
    const call = turn?.parts.find(({ type }) => type === 'tool-call');
    const keys = {
      turn: turn && partKey.turn(turn.id),
      result: turn && call?.type === 'tool-call' ? partKey.result(turn.id, call.id) : undefined,
      attachment: partKey.attachment(turn?.question.attachments[0]?.id ?? ''),
      file: partKey.file('AGENTS.md'),
      tool: partKey.tool('read_file'),
    };
    const key = keys[part];
    if (key !== undefined) this.#apply({ type: 'part-choice', parts: [key], choice });
  }

  #send(
    sent: Extract<Step, { type: 'send' | 'retry' }>,
    question: { readonly text: string; readonly attachments: readonly Attachment[] },
  ): void {
    this.#service = sent.service;
    const start = turnStart(question, sent.model, this.#conversation, {
      clock: new ManualClock(),
      settings: () => ({ ...this.#settings, service: sent.service }),
      meter: { estimate: (_, characters) => Math.ceil(characters / 2), learn: () => undefined },
    });
    this.#apply({ ...start, id: `t${this.#turns++}` });
    this.#run(sent);
  }

  #run({ rounds, end }: Pick<Extract<Step, { type: 'continue' }>, 'rounds' | 'end'>): void {
    for (const [index, reply] of rounds.entries()) {
      this.#request();
      const isBroken = index === rounds.length - 1 && end !== 'finished';
      this.#receive(reply, isBroken);
      if (isBroken || reply.calls === 0) break;
      for (const [number, attached] of reply.added.entries()) {
        const id = `${this.#turns} ${index} ${number}`;
        const attachments = attached.map((attachment) => ({ ...attachment, id }));
        const message = { text: 'Also this.', attachments };
        this.#apply({ type: 'turn-message', id, message, at: 2 });
      }
      if (index === rounds.length - 1) this.#request();
    }
    if (rounds.length === 0) this.#request();
    const ended =
      end === 'length' ? ({ status: 'finished', finishReason: end } as const) : { status: end };
    this.#apply({ type: 'turn-end', ...ended, at: 9 });
  }

  #request(): void {
    const turn = this.#conversation.running;
    assert.ok(turn);
    const settings = { ...this.#settings, service: this.#service };
    const signature = `${this.#service} ${turn.model}`;
    this.requests.push({
      conversation: this.#conversation,
      turn,
      settings,
      request: buildRequest(this.#conversation, turn, settings, tools),
      signature,
      own: new Set(this.#given.get(signature)),
    });
  }

  /** @param isBroken the reply, or the run of its calls, ends early */
  #receive(
    { text, reasoning, calls, done, begun, unrun }: ValueOf<typeof reply>,
    isBroken: boolean,
  ): void {
    const turn = this.#conversation.running;
    assert.ok(turn);
    this.#apply({ type: 'request-start' });
    if (reasoning !== '') this.#apply({ type: 'reasoning-delta', text: reasoning, at: 1 });
    if (text !== '') this.#apply({ type: 'text-delta', text, at: 1 });
    const { model } = turn;
    const signature = `${this.#service} ${model}`;
    const given = this.#given.get(signature) ?? new Set();
    this.#given.set(signature, given);
    const written = Array.from({ length: calls }, (_, index) => ({
      id: idForms[model]?.(index, this.#calls++) ?? '',
      name: 'read_file',
      arguments: '{}',
      trace: { service: this.#service, call: { signature } },
    }));
    const round = 1 + Math.max(0, ...turn.parts.map((part) => ('round' in part ? part.round : 0)));
    const unique = withUniqueIds(written, turn.parts);
    if (unrun && isBroken) {
      for (const call of unique)
        this.#apply({ type: 'tool-call-end', call: { ...call, outcome: 'denied' } });
      return;
    }
    for (const call of unique) {
      given.add(call.id);
      this.#apply({ type: 'tool-call-start', call: { ...call, round }, at: 1 });
    }
    for (const [index, { id }] of unique.entries()) {
      if (isBroken && index >= done + begun) break;
      this.#apply({ type: 'tool-call-run', id, at: 1 });
      if (isBroken && index >= done) break;
      this.#apply({
        type: 'tool-call-result',
        id,
        outcome: 'done',
        result: 'Text. '.repeat(90),
        at: 1,
      });
    }
  }

  #apply(event: ConversationEvent): void {
    this.#conversation = reduce(this.#conversation, event);
  }
}

/** All requests that a chat sends. */
export function requestsOf({ steps, settings }: ChatSteps): readonly SentRequest[] {
  const chat = new RandomChat(settings);
  for (const taken of steps) chat.take(taken);
  return chat.requests;
}

/** Any request of any chat. */
export const requests = chats
  .map(requestsOf)
  .filter((all) => all.length > 0)
  .chain((all) => fc.constantFrom(...all));
