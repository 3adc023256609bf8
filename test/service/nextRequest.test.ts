import assert from 'node:assert/strict';
import type { Attachment } from '../../src/core/conversation/conversation.ts';
import { createClient, StreamUsagePolicy } from '../../src/core/service/client.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import { Chat } from '../../src/host/chat/chat.ts';
import { localFetch } from '../../src/local/demoService.ts';
import { createService, demoKey } from '../../src/local/service.ts';
import { ManualClock } from '../support/manualClock.ts';
import { look } from '../support/toolTurn.ts';

const model = 'mistral/mistral-small';
const origin = 'https://api.test';
const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');

function file(text: string): Attachment {
  return { id: 'a', kind: 'file', name: 'a.ts', path: 'a.ts', language: 'typescript', text };
}

/** A chat with the local service, tools and instructions, and what the service received. */
function rig() {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0 });
  const received: unknown[] = [];
  service.onRequest(({ body }) => received.push(body));
  const usageHabit = new StreamUsagePolicy();
  const client = createClient({
    baseUrl: `${origin}/v1`,
    apiKey: demoKey,
    fetch: localFetch(service),
    clock,
    silenceLimit: 30_000,
    usagePolicy: usageHabit,
  });
  const tools = new Toolbox([look], { clock, redactor: createRedactor(), onError: assert.ifError });
  let prepared = 0;
  const chat = new Chat({
    clock,
    connect: () => Promise.resolve({ client, demo: false }),
    settings: () => ({
      instructions: 'Be kind.',
      stream: true,
      options: { temperature: 0.5 },
      files: prepared === 0 ? [] : [{ path: 'AGENTS.md', text: 'Use tabs.' }],
    }),
    prepare() {
      prepared++;
      return Promise.resolve();
    },
    asSent: (request) => usageHabit.apply(origin, request),
    meter: { estimate: (_, characters) => characters, learn: () => undefined },
    checkMessage: () => Promise.resolve(),
    tools: () => Promise.resolve({ toolbox: tools, maxRounds: 5 }),
    onToolsRefused: () => undefined,
    describe: (error) => ({ kind: 'unexpected', message: String(error) }),
  });
  return { chat, service, received };
}

describe('the request that is shown', () => {
  it('is the one that the service then receives, from question to question', async () => {
    const { chat, service, received } = rig();
    // After a stream without usage the next one asks for it, which nobody else adds.
    service.faults.push({ kind: 'no-usage' });
    for (const text of [lines, lines, lines.replace('line 7\n', 'other\n')]) {
      const question = { text: 'What is this?', attachments: [file(text)] };
      const shown = await chat.nextRequest(question, model);
      const before = received.length;
      await chat.send(question, model);
      assert.deepEqual(received[before], JSON.parse(JSON.stringify(shown)));
    }
    const all = JSON.stringify(received.at(-1));
    assert.equal(all.split('line 20').length, 2, 'It is sent once.');
    assert.match(all, /unchanged since/);
    assert.match(all, /\+other/);
    assert.match(all, /stream_options/);
  });

  it('has the instructions of the workspace in a message of the person, after the rules', async () => {
    const { chat } = rig();
    const { messages } = await chat.nextRequest({ text: 'Hello', attachments: [] }, model);
    const roles = messages.map(({ role }) => role);
    assert.deepEqual(roles, ['system', 'user', 'user']);
    assert.match(messages[0]?.content ?? '', /Be kind\.$/);
    assert.doesNotMatch(messages[0]?.content ?? '', /tabs/);
    assert.match(messages[1]?.content ?? '', /AGENTS\.md:\n```markdown\nUse tabs\.\n```$/);
  });

  it('sends nothing and changes nothing', async () => {
    const { chat, received } = rig();
    const before = chat.conversation;
    await chat.nextRequest({ text: 'Hello', attachments: [] }, model);
    assert.equal(chat.conversation, before);
    assert.deepEqual(received, []);
  });
});
