import { addressProblem, parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import { ServiceError } from '../../core/service/errors.ts';
import {
  canonicalModel,
  parseModelReference,
  type ServiceNames,
} from '../../core/service/modelReference.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import type { ConnectionState } from '../../protocol/messages.ts';
import type { Memento } from '../platform/memento.ts';
import type { Keys } from './keys.ts';
import { Services, type ConnectedService } from './services.ts';

export interface Endpoint extends ServiceAddress {
  readonly fetch: typeof fetch;
  readonly apiKey: string;
  readonly demo: boolean;
}

export interface ServiceEndpoint extends Endpoint {
  /** The id of the service. */
  readonly id: string;
}

export interface OtherEndpoint extends ServiceEndpoint {
  readonly name: string;
}

interface ModelPlace {
  readonly id: string;
  /** The id of its service; undefined if none is connected. */
  readonly service: string | undefined;
  /** Undefined for the current service. */
  readonly other: ConnectedService | undefined;
}

/** The built-in service of `aside.useDemo`. */
interface DemoService {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly apiKey: string;
}

interface AddressSetting {
  current(): { readonly baseUrl: string };
  readonly onDidChange: Event<unknown>;
}

const demoFlag = 'aside.demo';

/** The current service (none, the demo, or the one in the user's settings), and the others. */
export class Connection implements Disposable {
  readonly #settings: AddressSetting;
  readonly #keys: Keys;
  readonly #state: Memento;
  readonly #demo: DemoService;
  readonly #fetch: typeof fetch;
  readonly #changed = new Emitter<ConnectionState>();
  readonly #listening: Disposable[];
  #address: string;
  /** The parsed `#address`, cached since every model id needs it. */
  #parsed: { readonly text: string; readonly address: ServiceAddress | undefined } | undefined;

  /** The id of a service. */
  #withoutKey: string | undefined;
  /** What listeners know of the services. */
  #seen: string;

  readonly services: Services;

  /** Fires when a service or its key changes. */
  readonly onDidChange = this.#changed.event;

  /** @param state `globalState`, which stores that the demo was chosen */
  constructor(
    settings: AddressSetting,
    keys: Keys,
    state: Memento,
    demo: DemoService,
    fetch: typeof globalThis.fetch,
  ) {
    this.#settings = settings;
    this.#keys = keys;
    this.#state = state;
    this.#demo = demo;
    this.#fetch = fetch;
    this.services = new Services(state, () => this.address);
    this.#address = settings.current().baseUrl;
    this.#seen = this.#look();
    this.#listening = [
      settings.onDidChange(() => this.#followAddress()),
      keys.onDidChange((changed) => {
        if (changed === this.#withoutKey) this.#withoutKey = undefined;
        const isOfService = this.services.all.some(({ id }) => id === changed);
        if (!this.isDemo && isOfService) this.#fireChange();
      }),
      this.services.onDidChange(() => this.#fireChange()),
      this.services,
    ];
  }

  get state(): ConnectionState {
    if (this.isDemo) return { kind: 'demo' };
    const { current } = this.services;
    return current === undefined
      ? { kind: 'none' }
      : { kind: 'service', host: this.services.label(current) };
  }

  /** The service of a model, with its host if several are connected. */
  stateOf(model: string): ConnectionState {
    const { other } = this.placeOf(model);
    const isAlone = this.services.all.length <= 1;
    if (other === undefined) return isAlone ? { kind: this.state.kind } : this.state;
    return { kind: 'service', host: this.services.label(other) };
  }

  get isDemo(): boolean {
    return this.#state.get(demoFlag) === true;
  }

  /** The service in the settings, even during the demo; undefined if there is no valid one. */
  get address(): ServiceAddress | undefined {
    if (this.#parsed?.text !== this.#address)
      this.#parsed = {
        text: this.#address,
        address:
          addressProblem(this.#address) === undefined ? parseAddress(this.#address) : undefined,
      };
    return this.#parsed.address;
  }

  /** The id of the current service, or the origin of the demo. */
  get service(): string | undefined {
    return this.isDemo ? parseAddress(this.#demo.baseUrl).origin : this.services.current?.id;
  }

  /** The names of the services; undefined for the demo, whose models have only their ids. */
  get names(): ServiceNames | undefined {
    return this.isDemo ? undefined : this.services.names;
  }

  /** The service of a written model id. The demo has no others, so that it sends nothing. */
  placeOf(model: string): ModelPlace {
    const { isDemo, service, services } = this;
    if (isDemo) return { id: model, service, other: undefined };
    const reference = parseModelReference(model, services.names);
    const other = services.others.find(({ name }) => name === reference.service);
    return { id: reference.id, service: other?.id ?? service, other };
  }

  /** Called with the error of a request. It may mean that the service needs another key. */
  noteError(model: string, error: unknown): void {
    const isAboutKey =
      error instanceof ServiceError && ['missing-key', 'unauthorized'].includes(error.kind);
    if (isAboutKey && !this.isDemo) this.#withoutKey = this.placeOf(model).service;
  }

  /** The service that needs a key, according to {@link noteError}. */
  get serviceWithoutKey(): ConnectedService | undefined {
    return this.services.all.find(({ id }) => id === this.#withoutKey);
  }

  /** The canonical form of a written model id. */
  written(model: string): string {
    return this.isDemo ? model : canonicalModel(model, this.services.names);
  }

  /**
   * The address and key for the next request. The key is one that was entered for the address's origin.
   *
   * @param other a service other than the current one
   * @throws ServiceError `invalid-address` if none is set or it is invalid, `missing-key`
   */
  async endpoint(other?: ConnectedService): Promise<ServiceEndpoint> {
    if (this.isDemo) {
      const address = parseAddress(this.#demo.baseUrl);
      return { ...address, ...this.#demo, id: address.origin, demo: true };
    }
    const { id, baseUrl, origin, host } = other ?? this.services.at(parseAddress(this.#address));
    const service = { id, baseUrl, origin, host };
    const apiKey = await this.#readKey(service);
    return { ...service, fetch: this.#fetch, apiKey, demo: false };
  }

  /** Other services that have a key; none during the demo, which sends nothing. */
  async otherEndpoints(): Promise<readonly OtherEndpoint[]> {
    if (this.isDemo) return [];
    const endpoints = await Promise.all(
      this.services.others.map(async (service) => {
        // A service without a key can't be used.
        const endpoint = await orUndefined(this.endpoint(service));
        return endpoint && { ...endpoint, name: service.name };
      }),
    );
    return endpoints.filter((endpoint) => endpoint !== undefined);
  }

  /**
   * Reads the key again for another request to the same service: it may have changed.
   *
   * @throws ServiceError `missing-key`
   */
  currentKey(endpoint: ServiceEndpoint): Promise<string> {
    return endpoint.demo ? Promise.resolve(endpoint.apiKey) : this.#readKey(endpoint);
  }

  async useDemo(): Promise<void> {
    await this.#setDemo(true);
  }

  async leaveDemo(): Promise<void> {
    await this.#setDemo(undefined);
  }

  /** Notices what another window changed, which causes no event here. */
  refresh(): void {
    if (this.#look() !== this.#seen) this.#fireChange();
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }

  #fireChange(): void {
    this.#seen = this.#look();
    this.#changed.fire(this.state);
  }

  #look(): string {
    return JSON.stringify([this.isDemo, this.services.names]);
  }

  async #readKey(service: Omit<ConnectedService, 'name'>): Promise<string> {
    let cause: unknown;
    const apiKey = await this.#keys.read(service.id).catch((error: unknown) => {
      cause = error;
      return undefined;
    });
    if (apiKey !== undefined && apiKey !== '') return apiKey;
    const host = this.services.label(service);
    throw new ServiceError('missing-key', 'No key for this service', { host, cause });
  }

  async #setDemo(flag: true | undefined): Promise<void> {
    if (this.isDemo === (flag === true)) return;
    await this.#state.update(demoFlag, flag);
    this.#fireChange();
  }

  #followAddress(): void {
    const address = this.#settings.current().baseUrl;
    if (address === this.#address) return;
    const before = this.services.current;
    this.#address = address;
    if (!this.isDemo) this.#fireChange();
    if (before === undefined) return;
    // A service whose address was replaced is kept if it can still be used. If that fails, the key
    // is still there the next time it is connected.
    const keep = async (): Promise<void> => {
      const key = await this.#keys.read(before.id);
      if (key !== undefined && before.origin !== this.address?.origin)
        await this.services.remember(before);
    };
    background(keep());
  }
}
