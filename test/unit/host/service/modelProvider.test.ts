import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import { Emitter } from '../../../../src/core/support/event.ts';
import { createModelReader } from '../../../../src/host/service/modelCatalog.ts';
import type { ModelProvider } from '../../../../src/host/service/modelProvider.ts';
import { readSettings } from '../../../../src/host/platform/settingValues.ts';
import { RunningRequests } from '../../../../src/host/usage/runningRequests.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import type { Script } from '../../../../src/local/completionsEndpoint.ts';
import {
  localFetch,
  createService,
  demoKey,
  type LocalService,
} from '../../../../src/local/service.ts';
import type { Fault } from '../../../../src/local/faults.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import { modelSaying } from '../../../support/modelSaying.ts';
import { reportedErrors } from '../../../support/reportedErrors.ts';
import { until } from '../../../support/until.ts';
import { consentsWith } from '../../../support/consentsWith.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { ConnectionRig } from './rig.ts';
import { ledgerOf, MemoryLog } from '../usage/usageRig.ts';

/** Classes of VS Code that the provider creates. */
const source = `
  export const env = { language: 'en' };
  export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d+)\\}/g, (all, at) => given[at] ?? all) };
  export class LanguageModelTextPart { constructor(value) { this.value = value; } }
  export class LanguageModelToolCallPart {
    constructor(callId, name, input) { Object.assign(this, { callId, name, input }); }
  }
  export class LanguageModelDataPart {
    static json(value, mimeType) { return { mimeType, json: value }; }
  }
  export class CancellationError extends Error { name = 'Canceled'; }
  class CodedError extends Error { constructor(message, code) { super(message); this.code = code; } }
  export const LanguageModelError = Object.fromEntries(
    ['NotFound', 'NoPermissions', 'Blocked'].map((code) => [code, (text) => new CodedError(text, code)]),
  );
`;

const {
  ServiceAccess,
  ModelProvider: ModelProviderClass,
  CallerApproval,
  errorText,
} = await withFakeVsCode(source, async () => ({
  ...(await import('../../../../src/host/service/serviceAccess.ts')),
  ...(await import('../../../../src/host/service/modelProvider.ts')),
  ...(await import('../../../../src/host/platform/errorText.ts')),
}));

const origin = 'https://api.test';
const model = 'mistral/mistral-small';
const hello = [{ role: 1, content: [{ value: 'Hello' }] }];

interface RigOptions {
  readonly script?: Script;
  readonly faults?: readonly Fault[];
  readonly budget?: unknown;
  readonly answers?: readonly boolean[];
  readonly pace?: number;
}

const report = z.union([
  z.object({ value: z.string() }),
  z.object({ callId: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ mimeType: z.literal('usage'), json: z.record(z.string(), z.unknown()) }),
]);

/** A person with prepared answers. An unexpected question fails. */
class Person {
  readonly questions: string[] = [];
  readonly #answers: boolean[];

  constructor(answers: readonly boolean[]) {
    this.#answers = [...answers];
  }

  decide(message: string): Promise<boolean> {
    this.questions.push(message);
    const answer = this.#answers.shift();
    return answer === undefined
      ? Promise.reject(new Error(`Nobody answers: ${message}`))
      : Promise.resolve(answer);
  }
}

class Cancellation {
  readonly #requested = new Emitter<undefined>();
  isCancellationRequested = false;
  readonly onCancellationRequested = this.#requested.event;

  cancel(): void {
    this.isCancellationRequested = true;
    this.#requested.fire(undefined);
  }
}

class ProviderRig extends ConnectionRig {
  readonly log = new MemoryLog();
  readonly running = new RunningRequests();
  readonly service: LocalService;
  readonly person: Person;
  readonly provider: ModelProvider;
  readonly logged: unknown[] = [];
  readonly reported: z.infer<typeof report>[] = [];

  constructor({ script, faults = [], budget = {}, answers = [true], pace = 0 }: RigOptions = {}) {
    super(createModelReader(() => 60));
    const { clock, parts, redactor, state } = this;
    this.service = createService({ clock, pace, ...(script === undefined ? {} : { script }) });
    this.service.faults.push(...faults);
    this.answer = localFetch(this.service);
    this.person = new Person(answers);
    const values = readSettings(
      (id) => ({ globalValue: id === 'aside.budget' ? budget : undefined }),
      (id) => assert.ok(false, id),
    );
    this.settings.set({ ...values, baseUrl: `${origin}/v1`, model });
    const redact = redactor.redactError;
    const window = {
      settings: currentSettings(() => this.settings.values),
      redactor,
      log: { error: (_: string, error: unknown) => void this.logged.push(error) },
      errors: {
        text: (error: unknown) => errorText(error, { redact, now: 0, language: 'en', model }),
        show: (error: unknown) => Promise.reject(new Error(String(error))),
      },
    };
    const ledger = ledgerOf(this.log, clock);
    this.provider = new ModelProviderClass(
      window,
      new ServiceAccess(window, parts, ledger, new TokenRatios(state), clock),
      { connect: () => Promise.reject(new Error('not in this test')) },
      parts,
      new CallerApproval(consentsWith({ decide: (message) => this.person.decide(message) })),
      this.running,
      clock,
    );
  }

