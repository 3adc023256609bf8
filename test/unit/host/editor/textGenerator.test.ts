import assert from 'node:assert/strict';
import * as l10n from '@vscode/l10n';
import * as z from 'zod/mini';
import type { Uri } from 'vscode';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { CompletionRequest, WireMessage } from '../../../../src/core/service/wire.ts';
import type { InstructionFile } from '../../../../src/core/turn/messagePieces.ts';
import type { ServiceAccess } from '../../../../src/host/service/serviceAccess.ts';
import { errorText } from '../../../../src/host/platform/errorText.ts';
import { FailedReply, UserError } from '../../../../src/host/platform/errors.ts';
import { RunningRequests } from '../../../../src/host/usage/runningRequests.ts';
import type { Script } from '../../../../src/local/completionsEndpoint.ts';
import { localFetch, createService } from '../../../../src/local/service.ts';
import type { Fault } from '../../../../src/local/faults.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { testClient } from '../../../support/testClient.ts';
import { withoutThoughts } from '../../../../src/core/service/thinkSplitter.ts';
import { modelSaying } from '../../../support/modelSaying.ts';
import { recordUsage } from '../../../support/metering.ts';
import { look } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { createTextGenerator } = await withoutVsCode(
  () => import('../../../../src/host/editor/textGenerator.ts'),
);

const model = 'mistral/mistral-small';
const code = '```ts\nconst answer = 42;\n```\n';
const messages: readonly WireMessage[] = [{ role: 'user', content: 'Some code, please.' }];

interface GeneratorOptions {
  readonly script?: Script;
  readonly faults?: readonly Fault[];
  readonly model?: string;
  readonly abort?: AbortController;
  readonly onText?: (text: string) => void;
  readonly service?: Partial<ServiceAccess>;
  readonly running?: RunningRequests;
  readonly stream?: boolean;
  readonly maxTokens?: number;
  readonly about?: readonly Uri[];
  readonly messages?: readonly WireMessage[];
  readonly tools?: CompletionRequest['tools'];
  readonly instructionsFor?: (about: readonly Uri[]) => Promise<readonly InstructionFile[]>;
}

function generate({ script = modelSaying(code), faults = [], ...asking }: GeneratorOptions = {}) {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0, script });
  service.faults.push(...faults);
  const [heard, recorded, described, sent] = [
    new Array<string>(),
    new Array<number>(),
    new Array<unknown>(),
    new Array<unknown>(),
  ];
  const local = localFetch(service);
  const fetch: typeof local = (address, init) => {
    if (typeof init?.body === 'string') sent.push(JSON.parse(init.body));
    return local(address, init);
  };
  const client = testClient(fetch, {
    clock,
    ...recordUsage(({ total_tokens }) => recorded.push(total_tokens)),
  });
  const answers = createTextGenerator({
    clock,
    running: asking.running ?? new RunningRequests(),
    ...(asking.instructionsFor && { instructionsFor: asking.instructionsFor }),
    service: {
      connect: () => Promise.resolve({ client, demo: false, service: 'test' }),
      describe(error) {
        described.push(error);
        return { kind: 'any', message: 'any' };
      },
      check: () => Promise.resolve(),
      ...asking.service,
    },
    settings: {
      ...currentSettings(() => ({ stream: asking.stream ?? true })),
      requestOptions: () => ({ temperature: 0.5, stop: ['}'], maxTokens: asking.maxTokens }),
    },
  });
  const { signal } = asking.abort ?? new AbortController();
  const used = new Array<number>();
  const answer = answers.generate({
    messages: asking.messages ?? messages,
    tools: asking.tools,
    ...(asking.about && { about: asking.about }),
    model: asking.model ?? model,
    signal,
    onText(text) {
      heard.push(text);
      asking.onText?.(text);
    },
    onUsage: ({ total_tokens }) => used.push(total_tokens),
  });
  return { answer, heard, recorded, described, sent, used };
}

