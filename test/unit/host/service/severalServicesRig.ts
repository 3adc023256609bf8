import assert from 'node:assert/strict';
import { parseAddress } from '../../../../src/core/service/address.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { isObject, parseJson } from '../../../../src/core/support/json.ts';
import { Connection } from '../../../../src/host/service/connection.ts';
import { Keys } from '../../../../src/host/service/keys.ts';
import { ModelCatalog } from '../../../../src/host/service/modelCatalog.ts';
import type { ConnectedService } from '../../../../src/host/service/services.ts';
import { withFacts, readSettings } from '../../../../src/host/platform/settingValues.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import type { UsageByModel } from '../../../../src/host/usage/usageByModel.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento, FakeSecrets } from '../fakes.ts';
import { accountOf, ledgerOf, MemoryLog, noon } from '../usage/usageRig.ts';
import { demoBaseUrl } from './rig.ts';

const { ServiceAccess } = await withoutVsCode(
  () => import('../../../../src/host/service/serviceAccess.ts'),
);

interface ReceivedRequest {
  readonly origin: string;
  readonly key: string | null;
  readonly model: unknown;
}

interface World {
  readonly hosts: readonly string[];
  /** What the machine has stored, for another window. */
  readonly stored?: Pick<SeveralServices, 'state' | 'secrets' | 'baseUrl'>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Connected services, the first of which is the current one. */
export class SeveralServices {
  readonly received: ReceivedRequest[] = [];
  readonly secrets: FakeSecrets;
  readonly keys: Keys;
  readonly state: FakeMemento;
  readonly clock = new ManualClock(noon);
  readonly catalog: ModelCatalog;
  readonly ledger;
  readonly connection: Connection;
  readonly access;
  /** Keys that the services answer with status 429. */
  readonly limitedKeys = new Set<string>();
  readonly #settingsChanged = new Emitter<undefined>();
  baseUrl: string;

  constructor({ hosts, stored, settings: settingValues = {} }: World) {
    this.secrets = stored?.secrets ?? new FakeSecrets();
    this.keys = new Keys(this.secrets, createRedactor());
    this.state = stored?.state ?? new FakeMemento();
    this.baseUrl = stored?.baseUrl ?? `https://${hosts[0] ?? ''}/v1`;
    const values = readSettings(
      (id) => ({ globalValue: settingValues[id] }),
      (id) => assert.fail(id),
    );
    const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init);
      return this.#receive(request);
    };
    const current = () => ({
      ...withFacts(values, new Map(), this.connection.services.names),
      baseUrl: this.baseUrl,
    });
    const { clock, keys, state } = this;
    this.catalog = new ModelCatalog(state, () => Promise.resolve([]), clock);
    const address = {
      current: () => ({ baseUrl: this.baseUrl }),
      onDidChange: this.#settingsChanged.event,
    };
    const demo = { baseUrl: demoBaseUrl, apiKey: '', fetch };
    this.connection = new Connection(address, keys, state, demo, fetch);
    const { services } = this.connection;
    const written = services.written.bind(services);
    this.ledger = ledgerOf(new MemoryLog(), clock, written);
    this.access = new ServiceAccess(
      {
        settings: currentSettings(current),
        errors: { text: (error) => ({ kind: 'error', message: String(error) }) },
        log: { error: () => undefined },
        redactor: createRedactor(),
      },
      this,
      this.ledger,
      new TokenRatios(new FakeMemento()),
      clock,
    );
  }

  async #receive(request: Request): Promise<Response> {
    const body = parseJson(await request.text());
    this.received.push({
      origin: new URL(request.url).origin,
      key: request.headers.get('Authorization'),
      model: isObject(body) ? body['model'] : undefined,
    });
    const key = request.headers.get('Authorization')?.replace('Bearer ', '') ?? '';
    if (this.limitedKeys.has(key))
      return new Response('', { status: 429, headers: { 'retry-after': '60' } });
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const message = { role: 'assistant', content: 'Hello' };
    return Response.json({ choices: [{ message, finish_reason: 'stop' }], usage });
  }

  async connectAll(hosts: readonly string[]): Promise<void> {
    for (const host of hosts) {
      const { services } = this.connection;
      await services.remember(services.at(parseAddress(`https://${host}/v1`)));
      await this.keys.store(`https://${host}`, keyOf(host));
    }
  }

  /** Makes a service the current one, as Select Service… does. */
  async use(service: ConnectedService): Promise<void> {
    const { services } = this.connection;
    await services.remember(service);
    await services.select(service);
    this.baseUrl = service.baseUrl;
    this.#settingsChanged.fire(undefined);
  }

  async ask(
    model: string,
    chat?: { readonly id: () => string; readonly usage: () => UsageByModel },
  ) {
    const account = chat && accountOf(chat.id(), chat.usage());
    const { client } = await this.access.connect('chat', model, account);
    const request = { model, messages: [{ role: 'user' as const, content: 'Hello' }] };
    for await (const { type } of client.stream(request)) assert.notEqual(type, 'retry');
  }
}

export function keyOf(host: string): string {
  return `sk-${host}`;
}