  async ask(
    callOptions: {
      readonly messages?: unknown;
      readonly options?: object;
      readonly token?: Cancellation;
      readonly model?: string;
    } = {},
  ): Promise<void> {
    if (this.keys.changes === 0) await this.keys.store(origin, demoKey);
    const { messages = hello, token = new Cancellation() } = callOptions;
    const information = { ...listed, id: callOptions.model ?? model };
    const options = { requestInitiator: 'some.extension', toolMode: 1, ...callOptions.options };
    const progress = {
      report: (part: unknown): void => void this.reported.push(report.parse(part)),
    };
    await this.provider.provideLanguageModelChatResponse(
      information,
      messages,
      options,
      progress,
      token,
    );
  }

  /** Resolves with {@link done} when this many requests have ended. */
  async recorded(count: number): Promise<typeof this.done> {
    await until(() => this.done.length >= count);
    return this.done;
  }

  get text(): string {
    return this.reported.map((part) => ('value' in part ? part.value : '')).join('');
  }

  /** Purpose and outcome of each request that has ended. */
  get done(): readonly (readonly [unknown, unknown])[] {
    const line = z.object({
      state: z.string(),
      purpose: z.string(),
      outcome: z.optional(z.string()),
    });
    return this.log.all
      .map((text) => line.parse(JSON.parse(text)))
      .filter(({ state }) => state === 'used')
      .map(({ purpose, outcome }) => [purpose, outcome]);
  }
}

const listed: vscode.LanguageModelChatInformation = {
  id: model,
  name: model,
  family: 'f',
  version: '1',
  maxInputTokens: 1000,
  maxOutputTokens: 100,
  capabilities: {},
};

function rejectsAs(asking: Promise<void>, code: string | undefined, text: RegExp): Promise<void> {
  return assert.rejects(asking, (error) => {
    assert.ok(error instanceof Error);
    assert.equal('code' in error ? error.code : undefined, code);
    assert.match(error.message, text);
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, new RegExp(demoKey));
    return true;
  });
}

