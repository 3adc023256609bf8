import { parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import { ServiceError } from '../../core/service/errors.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import type { ConnectionState } from '../../protocol/messages.ts';
import type { Memento } from '../memento.ts';
import type { Keys } from './keys.ts';

/** Where requests go, and how. */
export interface Endpoint extends ServiceAddress {
  readonly fetch: typeof fetch;
  readonly apiKey: string;
  readonly demo: boolean;
}

/** The built-in service of `aside.useDemo`. */
interface DemoService {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly apiKey: string;
}

/** The setting for the address of the service. */
interface AddressSetting {
  current(): { readonly baseUrl: string };
  readonly onDidChange: Event<unknown>;
}

export interface ConnectionOptions {
  readonly settings: AddressSetting;
  readonly keys: Keys;
  /** `globalState`: remembers that the demo was chosen. */
  readonly state: Memento;
  readonly demo: DemoService;
  /** The platform's `fetch`. */
  readonly fetch: typeof fetch;
}

const demoFlag = 'aside.demo';

/** The service in use: none, the demo, or the one of the user's settings. */
export class Connection implements Disposable {
  readonly #options: ConnectionOptions;
  readonly #changed = new Emitter<ConnectionState>();
  readonly #listening: Disposable[];
  #address: string;

  /** Fires when the service or its key changes. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { settings, keys } = options;
    this.#address = settings.current().baseUrl;
    this.#listening = [
      settings.onDidChange(() => this.#followAddress()),
      keys.onDidChange((origin) => {
        if (!this.isDemo && origin === this.address?.origin) this.#changed.fire(this.state);
      }),
    ];
  }

  get state(): ConnectionState {
    if (this.isDemo) return { kind: 'demo' };
    const { address } = this;
    return address === undefined ? { kind: 'none' } : { kind: 'service', host: address.host };
  }

  get isDemo(): boolean {
    return this.#options.state.get(demoFlag) === true;
  }

  /** The service of the settings, also during the demo; undefined where none is valid. */
  get address(): ServiceAddress | undefined {
    try {
      return parseAddress(this.#address);
    } catch {
      return undefined;
    }
  }

  /** The origin that the model list belongs to. */
  get origin(): string | undefined {
    return this.isDemo ? parseAddress(this.#options.demo.baseUrl).origin : this.address?.origin;
  }

  /**
   * The address and the key for the next request. The key is the one that was entered for the origin
   * of this address.
   * @throws ServiceError `invalid-address` where none is set or it is not valid, `missing-key`
   */
  async endpoint(): Promise<Endpoint> {
    const { demo, fetch } = this.#options;
    if (this.isDemo) return { ...parseAddress(demo.baseUrl), ...demo, demo: true };
    const address = parseAddress(this.#address);
    const apiKey = await this.#readKey(address);
    return { ...address, fetch, apiKey, demo: false };
  }

  /**
   * The key for another request to the same service, read again: it may have been removed or
   * replaced since.
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
    this.#address = address;
    if (!this.isDemo) this.#changed.fire(this.state);
  }
}
