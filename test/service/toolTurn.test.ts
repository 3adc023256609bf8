import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import {
  turnText,
  type ToolCallPart,
  type Turn,
} from '../../src/core/conversation/conversation.ts';
import type { Usage } from '../../src/core/conversation/usage.ts';
import { BudgetExceededError, withinBudgets } from '../../src/core/service/budget.ts';
import type { WireMessage } from '../../src/core/service/wire.ts';
import { defineTool, type ToolContext } from '../../src/core/tools/tool.ts';
import { demoKey } from '../../src/local/models.ts';
import { callIdsOf } from '../support/chatTemplates.ts';
import { anyLook, change, look, toolRig, type ToolRig } from '../support/toolTurn.ts';

function callsOf({ parts }: Turn): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call');
}

function calledNames(message: WireMessage): readonly string[] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.map((call) => call.function.name);
}

const nothing = z.strictObject({});

const looks = ['0', '1', '2', '3', '4'].map((name) => [['look', { name }] as const]);
const fiveLooks = [...looks, 'Done.'];

/** A tool without parameters. */
function toolNamed(
  name: string,
  run: (context: ToolContext) => Promise<string>,
  more: { readonly category?: 'read' | 'edit' | 'run'; readonly deadline?: number } = {},
) {
  return defineTool({
    ...anyLook,
    name,
    category: 'read',
    description: 'Any.',
    schema: nothing,
    title: () => `Call ${name}`,
    run: (_, context) => run(context),
    ...more,
  });
}

/** A tool whose calls run until `release` is called. */
function pendingTool(name: string, category: 'read' | 'edit' = 'read') {
  const contexts: ToolContext[] = [];
  const release: (() => void)[] = [];
  const run = (context: ToolContext) => {
    contexts.push(context);
    return new Promise<string>((resolve) => release.push(() => resolve(`${name} is done`)));
  };
  const tool = toolNamed(name, run, { category });
  return { tool, contexts, release: () => release.splice(0).forEach((end) => end()) };
}