describe('a request of another extension', () => {
  it('streams text, reports the usage, and is recorded under its caller', async () => {
    const rig = new ProviderRig({ script: modelSaying('Hello to you, and some more text.') });
    await rig.ask();
    assert.equal(rig.text, 'Hello to you, and some more text.');
    assert.ok(rig.reported.length > 2);
    const usage = rig.reported.flatMap((part) => ('json' in part ? [part.json] : []));
    assert.equal(usage.length, 1);
    const { prompt_tokens, completion_tokens, total_tokens } = z
      .object({
        prompt_tokens: z.number(),
        completion_tokens: z.number(),
        total_tokens: z.number(),
      })
      .parse(usage[0]);
    assert.equal(prompt_tokens + completion_tokens, total_tokens);
    assert.equal(usage[0]?.['estimated'], undefined);
    assert.deepEqual(await rig.recorded(1), [['provider:some.extension', 'finished']]);
    assert.ok(rig.running.isEmpty);
  });

  it('gets the tool calls of a complete reply, and sends their results', async () => {
    const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
    const rig = new ProviderRig({ script: modelSaying([['look', { at: 'ä' }]], 'Seen.') });
    await rig.ask({ options: { tools } });
    const [call] = rig.reported.flatMap((part) => ('callId' in part ? [part] : []));
    assert.deepEqual([call?.name, call?.input], ['look', { at: 'ä' }]);
    const messages = [
      ...hello,
      { role: 2, content: [call] },
      { role: 1, content: [{ callId: call?.callId, content: [{ value: 'a tree' }] }] },
    ];
    await rig.ask({ messages, options: { tools } });
    assert.equal(rig.text, 'Seen.');
    assert.match(JSON.stringify(rig.service.requests.at(-1)?.body), /"role":"tool".*a tree/);
  });

  it('gets no call of a reply that was cut off or is too long, but an error', async () => {
    const script = modelSaying([['look', { at: 'a place with a long name' }]]);
    for (const fault of [
      { kind: 'cut', after: 3 },
      { kind: 'malformed', after: 1 },
    ] as const) {
      const rig = new ProviderRig({ script, faults: [fault] });
      await assert.rejects(rig.ask({ options: { tools: [{ name: 'look' }] } }));
      assert.ok(rig.reported.every((part) => !('callId' in part)));
    }
  });

  it('is canceled: the request is aborted, and recorded as stopped', async () => {
    const rig = new ProviderRig({ faults: [{ kind: 'stall', after: 8 }] });
    const token = new Cancellation();
    const asking = rig.ask({ token });
    await until(() => rig.text !== '');
    token.cancel();
    await assert.rejects(asking, { name: 'Canceled' });
    assert.equal(rig.service.requests[0]?.aborted, true);
    assert.deepEqual(await rig.recorded(1), [['provider:some.extension', 'stopped']]);
    const late = new Cancellation();
    late.cancel();
    await assert.rejects(rig.ask({ token: late }), { name: 'Canceled' });
    assert.equal(rig.service.requests.length, 1);
  });

  it('is stopped by Stop All', async () => {
    const faults = Array.from({ length: 3 }, () => ({ kind: 'stall', after: 8 }) as const);
    const rig = new ProviderRig({ faults });
    const asking = [rig.ask(), rig.ask(), rig.ask()];
    await until(() => rig.service.requests.length === 3 && rig.text !== '');
    rig.running.stop();
    for (const pending of asking) await assert.rejects(pending, { name: 'Canceled' });
    assert.ok((await rig.recorded(3)).every(([, outcome]) => outcome === 'stopped'));
    assert.ok(rig.running.isEmpty);
    await rig.ask();
    await rig.recorded(4);
  });

  it('is refused by the budget, with the displayed message, before anything is sent', async () => {
    const rig = new ProviderRig({ budget: { day: 3 } });
    await rejectsAs(rig.ask(), 'Blocked', /over the daily budget.*Raise the budget/);
    assert.equal(rig.service.requests.length, 0);
    assert.equal(rig.text, '');
  });

  it('is refused with an API key in it', async () => {
    const rig = new ProviderRig();
    const messages = [{ role: 1, content: [{ value: `my key is ${demoKey}` }] }];
    await rejectsAs(rig.ask({ messages }), undefined, /contains your API key/);
    const tools = [{ name: 'a', description: demoKey }];
    await rejectsAs(rig.ask({ options: { tools } }), undefined, /contains your API key/);
    assert.equal(rig.service.requests.length, 0);
  });

  it('never gets a key from a reply', async () => {
    const rig = new ProviderRig({ script: modelSaying(`Your key is ${demoKey}.`) });
    await rig.ask();
    assert.notEqual(rig.text, '');
    assert.ok(!JSON.stringify(rig.reported).includes(demoKey));
  });

  const errors: readonly (readonly [Fault, string | undefined, RegExp])[] = [
    [{ kind: 'status', status: 401 }, 'NoPermissions', /rejected the API key/],
    [{ kind: 'status', status: 402 }, 'Blocked', /wallet/],
    [{ kind: 'cut', after: 20 }, undefined, /Lost the connection/],
  ];
  for (const [fault, code, words] of errors) {
    it(`fails with VS Code's own error: ${JSON.stringify(fault)}`, async () => {
      const rig = new ProviderRig({ faults: [fault] });
      await rejectsAs(rig.clock.advanceUntil(rig.ask()), code, words);
      assert.equal(rig.logged.length, 1);
    });
  }

  it('for a model of another service is not sent', async () => {
    const rig = new ProviderRig();
    await rejectsAs(rig.ask({ model: 'other/model' }), 'NotFound', /other\/model/);
    assert.equal(rig.service.requests.length, 0);
  });
});

describe('a caller', () => {
  it('needs one approval, however many requests it sends at once', async () => {
    const rig = new ProviderRig();
    await Promise.all([rig.ask(), rig.ask(), rig.ask()]);
    await rig.ask();
    assert.equal(rig.person.questions.length, 1);
    assert.match(rig.person.questions.join(), /the extension some\.extension/);
    await rig.recorded(4);
  });

  it('is refused permanently if the person denies it, and nothing is sent', async () => {
    const rig = new ProviderRig({ answers: [false] });
    for (let time = 0; time < 3; time += 1)
      await rejectsAs(rig.ask(), 'NoPermissions', /some\.extension isn't allowed/);
    assert.equal(rig.service.requests.length, 0);
  });

  it('is approved without allowing others', async () => {
    const rig = new ProviderRig({ answers: [true, false] });
    await rig.ask();
    await rejectsAs(
      rig.ask({ options: { requestInitiator: 'other.one' } }),
      'NoPermissions',
      /other\.one/,
    );
  });

  it('needs no approval for the demo, which is free', async () => {
    const rig = new ProviderRig({ answers: [], budget: { day: 0 } });
    await rig.connection.useDemo();
    await rig.ask();
    assert.notEqual(rig.text, '');
    assert.deepEqual(rig.done, []);
  });

  it('is refused while the window can show no dialog', async () => {
    const rig = new ProviderRig({ answers: [] });
    const errors = await reportedErrors(() =>
      rejectsAs(rig.ask(), 'NoPermissions', /isn't allowed/),
    );
    assert.equal(errors.length, 1);
  });
});

describe('the list of models', () => {
  it('shows no dialog and sends nothing in silent mode', async () => {
    const rig = new ProviderRig();
    await rig.keys.store(origin, demoKey);
    const idsOf = async (silent: boolean) =>
      (await rig.provider.provideLanguageModelChatInformation({ silent })).map(({ id }) => id);
    assert.deepEqual(await idsOf(true), [model]);
    assert.equal(rig.service.requests.length, 0);
    const all = await idsOf(false);
    assert.deepEqual([rig.service.requests.length, all[0]], [1, model]);
    assert.ok(all.length > 1);
  });
});
