import * as z from 'zod/mini';
import { parseAddress, type ServiceAddress } from '../../core/service/address.ts';
import {
  isServiceName,
  serviceName,
  writeModelReference,
  type ServiceNames,
} from '../../core/service/modelReference.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { Memento } from '../memento.ts';

/** A connected service. Its key is stored separately, bound to its origin. */
export interface ConnectedService extends ServiceAddress {
  /** Suffix of the ids of its models while another service is current. */
  readonly name: string;
}

interface ServicesOptions {
  /** `globalState` */
  readonly state: Memento;
  /** The address of the current service; undefined if there is none. */
  readonly current: () => ServiceAddress | undefined;
}

const stateKey = 'aside.services';
/** The most services that are stored; the oldest are dropped first. */
const mostServices = 50;

const storedServices = z.array(z.unknown());
const storedService = z.object({
  origin: z.string(),
  baseUrl: z.string(),
  name: z.string().check(z.refine(isServiceName)),
});

/** The connected services, one for each origin, including the current one. */
export class Services implements Disposable {
  readonly #options: ServicesOptions;
  readonly #changed = new Emitter<undefined>();
  /** The stored value, parsed once, since ids of models are read all the time. */
  #parsed: { readonly from: unknown; readonly all: readonly ConnectedService[] } | undefined;

  /** Fires when a service was added or removed. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ServicesOptions) {
    this.#options = options;
  }

  /** All services in the order of connecting. The one in the settings counts as connected. */
  get all(): readonly ConnectedService[] {
    const stored = this.#stored;
    const current = this.#options.current();
    if (current === undefined) return stored;
    if (stored.some(({ origin }) => origin === current.origin))
      return stored.map((service) =>
        service.origin === current.origin ? { ...service, ...current } : service,
      );
    return [...stored, named(current, stored)];
  }

  get current(): ConnectedService | undefined {
    const origin = this.#options.current()?.origin;
    return origin === undefined ? undefined : this.all.find((service) => service.origin === origin);
  }

  /** All but the current one. */
  get others(): readonly ConnectedService[] {
    const origin = this.#options.current()?.origin;
    return this.#stored.filter((service) => service.origin !== origin);
  }

  get names(): ServiceNames {
    return { current: this.current?.name, others: this.others.map(({ name }) => name) };
  }

  /** The written id of a model, without a service name if the service is unknown. */
  written(origin: string, id: string): string {
    const isOfCurrent = origin === this.#options.current()?.origin;
    if (isOfCurrent && !id.includes('@')) return id;
    const service = this.others.find((other) => other.origin === origin)?.name;
    return writeModelReference({ id, service }, this.names);
  }

  /** Stores a service under its existing name, or a new one. */
  async remember({ baseUrl, origin, host }: ServiceAddress): Promise<void> {
    const { all } = this;
    const stored = this.#stored;
    const address = { baseUrl, origin, host };
    const known = all.find((candidate) => candidate.origin === origin) ?? named(address, all);
    const service = { ...known, ...address };
    const isKept = stored.some((candidate) => candidate.origin === origin);
    await this.#store(
      isKept
        ? stored.map((candidate) => (candidate.origin === origin ? service : candidate))
        : [...stored, service],
    );
  }

  /** Removes a service, but not its key. */
  async remove(origin: string): Promise<void> {
    await this.#store(this.#stored.filter((service) => service.origin !== origin));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  get #stored(): readonly ConnectedService[] {
    const from = this.#options.state.get(stateKey);
    if (this.#parsed === undefined || this.#parsed.from !== from)
      this.#parsed = { from, all: readServices(from) };
    return this.#parsed.all;
  }

  async #store(services: readonly ConnectedService[]): Promise<void> {
    const updated = services.slice(-mostServices).map(storedForm);
    if (JSON.stringify(updated) === JSON.stringify(this.#stored.map(storedForm))) return;
    await this.#options.state.update(stateKey, updated);
    this.#changed.fire(undefined);
  }
}

function storedForm({ origin, baseUrl, name }: ConnectedService): z.infer<typeof storedService> {
  return { origin, baseUrl, name };
}

function named(address: ServiceAddress, others: readonly ConnectedService[]): ConnectedService {
  const usedNames = others.map(({ name }) => name);
  return { ...address, name: serviceName(address.host, usedNames) };
}

/** Skips damaged entries: requests go only to an address that belongs to its origin. */
function readServices(stored: unknown): readonly ConnectedService[] {
  const services: ConnectedService[] = [];
  for (const entry of storedServices.safeParse(stored).data ?? []) {
    const service = readService(entry);
    const isTaken = services.some(
      ({ origin, name }) => origin === service?.origin || name === service?.name,
    );
    if (service !== undefined && !isTaken) services.push(service);
  }
  return services.slice(-mostServices);
}

function readService(entry: unknown): ConnectedService | undefined {
  const { data } = storedService.safeParse(entry);
  if (data === undefined) return undefined;
  try {
    const address = parseAddress(data.baseUrl);
    return address.origin === data.origin ? { ...address, name: data.name } : undefined;
  } catch {
    return undefined;
  }
}