describe('a turn with tools', () => {
  it('runs calls with the id of its conversation, so that approvals apply to no other', async () => {
    const waiting = pendingTool('waiting');
    const rig = toolRig({ list: [waiting.tool], script: [[['waiting', {}]], 'Done.'] });
    const pending = rig.ask();
    await rig.happens('tool-call-run');
    waiting.release();
    await pending;
    assert.equal(waiting.contexts[0]?.conversation, rig.chat.conversation.id);
  });

  it('sends ids of calls as they came only to the service that they are from', async () => {
    let service = 'https://a.test';
    const rig: ToolRig = toolRig({
      list: [look],
      script: [[['look', { name: 'a' }]], 'Done.'],
      connect: () => Promise.resolve({ client: rig.client, demo: false, service }),
    });
    const [call] = callsOf(await rig.ask());
    assert.deepEqual(call?.trace, { service });
    await rig.ask('Again?');
    service = 'https://a.test#second';
    await rig.ask('And now?');
    const ids = rig
      .requests()
      .slice(1)
      .map(({ messages }) => callIdsOf(messages).join());
    assert.deepEqual(ids.slice(0, 2), ['call_000001', 'call_000001']);
    assert.match(ids[2] ?? '', /^[a-zA-Z0-9]{9}$/);
  });

  it('sends the same beginning in every round, byte by byte', async () => {
    const rig = toolRig({
      list: [look, change],
      script: [
        [['look', { name: 'a' }]],
        [
          ['look', { name: 'b' }],
          ['change', { name: 'stone' }],
        ],
        [['look', '{"name": "c"}']],
        'Done.',
        [['look', { name: 'd' }]],
        'Again.',
      ],
    });
    await rig.ask('First?');
    await rig.ask('Second?');
    const requests = rig.requests();
    assert.equal(requests.length, 6);
    for (const [index, { messages, tools }] of requests.entries()) {
      const before = requests[index - 1];
      if (before === undefined) continue;
      assert.equal(JSON.stringify(tools), JSON.stringify(before.tools));
      const prefix = JSON.stringify(before.messages).slice(0, -1);
      assert.ok(JSON.stringify(messages).startsWith(`${prefix},`), `request ${index}`);
    }
  });

  it('ends before a round that exceeds the budget, and continues with a higher one', async () => {
    let limit = 2000;
    const rig: ToolRig = toolRig({
      list: [look],
      script: [[['look', { name: 'a' }]], [['look', { name: 'b' }]], 'Done.'],
      keep(request) {
        const requests = Object.values(rig.chat.conversation.usage).map((used) => used.requests);
        const spent = 1000 * requests.reduce((sum, count) => sum + count, 0);
        const budget = {
          of: 'chat',
          unit: 'tokens',
          limit,
          spent,
          reserved: 0,
          running: 0,
        } as const;
        const model = { price: undefined, maxReply: 4096 };
        return withinBudgets(request, 500, [budget], model).request;
      },
      describe: (error) => ({
        kind: error instanceof BudgetExceededError ? 'over-budget' : 'unexpected',
        message: String(error),
      }),
    });
    const turn = await rig.ask();
    assert.equal(turn.status, 'cut');
    assert.equal(turn.error?.kind, 'over-budget');
    assert.deepEqual(
      callsOf(turn).map(({ status }) => status),
      ['done', 'done'],
    );
    assert.equal(turn.usage?.requests, 2);
    assert.deepEqual(
      rig.requests().map(({ max_tokens }) => max_tokens),
      [750, 250],
    );
    limit = 5000;
    const next = await rig.ask('Go on.');
    assert.equal(turnText(next), 'Done.');
    const last = rig.requests().at(-1);
    assert.equal(last?.messages.filter(({ role }) => role === 'tool').length, 2);
  });

  it('tells the model what was wrong with a call', async () => {
    const rig = toolRig({
      list: [look],
      script: [
        [
          ['jump', { name: 'a' }],
          ['look', 'name: a'],
          ['look', { name: ['a'] }],
          ['look', { name: 'a', color: 'red' }],
        ],
        'I see.',
      ],
    });
    const results = callsOf(await rig.ask()).map(({ status, result = '' }) => [status, result]);
    assert.match(results[0]?.[1] ?? '', /no tool "jump".*look/s);
    assert.match(results[1]?.[1] ?? '', /not a JSON object/);
    assert.match(results[2]?.[1] ?? '', /name: .*"properties"/s);
    assert.match(results[3]?.[1] ?? '', /color/);
    assert.deepEqual(new Set(results.map(([status]) => status)), new Set(['failed']));
  });

  it('continues after a call whose name services refuse, and reports it to the model', async () => {
    const names = ['', 'functions.jump', 'look up', 'jump\n', 'functions.look', 'x'.repeat(200)];
    const calls = names.map((name) => [name, { name: 'a' }] as const);
    const rig = toolRig({ list: [look], script: [calls, 'Done.', 'Hello.'] });
    const turn = await rig.ask();
    assert.equal(turnText(turn), 'Done.');
    assert.equal(turnText(await rig.ask()), 'Hello.');
    assert.deepEqual(rig.requests().at(-1)?.messages.flatMap(calledNames), [
      'unknown',
      'functions_jump',
      'look_up',
      'jump_',
      'look',
      'x'.repeat(64),
    ]);
    const parts = callsOf(turn);
    assert.match(parts[0]?.result ?? '', /no tool ""/);
    assert.deepEqual(
      parts.map(({ status }) => status),
      ['failed', 'failed', 'failed', 'failed', 'done', 'failed'],
    );
  });

  it('runs 16 calls of a message, and gives each of the others an error as result', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => ['look', { name: `${index}` }] as const);
    const rig = toolRig({ list: [look], script: [calls, 'Done.'] });
    const parts = callsOf(await rig.ask());
    assert.equal(parts.filter(({ status }) => status === 'done').length, 16);
    assert.match(parts[16]?.result ?? '', /at most 16/);
    assert.equal(rig.requests()[1]?.messages.filter(({ role }) => role === 'tool').length, 20);
  });

  it('runs reading calls in parallel, and changes one after another', async () => {
    const first = pendingTool('first');
    const second = pendingTool('second');
    const third = pendingTool('third', 'edit');
    const rig = toolRig({
      list: [first.tool, second.tool, third.tool],
      script: [[...['first', 'second', 'third'].map((name) => [name, {}] as const)], 'Done.'],
    });
    const ended = rig.ask();
    await rig.happens('tool-call-run');
    assert.equal(first.contexts.length + second.contexts.length, 2);
    assert.equal(third.contexts.length, 0);
    second.release();
    await rig.happens('tool-call-result');
    assert.equal(third.contexts.length, 0);
    first.release();
    await rig.happens('tool-call-run');
    assert.equal(third.contexts.length, 1);
    third.release();
    assert.deepEqual(
      callsOf(await ended).map(({ result }) => result),
      ['first is done', 'second is done', 'third is done'],
    );
  });

  it('stops immediately during a call, which the next request mentions', async () => {
    const stuck = pendingTool('stuck');
    const rig = toolRig({ list: [stuck.tool], script: [[['stuck', {}]], 'Later.'] });
    const ended = rig.ask();
    await rig.happens('tool-call-run');
    rig.chat.stop();
    const turn = await ended;
    assert.equal(turn.status, 'stopped');
    assert.deepEqual(
      callsOf(turn).map(({ status }) => status),
      ['stopped'],
    );
    assert.equal(stuck.contexts[0]?.signal.aborted, true);
    await rig.ask('And now?');
    const results = rig.requests()[1]?.messages.filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results?.map(({ content }) => content),
      ['The person stopped this before it finished.'],
    );
  });

  it('stops during a pending approval', async () => {
    const question = { by: 'panel', forChat: true, files: [] } as const;
    const approvalTool = toolNamed(
      'asking',
      (context) => context.requestApproval(question, () => new Promise<string>(() => 0)),
      { category: 'edit' },
    );
    const rig = toolRig({ list: [approvalTool], script: [[['asking', {}]]] });
    const ended = rig.ask();
    const { running } = await rig.happens('tool-call-ask');
    assert.equal(
      running?.parts.some((part) => 'status' in part && part.status === 'asking'),
      true,
    );
    rig.chat.stop();
    const turn = await ended;
    assert.deepEqual(
      callsOf(turn).map(({ status, question }) => [status, question]),
      [['stopped', undefined]],
    );
  });

  it('ends a call at its deadline, not counting the time of an approval', async () => {
    let answer = (): void => undefined;
    const question = { by: 'dialog', forChat: false, files: [] } as const;
    const asking = async (context: ToolContext): Promise<string> => {
      await context.requestApproval(
        question,
        () => new Promise<void>((resolve) => (answer = resolve)),
      );
      return new Promise<string>(() => undefined);
    };
    const slow = toolNamed('slow', asking, { deadline: 10_000 });
    const rig = toolRig({ list: [slow], script: [[['slow', {}]], 'Too slow.'] });
    const ended = rig.ask();
    await rig.happens('tool-call-ask');
    await rig.clock.advance(60_000);
    assert.equal(rig.chat.isRunning, true);
    answer();
    await rig.happens('tool-call-run');
    await rig.clock.advance(10_000);
    const [call] = callsOf(await ended);
    assert.equal(call?.status, 'failed');
    assert.match(call.result ?? '', /timed out after 10 s\. Request less/);
  });

  it('does not claim that a change past its deadline had no effect', async () => {
    const never = () => new Promise<string>(() => undefined);
    const slow = toolNamed('slow', never, { category: 'edit', deadline: 10 });
    const rig = toolRig({ list: [slow], script: [[['slow', {}]], 'Too slow.'] });
    const ended = rig.ask();
    await rig.happens('tool-call-run');
    await rig.clock.advance(10);
    const [call] = callsOf(await ended);
    assert.match(call?.result ?? '', /It may still have taken effect/);
  });

  it('pauses after a number of rounds, and continues on request', async () => {
    const rig = toolRig({ list: [look], maxRounds: 2, script: fiveLooks });
    const ended = rig.ask();
    const { running } = await rig.happens('turn-pause');
    assert.equal(running?.status, 'paused');
    assert.deepEqual(running.pause, { reason: 'rounds' });
    assert.equal(rig.requests().length, 2);
    rig.chat.resume();
    await rig.happens('turn-pause');
    assert.equal(rig.requests().length, 4);
    rig.chat.resume();
    assert.equal(turnText(await ended), 'Done.');
  });

  for (const unit of ['tokens', 'money'] as const) {
    it(`pauses each time that its requests have reached the limit in ${unit}`, async () => {
      const limit = { unit, amount: 2, amountOf: ({ requests }: Usage) => requests };
      const rig = toolRig({ list: [look], limit, script: fiveLooks });
      const ended = rig.ask();
      for (const sent of [2, 4]) {
        const { running } = await rig.happens('turn-pause');
        assert.deepEqual([running?.status, running?.pause], ['paused', { reason: unit }]);
        assert.equal(rig.requests().length, sent);
        rig.chat.resume();
      }
      assert.equal(turnText(await ended), 'Done.');
    });
  }

  it('counts from its beginning after another pause, and pauses once for two limits', async () => {
    const amountOf = ({ requests }: Usage): number => requests;
    const rig = toolRig({
      list: [look],
      maxRounds: 2,
      limit: { unit: 'tokens', amount: 2, amountOf },
      script: fiveLooks,
    });
    const pauses: unknown[] = [];
    rig.chat.onDidChange((change) => {
      if (change.type !== 'event' || change.event.type !== 'turn-pause') return;
      pauses.push([change.event.pause.reason, rig.requests().length]);
      rig.chat.resume();
    });
    await rig.ask();
    assert.deepEqual(pauses, [
      ['tokens', 2],
      ['tokens', 4],
    ]);
  });

  it('pauses before the same call for the third time', async () => {
    const rig = toolRig({ list: [look], script: [[['look', { name: 'a' }]]] });
    const ended = rig.ask();
    const { running } = await rig.happens('turn-pause');
    assert.deepEqual(running?.pause, { reason: 'repeat', tool: 'look' });
    assert.equal(callsOf(running).length, 2);
    rig.chat.stop();
    await ended;
  });

  it('runs no call of a reply that was cut', async () => {
    const rig = toolRig({ list: [look], script: [[['look', { name: 'a' }]]] });
    rig.service.faults.push({ kind: 'cut', after: 6 });
    const turn = await rig.ask();
    assert.notEqual(turn.status, 'finished');
    assert.ok(
      callsOf(turn).every(({ status, result }) => status === 'denied' && result === undefined),
    );
    assert.ok(callsOf(turn).every(({ icon }) => icon === look.icon));
    assert.equal(rig.requests().length, 1);
  });

  it('offers to send without tools if a request with them is refused', async () => {
    const rig = toolRig({ list: [look] });
    rig.service.faults.push({ kind: 'status', status: 400, message: 'Bad request.' });
    const turn = await rig.ask();
    assert.equal(turn.error?.remedy, 'without-tools');
    const again = await rig.chat.resend(turn.id, { withoutTools: true });
    assert.equal(again.status, 'finished');
    assert.deepEqual(
      rig.requests().map(({ tools }) => tools?.length),
      [1, undefined],
    );
  });

  it('replies without tools to a model that refuses them, and says so', async () => {
    const rig = toolRig({ list: [look] });
    rig.service.faults.push({ kind: 'status', status: 400, message: 'No tools here, please.' });
    const turn = await rig.ask();
    assert.deepEqual([turn.status, turn.toolsRefused], ['finished', true]);
    assert.deepEqual(
      rig.requests().map(({ tools }) => tools?.length),
      [1, undefined],
    );
    const retry = rig.events.find(({ type }) => type === 'request-retry');
    assert.ok(retry?.type === 'request-retry' && retry.retry.error.kind === 'bad-request');
    assert.equal(turn.usage?.requests, 2);
  });

  it("redacts the key in a call's output, even if it arrives in two pieces", async () => {
    const printing = ({ print }: ToolContext) => {
      print(`KEY=${demoKey.slice(0, 6)}`);
      print(`${demoKey.slice(6)}\nHOME=/`);
      return Promise.resolve('Printed.');
    };
    const env = toolNamed('env', printing, { category: 'run' });
    const rig = toolRig({ list: [env], script: [[['env', {}]], 'Done.'] });
    const [call] = callsOf(await rig.ask());
    assert.equal(call?.output, 'KEY=‹key›\nHOME=/');
  });

  it('truncates a result, makes invisible characters visible, and redacts the key', async () => {
    const words = `a\u202eb ${demoKey} ${'x'.repeat(100_000)}`;
    const long = toolNamed('long', () => Promise.resolve(words));
    const rig = toolRig({ list: [long], script: [[['long', {}]], 'Done.'] });
    const [call] = callsOf(await rig.ask());
    const result = call?.result ?? '';
    assert.ok(result.length < 41_000);
    assert.match(result, /^\(Invisible characters shown as \\u\{…\}: 1\)\na\\u\{202e\}b/);
    assert.ok(!result.includes(demoKey) && result.includes('‹key›'));
    assert.match(result, /Cut: 40000 of 10\d+ characters/);
  });

  it('offers a new chat, but not sending without tools, if the conversation is too long', async () => {
    const rig = toolRig({ list: [look] });
    const code = 'context_length_exceeded';
    rig.service.faults.push({ kind: 'status', status: 400, message: 'Too long.', code });
    const turn = await rig.ask();
    assert.deepEqual([turn.error?.kind, turn.error?.remedy], ['context-exceeded', undefined]);
  });

  it('pauses even if it was continued before', async () => {
    const rig = toolRig({ list: [look], maxRounds: 1, script: [[['look', { name: 'a' }]]] });
    rig.chat.onDidChange((change) => {
      if (change.type === 'event' && change.event.type !== 'turn-pause') rig.chat.resume();
    });
    const ended = rig.ask();
    await rig.happens('turn-pause');
    await rig.clock.advance(0);
    assert.equal(rig.chat.conversation.running?.status, 'paused');
    rig.chat.stop();
    assert.equal((await ended).status, 'stopped');
    assert.equal(rig.requests().length, 1);
  });
});
