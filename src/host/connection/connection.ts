import { addressProblem, parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import { ServiceError } from '../../core/reply/errors.ts';
import {
  canonicalModel,
  parseModelReference,
  type ServiceNames,
} from '../../core/service/modelReference.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import type { ConnectionState } from '../../protocol/messages.ts';
import type { Memento } from '../memento.ts';
import type { Keys } from './keys.ts';
import { Services, type ConnectedService } from './services.ts';

export interface Endpoint extends ServiceAddress {
  readonly fetch: typeof fetch;
  readonly apiKey: string;
  readonly demo: boolean;
}

export interface OtherEndpoint extends Endpoint {
  readonly name: string;
}

interface ModelPlace {
  readonly id: string;
  /** Undefined if no service is connected. */
  readonly origin: string | undefined;
  /** The service; undefined for the current one. */
  readonly other: ConnectedService | undefined;
}

/** The built-in service of `aside.useDemo`. */
export interface DemoService {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly apiKey: string;
}

interface AddressSetting {
  current(): { readonly baseUrl: string };
  readonly onDidChange: Event<unknown>;
}

export interface ConnectionOptions {
  readonly settings: AddressSetting;
  readonly keys: Keys;
  /** `globalState`, which stores that the demo was chosen. */
  readonly state: Memento;
  readonly demo: DemoService;
  readonly fetch: typeof fetch;
}

const demoFlag = 'aside.demo';

/** The current service (none, the demo, or the one in the user's settings), and the others. */
export class Connection implements Disposable {
  readonly #options: ConnectionOptions;
  readonly #changed = new Emitter<ConnectionState>();
  readonly #listening: Disposable[];
  #address: string;
  /** The parsed `#address`, cached since every model id needs it. */
  #parsed: { readonly text: string; readonly address: ServiceAddress | undefined } | undefined;

  #originWithoutKey: string | undefined;

  readonly services: Services;

  /** Fires when a service or its key changes. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { settings, keys, state } = options;
    this.services = new Services({ state, current: () => this.address });
    this.#address = settings.current().baseUrl;
    this.#listening = [
      settings.onDidChange(() => this.#followAddress()),
      keys.onDidChange((origin) => {
        if (origin === this.#originWithoutKey) this.#originWithoutKey = undefined;
        const isOfService = this.services.all.some((service) => service.origin === origin);
        if (!this.isDemo && isOfService) this.#changed.fire(this.state);
      }),
      this.services.onDidChange(() => this.#changed.fire(this.state)),
      this.services,
    ];
  }

  get state(): ConnectionState {
    if (this.isDemo) return { kind: 'demo' };
    const { address } = this;
    return address === undefined ? { kind: 'none' } : { kind: 'service', host: address.host };
  }

  /** The service of a model, with its host if several are connected. */
  stateOf(model: string): ConnectionState {
    const { other } = this.placeOf(model);
    const isAlone = this.services.all.length <= 1;
    if (other === undefined) return isAlone ? { kind: this.state.kind } : this.state;
    return { kind: 'service', host: other.host };
  }

  get isDemo(): boolean {
    return this.#options.state.get(demoFlag) === true;
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

  get origin(): string | undefined {
    return this.isDemo ? parseAddress(this.#options.demo.baseUrl).origin : this.address?.origin;
  }

  /** The names of the services; undefined for the demo, whose models have only their ids. */
  get names(): ServiceNames | undefined {
    return this.isDemo ? undefined : this.services.names;
  }

  /** The service of a written model id. The demo has no others, so that it sends nothing. */
  placeOf(model: string): ModelPlace {
    const { isDemo, origin, services } = this;
    if (isDemo) return { id: model, origin, other: undefined };
    const { id, service } = parseModelReference(model, services.names);
    const other = services.others.find(({ name }) => name === service);
    return { id, origin: other?.origin ?? origin, other };
  }

  /** Called with the error of a request. It may mean that the service needs another key. */
  noteError(model: string, error: unknown): void {
    const isAboutKey =
      error instanceof ServiceError && ['missing-key', 'unauthorized'].includes(error.kind);
    if (isAboutKey && !this.isDemo) this.#originWithoutKey = this.placeOf(model).origin;
  }

  /** The service that needs a key, according to {@link noteError}. */
  get serviceWithoutKey(): ServiceAddress | undefined {
    return this.services.all.find(({ origin }) => origin === this.#originWithoutKey);
  }

  /** The canonical form of a written model id. */
  written(model: string): string {
    return this.isDemo ? model : canonicalModel(model, this.services.names);
  }

  /**
   * The address and key for the next request. The key is that of the address's origin.
   *
   * @param other a service other than the current one
   * @throws ServiceError `invalid-address` if none is set or it is invalid, `missing-key`
   */
  async endpoint(other?: ServiceAddress): Promise<Endpoint> {
    const { demo, fetch } = this.#options;
    if (this.isDemo) return { ...parseAddress(demo.baseUrl), ...demo, demo: true };
    const { baseUrl, origin, host } = other ?? parseAddress(this.#address);
    const address = { baseUrl, origin, host };
    const apiKey = await this.#readKey(address);
    return { ...address, fetch, apiKey, demo: false };
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
  currentKey(endpoint: Endpoint): Promise<string> {
    return endpoint.demo ? Promise.resolve(endpoint.apiKey) : this.#readKey(endpoint);
  }

  async useDemo(): Promise<void> {
    await this.#setDemo(true);
  }

  async leaveDemo(): Promise<void> {
    await this.#setDemo(undefined);
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }

  async #readKey({ origin, host }: ServiceAddress): Promise<string> {
    let cause: unknown;
    const apiKey = await this.#options.keys.read(origin).catch((error: unknown) => {
      cause = error;
      return undefined;
    });
    if (apiKey !== undefined && apiKey !== '') return apiKey;
    throw new ServiceError('missing-key', 'No key for this origin', { host, cause });
  }

  async #setDemo(flag: true | undefined): Promise<void> {
    if (this.isDemo === (flag === true)) return;
    await this.#options.state.update(demoFlag, flag);
    this.#changed.fire(this.state);
  }

  #followAddress(): void {
    const address = this.#options.settings.current().baseUrl;
    if (address === this.#address) return;
    const before = this.address;
    this.#address = address;
    if (!this.isDemo) this.#changed.fire(this.state);
    // If this fails, the key is still there the next time the service is connected.
    if (before !== undefined) background(this.#keep(before));
  }

  /** Stores a service whose address was replaced, if it can still be used. */
  async #keep(address: ServiceAddress): Promise<void> {
    const { keys } = this.#options;
    const key = await keys.read(address.origin);
    if (key !== undefined && address.origin !== this.address?.origin)
      await this.services.remember(address);
  }
}