async function failure(generation: ReturnType<typeof generate>): Promise<FailedReply> {
  const error: unknown = await generation.answer.then(
    () => assert.fail('It did not fail.'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FailedReply);
  return error;
}

describe('createTextGenerator', () => {
  it('sends allowed instructions for its files in the first user message', async () => {
    const system: WireMessage = { role: 'system', content: 'Be brief.' };
    const sentRequests: unknown[] = [];
    const about: readonly Uri[] = [];
    const checked: unknown[] = [];
    const { answer, sent } = generate({
      messages: [system, ...messages],
      about,
      instructionsFor(of) {
        sentRequests.push(of);
        return Promise.resolve([{ path: 'a/AGENTS.md', text: 'Use tabs.' }]);
      },
      service: { check: (texts) => Promise.resolve(void checked.push(...texts)) },
    });
    await answer;
    assert.deepEqual(sentRequests, [about]);
    const [request] = sent;
    const [first, second, ...others] = z
      .object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) })
      .parse(request).messages;
    assert.deepEqual([first, ...others], [system]);
    assert.equal(second?.role, 'user');
    assert.match(
      second.content,
      /a\/AGENTS\.md:\n```markdown\nUse tabs\.\n```\n\nSome code, please\.$/,
    );
    assert.ok(checked.includes(second.content));
  });

  for (const stream of [true, false]) {
    it(`reports each chunk, and records the usage once${stream ? '' : ', also of a reply in one piece'}`, async () => {
      const { answer, heard, recorded, sent, used } = generate({ stream });
      assert.deepEqual(await answer, { text: code, end: 'finished' });
      assert.equal(heard.join(''), code);
      assert.ok(stream ? heard.length > 1 : heard.length === 1);
      assert.equal(recorded.length, 1);
      assert.deepEqual(used, recorded);
      const request = { model, messages, temperature: 0.5 };
      assert.deepEqual(sent, [stream ? { ...request, stream } : request]);
    });
  }

  it('says that the model called a tool of the chat that the request continues', async () => {
    const [tools, script] = [[look.definition], modelSaying([['look', { name: 'a' }]])];
    const { answer, sent } = generate({ tools, script });
    assert.deepEqual(await answer, { text: '', end: 'finished', hasCalls: true });
    assert.deepEqual(sent, [{ model, messages, stream: true, temperature: 0.5, tools }]);
  });

  it('resolves with the text so far when stopped, and records its usage', async () => {
    const abort = new AbortController();
    const onText = (): void => abort.abort();
    const { answer, heard, recorded } = generate({
      abort,
      onText,
      faults: [{ kind: 'stall', after: 8 }],
    });
    assert.deepEqual(await answer, { text: heard.join(''), end: 'stopped' });
    assert.notEqual(heard.join(''), '');
    assert.equal(recorded.length, 1);
  });

  it("rejects on Stop All, so that the text so far isn't mistaken for the whole", async () => {
    const running = new RunningRequests();
    const { answer, recorded, described } = generate({
      running,
      onText: () => running.stop(),
      faults: [{ kind: 'stall', after: 8 }],
    });
    assert.equal(running.isEmpty, false);
    await assert.rejects(answer, { name: 'AbortError' });
    assert.equal(running.isEmpty, true);
    assert.deepEqual([recorded.length, described], [1, []]);
  });

  it('reports a reply that was cut off, with its error', async () => {
    const { answer } = generate({ faults: [{ kind: 'error', after: 8, message: 'busy' }] });
    const { text, end, fault } = await answer;
    assert.ok(end === 'cut' && code.startsWith(text) && text !== '');
    assert.ok(fault instanceof FailedReply && fault.cause instanceof ServiceError);
    const { answer: damaged } = generate({ faults: [{ kind: 'malformed', after: 8 }] });
    assert.equal((await damaged).end, 'cut');
  });

  it('rejects with the error that the panel would show', async () => {
    const error = await failure(generate({ faults: [{ kind: 'status', status: 403 }] }));
    assert.ok(error.cause instanceof ServiceError && error.cause.kind === 'forbidden');
    const context = { l10n, redact: (text: string) => text, now: 0, language: 'en' };
    assert.deepEqual(errorText(error, context), errorText(error.cause, { ...context, model }));
    assert.equal(errorText(error, context).remedy, 'select-model');
  });

  it('sends nothing without a model, and no refused text', async () => {
    const unchosen = generate({ model: '' });
    await assert.rejects(unchosen.answer, { kind: 'missing-model' });
    const check = (texts: readonly string[]): Promise<void> =>
      Promise.reject(new UserError(texts.join()));
    const refused = generate({ service: { check } });
    await assert.rejects(refused.answer, { name: 'UserError', message: 'Some code, please.' });
    assert.deepEqual([unchosen.sent, refused.sent], [[], []]);
  });

  it('tells readers of the chunks of text that proves to be reasoning', async () => {
    const script = modelSaying(`Hm:\n\`\`\`ts\nno();\n\`\`\`\n</think>\n\n${code}`);
    const { answer, heard } = generate({ script });
    assert.equal((await answer).text, code);
    assert.equal(withoutThoughts(heard.join('')), code);
    assert.ok(heard.join('').startsWith('Hm:'), 'It was not held back.');
  });

  it('reports a reply that reached its limit', async () => {
    const { answer } = generate({ maxTokens: 3 });
    assert.equal((await answer).end, 'length');
  });
});
