import fc from 'fast-check';
import assert from 'node:assert/strict';
import type { Attachment } from '../../src/core/conversation/conversation.ts';
import { partKey } from '../../src/core/conversation/partChoices.ts';
import { adaptRequest } from '../../src/core/service/adaptations.ts';
import { LearnedFactStore } from '../../src/core/service/learnedFacts.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { isObject } from '../../src/core/support/json.ts';
import type { PromptSettings } from '../../src/core/turn/prompt.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import { testChat } from '../unit/host/chat/openChatRig.ts';
import { localFetch, createService } from '../../src/local/service.ts';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { meterOf } from '../support/metering.ts';
import { joinedParts } from '../support/joinedParts.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { ManualClock } from '../support/manualClock.ts';
import { testClient } from '../support/testClient.ts';
import { runs } from '../support/sample.ts';
import { look, usualLimits } from '../support/toolTurn.ts';

const model = 'mistral/mistral-small';
const origin = 'https://api.test';
const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');

function file(text: string): Attachment {
  return { id: 'a', kind: 'file', name: 'a.ts', path: 'a.ts', language: 'typescript', text };
}

/** A chat with the local service, tools and instructions. Records the received requests. */
function rig(settings: Partial<PromptSettings> = {}, script?: Script) {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0, ...(script && { script }) });
  const received: unknown[] = [];
  service.onRequest(({ body }) => received.push(body));
  const learned = new LearnedFactStore();
  const client = testClient(localFetch(service), { clock, learned, meter: meterOf(1) });
  const tools = new Toolbox([look], { clock, redactor: createRedactor(), onError: assert.ifError });
  let prepared = 0;
  const chat = testChat({
    clock,
    connect: () => Promise.resolve({ client, demo: false }),
    settings: () => ({
      instructions: 'Be kind.',
      stream: true,
      options: { temperature: 0.5 },
      files: prepared === 0 ? [] : [{ path: 'AGENTS.md', text: 'Use tabs.' }],
      ...settings,
    }),
    prepare() {
      prepared++;
      return Promise.resolve();
    },
    asSent: (request) => adaptRequest(request, learned.of(origin, '')),
    meter: { estimate: (_, characters) => characters, learn: () => undefined },
    tools: () => Promise.resolve({ toolbox: tools, ...usualLimits }),
    describe: (error) => ({ kind: 'unexpected', message: String(error) }),
  });
  return { chat, service, received };
}

function modelInput(body: unknown): unknown {
  return isObject(body) ? [body['messages'], body['tools']] : undefined;
}

describe('the displayed request', () => {
  it('is the one that the service receives, for message after message', async () => {
    const { chat, service, received } = rig();
    // After a stream without usage, the next request has the option to include it.
    service.faults.push({ kind: 'no-usage' });
    for (const text of [lines, lines, lines.replace('line 7\n', 'other\n')]) {
      const question = { text: 'What is this?', attachments: [file(text)] };
      const { request: planned } = await chat.planRequest(question, model);
      const before = received.length;
      await chat.send(question, model);
      assert.deepEqual(received[before], JSON.parse(JSON.stringify(planned)));
    }
    const all = JSON.stringify(received.at(-1));
    assert.equal(all.split('line 20').length, 2, 'It is sent once.');
    assert.match(all, /unchanged since/);
    assert.match(all, /\+other/);
    assert.match(all, /stream_options/);
  });

  it('includes the instructions and the reported usage of the last request', async () => {
    let instructions = 'Be kind.';
    const { chat } = rig({
      get instructions() {
        return instructions;
      },
    });
    const question = { text: lines, attachments: [] };
    await chat.send(question, model);
    await chat.send(question, model);
    instructions = 'Be rude.';
    const { parts, last } = await chat.planRequest(question, model);
    const systemOf = (all: typeof parts) => all.find(({ kind }) => kind === 'custom')?.text ?? '';
    assert.match(systemOf(parts), /Be rude\.$/);
    assert.match(systemOf(last?.parts ?? []), /Be kind\.$/);
    assert.ok((last?.usage?.cached_tokens ?? 0) > 0);
  });
});

describe('the next request of a chat with excluded or pinned parts', () => {
  const act = fc.record({
    kind: fc.constantFrom('exclude' as const, 'pin' as const, 'include' as const),
    part: fc.nat(),
  });
  const step = fc.record({
    text: fc.constantFrom(lines, lines.replace('line 7\n', 'other\n')),
    acts: fc.array(act, { maxLength: 4 }),
  });
  const script = modelSaying([['look', { at: 'here' }]], 'It is a list.');

  it('is the next or last request that the service receives, for message after message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 4 }), async (steps) => {
        const { chat, received } = rig({}, script);
        let before: unknown;
        for (const [index, { text, acts }] of steps.entries()) {
          const attachment = { ...file(text), id: `file ${index}` };
          const question = { text: 'What is this?', attachments: [attachment] };
          for (const { kind, part } of acts) {
            const { listed } = await chat.planRequest(question, model);
            const keys = listed.flatMap(({ key }) => key ?? []);
            const chosen = {
              exclude: 'left-out',
              pin: 'pinned',
              include: undefined,
            } as const;
            chat.chooseParts([keys[part % keys.length] ?? ''], chosen[kind]);
          }
          const { parts, request, last } = await chat.planRequest(question, model);
          assert.deepEqual(last && modelInput(joinedParts(last.parts)), modelInput(before));
          const first = received.length;
          await chat.send(question, model);
          assert.deepEqual(received[first], JSON.parse(JSON.stringify(request)));
          assert.deepEqual(joinedParts(parts), received[first]);
          before = received.at(-1);
        }
      }),
      { numRuns: runs(30) },
    );
  });

  it("contains no excluded tool, whose calls get an error and aren't run", async () => {
    const { chat, received } = rig({}, script);
    const question = { text: 'What is this?', attachments: [] };
    chat.chooseParts([partKey.tool('look')], 'left-out');
    const without = await chat.send(question, model);
    assert.equal(isObject(received[0]) && received[0]['tools'], undefined);
    assert.ok(
      without.parts.every((part) => part.type !== 'tool-call' || part.result === undefined),
    );
    chat.chooseParts([partKey.tool('look')], undefined);
    const again = await chat.send(question, model);
    assert.ok(again.parts.some((part) => part.type === 'tool-call' && part.result !== undefined));
  });

  it("doesn't change a running turn", async () => {
    const { chat, received } = rig({}, script);
    const question = { text: 'What is this?', attachments: [file(lines)] };
    const listening = chat.onDidChange((change) => {
      if (change.type === 'event' && change.event.type === 'tool-call-result')
        chat.chooseParts([partKey.attachment('a'), partKey.tool('look')], 'left-out');
    });
    await chat.send(question, model);
    listening.dispose();
    assert.equal(received.length, 2);
    for (const body of received) assert.match(JSON.stringify(body), /line 20.*"tools"/);
    await chat.send({ text: 'And now?', attachments: [] }, model);
    assert.doesNotMatch(JSON.stringify(received[2]), /line 20|"tools"/);
  });
});
