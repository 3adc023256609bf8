import * as z from 'zod/mini';
import { addressProblem, parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import {
  isServiceName,
  serviceName,
  writeModelReference,
  type ServiceNames,
} from '../../core/service/modelReference.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { isObject } from '../../core/support/json.ts';
import type { Memento } from '../platform/memento.ts';

/**
 * A connected service. Its key is stored separately. Another key of the same origin is another account,
 * which is a service of its own.
 */
export interface ConnectedService extends ServiceAddress {
  /**
   * What its key, its models and its usage are stored under: its origin, or `<origin>#<name>` for a
   * further account. Requests never go by it.
   */
  readonly id: string;
  /** Suffix of the ids of its models while another service is current. */
  readonly name: string;
}

const stateKey = 'aside.services';
/** The id of the account in use, by origin, where there are several. */
const accountsKey = 'aside.accounts';
/** The most services that are stored; the oldest are dropped first. */
const mostServices = 50;

const storedServices = z.array(z.unknown());
const storedService = z.object({
  /** Absent for the first account of an origin. */
  id: z.optional(z.string()),
  origin: z.string(),
  baseUrl: z.string(),
  name: z.string().check(z.refine(isServiceName)),
});

/** The connected services with their accounts, including the current one. */
export class Services implements Disposable {
  readonly #state: Memento;
  readonly #address: () => ServiceAddress | undefined;
  readonly #changed = new Emitter<undefined>();
  /** The stored value, parsed once, since ids of models are read all the time. */
  #parsed: { readonly from: unknown; readonly all: readonly ConnectedService[] } | undefined;

  /** Fires when a service was added or removed, or another account of an origin is in use. */
  readonly onDidChange = this.#changed.event;

  /**
   * @param state `globalState`
   * @param address returns that of the current service; undefined if there is none
   */
  constructor(state: Memento, address: () => ServiceAddress | undefined) {
    this.#state = state;
    this.#address = address;
  }

  /** All services in the order of connecting. The one in the settings counts as connected. */
  get all(): readonly ConnectedService[] {
    const stored = this.#stored;
    const { current } = this;
    return current === undefined ? stored : withService(stored, current);
  }

  get current(): ConnectedService | undefined {
    const address = this.#address();
    return address && (this.#storedAt(address) ?? newService(address, this.#stored));
  }

  /** All but the current one. */
  get others(): readonly ConnectedService[] {
    const id = this.current?.id;
    return this.#stored.filter((service) => service.id !== id);
  }

  get names(): ServiceNames {
    return { current: this.current?.name, others: this.others.map(({ name }) => name) };
  }

  /** The service at an address, of several accounts the one in use; a new one if there is none. */
  at({ baseUrl, origin, host }: ServiceAddress): ConnectedService {
    const address = { baseUrl, origin, host };
    const { current } = this;
    const ofSettings = current?.origin === origin ? { ...current, ...address } : undefined;
    return this.#storedAt(address) ?? ofSettings ?? newService(address, this.all);
  }

  accountsOf(origin: string): readonly ConnectedService[] {
    return this.all.filter((service) => service.origin === origin);
  }

  /** The host of a service, with the name of its account if the origin has several. */
  label({ id, origin, host }: Omit<ConnectedService, 'name'>): string {
    const accounts = this.accountsOf(origin);
    const name = accounts.find((account) => account.id === id)?.name;
    return accounts.length < 2 || name === undefined ? host : `${host} (${name})`;
  }

  /** The written id of a model, without a service name if the service is unknown. */
  written(service: string, id: string): string {
    const { current } = this;
    const isOfCurrent = service === current?.id;
    if (isOfCurrent && !id.includes('@')) return id;
    const name = isOfCurrent ? undefined : this.#nameOf(service);
    return writeModelReference({ id, service: name }, this.names);
  }

  /** Stores a service, or replaces the stored one with its id. */
  async remember(service: ConnectedService): Promise<void> {
    const { current } = this;
    // The first account of an origin may be only in the settings, where the second one replaces it.
    const first = current?.origin === service.origin ? [current] : [];
    await this.#store([...first, service].reduce(withService, this.#stored));
  }

  /** Makes an account the one in use of its origin. */
  async select({ id, origin }: ConnectedService): Promise<void> {
    if (this.accountsOf(origin).length < 2 || this.#selected[origin] === id) return;
    await this.#state.update(accountsKey, { ...this.#selected, [origin]: id });
    this.#changed.fire(undefined);
  }

  /** Removes a service, but not its key. */
  async remove(id: string): Promise<void> {
    await this.#store(this.#stored.filter((service) => service.id !== id));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** The ids of the accounts in use, by origin. */
  get #selected(): Readonly<Record<string, unknown>> {
    const selected = this.#state.get(accountsKey);
    return isObject(selected) ? selected : {};
  }

  /**
   * The stored service at an address: accounts of a gateway may differ in the path, others in the key
   * alone.
   */
  #storedAt({ baseUrl, origin, host }: ServiceAddress): ConnectedService | undefined {
    const accounts = this.#stored.filter((service) => service.origin === origin);
    const exact = accounts.filter((service) => service.baseUrl === baseUrl);
    const candidates = exact.length > 0 ? exact : accounts;
    const id = this.#selected[origin];
    const account = candidates.find((candidate) => candidate.id === id) ?? candidates[0];
    return account && { ...account, baseUrl, host };
  }

  /** The name of a service other than the current one; undefined if it is unknown. */
  #nameOf(id: string): string | undefined {
    const known = this.others.find((service) => service.id === id)?.name;
    if (known !== undefined) return known;
    // Usage of a removed account isn't that of another one.
    const [origin = '', account] = id.split('#');
    const [sibling] = this.accountsOf(origin);
    const usedNames = this.all.map(({ name }) => name);
    return account ?? (sibling && serviceName(sibling.host, usedNames));
  }

  get #stored(): readonly ConnectedService[] {
    const from = this.#state.get(stateKey);
    if (this.#parsed === undefined || this.#parsed.from !== from)
      this.#parsed = { from, all: readServices(from) };
    return this.#parsed.all;
  }

  async #store(services: readonly ConnectedService[]): Promise<void> {
    const updated = services.slice(-mostServices).map(storedForm);
    if (JSON.stringify(updated) === JSON.stringify(this.#stored.map(storedForm))) return;
    await this.#state.update(stateKey, updated);
    this.#changed.fire(undefined);
  }
}

function storedForm({
  id,
  origin,
  baseUrl,
  name,
}: ConnectedService): z.infer<typeof storedService> {
  return { ...(id === origin ? {} : { id }), origin, baseUrl, name };
}

/** @param account the name of a further account; undefined for the first one of an origin */
export function newService(
  { baseUrl, origin, host }: ServiceAddress,
  others: readonly ConnectedService[],
  account?: string,
): ConnectedService {
  const usedNames = others.map(({ name }) => name);
  const name = account ?? serviceName(host, usedNames);
  return {
    id: account === undefined ? origin : `${origin}#${name}`,
    name,
    baseUrl,
    origin,
    host,
  };
}

function withService(
  services: readonly ConnectedService[],
  added: ConnectedService,
): readonly ConnectedService[] {
  return services.some(({ id }) => id === added.id)
    ? services.map((service) => (service.id === added.id ? added : service))
    : [...services, added];
}

/** Skips damaged entries: requests go only to an address that belongs to its origin. */
function readServices(stored: unknown): readonly ConnectedService[] {
  const services: ConnectedService[] = [];
  for (const entry of storedServices.safeParse(stored).data ?? []) {
    const { data } = storedService.safeParse(entry);
    if (data === undefined || addressProblem(data.baseUrl) !== undefined) continue;
    const { name, origin, id = origin } = data;
    const isOwnId = id === origin || id === `${origin}#${name}`;
    const address = parseAddress(data.baseUrl);
    if (address.origin !== origin || !isOwnId) continue;
    const service = { ...address, id, name };
    if (!services.some((other) => other.id === id || other.name === name)) services.push(service);
  }
  return services.slice(-mostServices);
}
