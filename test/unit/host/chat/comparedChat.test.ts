import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { comparedTurns, runningTurns } from '../../../../src/core/conversation/comparison.ts';
import { turnText, type Turn } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { pathOf, turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { writeEvent } from '../../../../src/core/conversation/record.ts';
import { addUsage, zeroUsage, type Usage } from '../../../../src/core/conversation/usage.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { defineTool } from '../../../../src/core/tools/tool.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import { Composer } from '../../../../src/host/attachments/composer.ts';
import { Chat } from '../../../../src/host/chat/chat.ts';
import { MessageQueue } from '../../../../src/host/chat/messageQueue.ts';
import { countedClient } from '../../../support/countedClient.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { anyLook } from '../../../support/toolTurn.ts';
import { FakeMemento } from '../fakes.ts';
import { plain } from '../../core/conversation/usedChat.ts';

const usage: Usage = { ...zeroUsage, prompt_tokens: 2, total_tokens: 2, requests: 1 };
const allTools = ['look', 'change', 'start', 'other'];

const tools = [
  ['look', 'read'],
  ['change', 'edit'],
  ['start', 'run'],
  ['other', 'external'],
] as const;

const called: string[] = [];

function toolbox(clock: ManualClock): Toolbox {
  const list = tools.map(([name, category]) =>
    defineTool({
      ...anyLook,
      name,
      category,
      description: name,
      schema: z.strictObject({}),
      title: () => name,
      run: () => {
        called.push(name);
        return Promise.resolve('Done.');
      },
    }),
  );
  return new Toolbox(list, { clock, redactor: createRedactor(), onError: () => undefined });
}

function queueOf(chat: Chat): MessageQueue {
  const composer = new Composer(new FakeMemento(), () => Promise.resolve(true));
  return new MessageQueue({
    chat,
    composer,
    restoreToDraft: () => undefined,
    onRefused: assert.ifError,
  });
}

/** Models whose replies end immediately. Those in `hang` end when released or stopped. */
class Models {
  readonly requests: CompletionRequest[] = [];
  readonly #held = new Map<string, () => void>();
  /** Tool that each model calls before it replies. */
  calls: string | undefined;
  hang: readonly string[] = [];
  failing: readonly string[] = [];

  readonly client: Client = {
    address: { baseUrl: '', origin: '', host: '' },
    listModels: () => Promise.resolve([]),
    stream: (request, signal) => this.#reply(request, signal),
  };

  release(model: string): void {
    this.hang = this.hang.filter((held) => held !== model);
    this.#held.get(model)?.();
  }

  async *#reply(
    request: CompletionRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<CompletionEvent, void> {
    this.requests.push(request);
    const { model } = request;
    if (this.failing.includes(model)) throw new Error(`No ${model}.`);
    const isCall = this.calls !== undefined && request.messages.at(-1)?.role === 'user';
    if (!isCall) yield { type: 'text', text: `${model} says ${this.requests.length}` };
    if (this.hang.includes(model) && signal?.aborted !== true)
      await new Promise<void>((resolve) => {
        this.#held.set(model, resolve);
        signal?.addEventListener('abort', () => resolve());
      });
    signal?.throwIfAborted();
    const toolCalls = isCall ? [{ id: 'x', name: this.calls ?? '', arguments: '{}' }] : [];
    const fields = { usage, model: undefined, fault: undefined };
    const completion = { finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
    yield { type: 'end', completion: { ...completion, ...fields, toolCalls } };
  }
}

function rig() {
  const clock = new ManualClock();
  const models = new Models();
  const chat = new Chat({
    clock,
    connect: () => Promise.resolve({ client: countedClient(models.client), demo: false }),
    settings: () => ({ instructions: '', stream: true, options: {} }),
    meter: { estimate: () => 1, learn: () => undefined },
    checkMessage: () => Promise.resolve(),
    tools: () => Promise.resolve({ toolbox: toolbox(clock), maxRounds: 25 }),
    onToolsRefused: () => undefined,
    describe: (error) => ({ kind: 'x', message: String(error) }),
  });
  const lines: string[] = [];
  chat.onDidChange((change) => {
    if (change.type === 'event') lines.push(writeEvent(change.event, lines.length + 1));
  });
  const until = (done: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      if (done()) {
        resolve();
        return;
      }
      const listening = chat.onDidChange(() => {
        if (!done()) return;
        listening.dispose();
        resolve();
      });
    });
  return { chat, models, lines, until };
}

const message = (text: string) => ({ text, attachments: [] });

function toolsOf({ tools: sent = [] }: CompletionRequest): string[] {
  return sent.map((tool) => tool.function.name);
}

/** The texts of a request without its system message. */
function textsOf({ messages }: CompletionRequest): (string | null)[] {
  return messages.slice(1).map(({ content }) => content);
}

function exchange(turns: readonly Turn[]): string[] {
  return turns.flatMap((turn) =>
    turnText(turn) === '' ? [] : [turn.question.text, turnText(turn)],
  );
}

type Act =
  | 'send'
  | 'compare'
  | 'choose'
  | 'again'
  | 'retry'
  | 'edit'
  | 'select'
  | 'stop'
  | 'once more';

const acts = fc.array(
  fc.record({
    act: fc.constantFrom<Act[]>(
      ...(['send', 'compare', 'compare', 'choose', 'again'] as const),
      ...(['retry', 'edit', 'select', 'stop', 'once more'] as const),
    ),
    at: fc.nat(20),
  }),
  { minLength: 1, maxLength: 14, size: 'max' },
);

const several = (at: number): string[] => ['a', 'b', 'c'].slice(0, 2 + (at % 2));

async function perform({ chat, models, until }: ReturnType<typeof rig>, act: Act, at: number) {
  const { turns } = chat.conversation;
  const turn = turns[at % Math.max(1, turns.length)];
  const columns = comparedTurns(chat.conversation);
  const column = columns[at % Math.max(1, columns.length)];
  models.failing = at % 5 === 0 ? ['b'] : [];
  if (act === 'compare') await chat.compare(message(`Why ${at % 3}?`), several(at));
  else if (act === 'choose' && column !== undefined)
    await chat.changeBetweenTurns({ type: 'version-select', turn: column.id });
  else if (act === 'again' && column !== undefined) await chat.resend(column.id, {});
  else if (act === 'retry' && turn !== undefined) await chat.resend(turn.id, { model: 'c' });
  else if (act === 'edit' && turn !== undefined) await chat.resend(turn.id, { text: 'How?' });
  else if (act === 'once more' && turn !== undefined)
    await chat.compare(turn.question, several(at), turn.id);
  else if (act === 'select') {
    const other = chat.conversation.others?.at(-1)?.paths[0]?.[0];
    if (other !== undefined)
      await chat.changeBetweenTurns({ type: 'version-select', turn: other.id });
  } else if (act === 'stop') {
    models.failing = [];
    models.hang = ['b', 'c'];
    const comparing = chat.compare(message('Stop?'), several(at));
    await until(() => runningTurns(chat.conversation).some(({ parts }) => parts.length > 0));
    chat.stop();
    await comparing;
    models.hang = [];
  } else await chat.send(message(`Why ${at % 3}?`), 'a');
}

describe('a chat that compares models', () => {
  it('loses nothing, counts everything and is read back unchanged, whatever is done with it', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (steps) => {
        const used = rig();
        const { chat, models, lines } = used;
        for (const { act, at } of steps) await perform(used, act, at);
        const { conversation } = chat;
        const turns = turnsOfAllPaths(conversation);
        const ids = turns.map(({ id }) => id);
        const started = lines.filter((line) => /"type":"(?:compared-)?turn-start"/.test(line));
        assert.equal(new Set(ids).size, ids.length);
        assert.equal(ids.length, started.length);
        const read = readJournal(conversation.id, lines.join('')).conversation;
        assert.deepEqual(plain(read), plain(conversation));
        const sums = Object.values(conversation.usage).reduce(addUsage, zeroUsage);
        const sum = turns.reduce((all, turn) => addUsage(all, turn.usage ?? zeroUsage), zeroUsage);
        assert.deepEqual(sums, sum);
        assert.equal(chat.isRunning, false);
        // The next message continues the shown path, with all tools.
        models.failing = [];
        const { length } = comparedTurns(conversation);
        await chat.send(message('And now?'), 'a');
        const request = models.requests.at(-1);
        assert.ok(request !== undefined && length >= 0);
        assert.deepEqual(toolsOf(request), allTools);
        const path = pathOf(chat.conversation);
        assert.equal(chat.conversation.compared, undefined);
        assert.deepEqual(textsOf(request), [...exchange(path.slice(0, -1)), 'And now?']);
      }),
      { numRuns: runs(60) },
    );
  });

  it('sends the same message to all of them at once, with read-only tools', async () => {
    const { chat, models, until } = rig();
    models.hang = ['a', 'b', 'c'];
    const comparing = chat.compare(message('Why?'), ['a', 'b', 'c']);
    const isReplying = ({ parts }: Turn): boolean => parts.length > 0;
    await until(() => comparedTurns(chat.conversation).filter(isReplying).length === 3);
    assert.deepEqual(
      models.requests.map(({ model }) => model),
      ['a', 'b', 'c'],
    );
    for (const request of models.requests) {
      assert.deepEqual(textsOf(request), ['Why?']);
      assert.deepEqual(toolsOf(request), ['look']);
    }
    for (const model of ['c', 'a', 'b']) models.release(model);
    const turns = await comparing;
    assert.deepEqual(
      turns.map(({ model, status }) => [model, status]),
      ['a', 'b', 'c'].map((model) => [model, 'finished']),
    );
  });

  it('runs no call of a tool that it did not offer', async () => {
    for (const [name] of tools) {
      const { chat, models } = rig();
      called.length = 0;
      models.calls = name;
      const turns = await chat.compare(message('Why?'), ['a', 'b']);
      assert.deepEqual(called, name === 'look' ? ['look', 'look'] : []);
      for (const { parts } of turns) {
        const [call] = parts.filter((part) => part.type === 'tool-call');
        assert.equal(call?.status, name === 'look' ? 'done' : 'failed');
      }
    }
  });

  it('offers all tools again when a reply is continued, which chooses it', async () => {
    const { chat, models } = rig();
    models.failing = ['a', 'b'];
    await chat.compare(message('Why?'), ['a', 'b']);
    models.failing = [];
    await chat.continue();
    assert.deepEqual(comparedTurns(chat.conversation), []);
    const offered = models.requests.map(toolsOf);
    assert.deepEqual(offered, [['look'], ['look'], tools.map(([name]) => name)]);
  });

  it('stops one of the replies, or all', async () => {
    const { chat, models, until } = rig();
    models.hang = ['a', 'b', 'c'];
    const comparing = chat.compare(message('Why?'), ['a', 'b', 'c']);
    await until(
      () => comparedTurns(chat.conversation).filter((turn) => turn.parts.length > 0).length === 3,
    );
    const [, second] = comparedTurns(chat.conversation);
    chat.stop(second?.id);
    await until(() => comparedTurns(chat.conversation)[1]?.endedAt !== undefined);
    assert.deepEqual(
      comparedTurns(chat.conversation).map(({ status }) => status),
      ['streaming', 'stopped', 'streaming'],
    );
    assert.ok(chat.isRunning);
    chat.stop();
    const turns = await comparing;
    assert.deepEqual(
      turns.map(({ status }) => status),
      ['stopped', 'stopped', 'stopped'],
    );
    assert.equal(chat.isRunning, false);
  });

  it('continues with the first that succeeded if the next message is sent without a choice', async () => {
    const { chat, models } = rig();
    models.failing = ['a'];
    await chat.compare(message('Why?'), ['a', 'b', 'c']);
    models.failing = [];
    await chat.send(message('How?'), 'a');
    assert.deepEqual(
      chat.conversation.turns.map(({ model }) => model),
      ['b', 'a'],
    );
    assert.equal(turnsOfAllPaths(chat.conversation).length, 4);
  });

  it('shows the request of the next message as it will be sent', async () => {
    const { chat, models } = rig();
    await chat.compare(message('Why?'), ['a', 'b']);
    const { request: planned } = await chat.planRequest(message('How?'), 'b');
    await chat.send(message('How?'), 'b');
    assert.deepEqual(models.requests.at(-1), planned);
  });

  it('queues messages sent meanwhile, and sends them once when all replies have ended', async () => {
    const { chat, models, until } = rig();
    const queue = queueOf(chat);
    models.hang = ['a', 'b'];
    const comparing = chat.compare(message('Why?'), ['a', 'b']);
    await until(
      () => comparedTurns(chat.conversation).filter((turn) => turn.parts.length > 0).length === 2,
    );
    queue.add(message('How?'), 'c');
    models.release('a');
    await until(() => comparedTurns(chat.conversation)[0]?.endedAt !== undefined);
    assert.equal(queue.messages.length, 1);
    models.release('b');
    await comparing;
    assert.deepEqual(queue.messages, []);
    await until(() => chat.conversation.turns.length === 2);
    assert.deepEqual(
      chat.conversation.turns.map(({ question }) => question.text),
      ['Why?', 'How?'],
    );
    queue.dispose();
  });

  it('holds them if the replies were stopped', async () => {
    const { chat, models, until } = rig();
    const queue = queueOf(chat);
    models.hang = ['b'];
    const comparing = chat.compare(message('Why?'), ['a', 'b']);
    await until(() => comparedTurns(chat.conversation)[0]?.status === 'finished');
    queue.add(message('How?'), 'c');
    chat.stop();
    await comparing;
    assert.equal(queue.messages.length, 1);
    queue.dispose();
  });

  it('keeps the other replies as versions of the chosen one, and offers all tools again', async () => {
    const { chat, models } = rig();
    const [first, second] = await chat.compare(message('Why?'), ['a', 'b']);
    assert.ok(first !== undefined && second !== undefined);
    await chat.changeBetweenTurns({ type: 'version-select', turn: second.id });
    await chat.resend(second.id, {});
    const request = models.requests.at(-1);
    assert.ok(request !== undefined);
    assert.deepEqual(toolsOf(request), allTools);
    assert.equal(turnsOfAllPaths(chat.conversation).length, 3);
    await chat.changeBetweenTurns({ type: 'version-select', turn: first.id });
    assert.deepEqual(
      chat.conversation.turns.map(({ id }) => id),
      [first.id],
    );
  });
});
