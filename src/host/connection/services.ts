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

/** A service that was connected. Its key is kept apart, bound to its origin. */
export interface ConnectedService extends ServiceAddress {
  /** Behind the ids of its models, where another service is the current one. */
  readonly name: string;
}

interface ServicesOptions {
  /** `globalState` */
  readonly state: Memento;
  /** The address of the current service; undefined where there is none. */
  readonly current: () => ServiceAddress | undefined;
}

const stateKey = 'aside.services';
/** Services that are kept; the oldest are left out first. */
const mostServices = 50;

const storedServices = z.array(z.unknown());
const storedService = z.object({
  origin: z.string(),
  baseUrl: z.string(),
  name: z.string().check(z.refine(isServiceName)),
});

/** The services that were connected, one for each origin, the current one among them. */
export class Services implements Disposable {
  readonly #options: ServicesOptions;
  readonly #changed = new Emitter<undefined>();
  /** What is stored, parsed once: ids of models are read all the time. */
  #parsed: { readonly from: unknown; readonly all: readonly ConnectedService[] } | undefined;

  /** Fires when one was added or removed. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ServicesOptions) {
    this.#options = options;
  }

  /** In the order in which they were connected; the one of the settings counts as connected. */
  get all(): readonly ConnectedService[] {
    const kept = this.#kept;
    const current = this.#options.current();
    if (current === undefined) return kept;
    if (kept.some(({ origin }) => origin === current.origin))
      return kept.map((one) => (one.origin === current.origin ? { ...one, ...current } : one));
    return [...kept, named(current, kept)];
  }

  get current(): ConnectedService | undefined {
    const origin = this.#options.current()?.origin;
    return origin === undefined ? undefined : this.all.find((one) => one.origin === origin);
  }

  /** All but the current one. */
  get others(): readonly ConnectedService[] {
    const origin = this.#options.current()?.origin;
    return this.#kept.filter((one) => one.origin !== origin);
  }

  get names(): ServiceNames {
    return { current: this.current?.name, others: this.others.map(({ name }) => name) };
  }

  /** How a model of a service is written; like one of the current service where that isn't known. */
  written(origin: string, id: string): string {
    const isOfCurrent = origin === this.#options.current()?.origin;
    if (isOfCurrent && !id.includes('@')) return id;
    const service = this.others.find((one) => one.origin === origin)?.name;
    return writeModelReference({ id, service }, this.names);
  }

  /** Keeps a service, with the name that it has. */
  async remember({ baseUrl, origin, host }: ServiceAddress): Promise<void> {
    const { all } = this;
    const kept = this.#kept;
    const address = { baseUrl, origin, host };
    const known = all.find((one) => one.origin === origin) ?? named(address, all);
    const service = { ...known, ...address };
    const isKept = kept.some((one) => one.origin === origin);
    await this.#store(
      isKept ? kept.map((one) => (one.origin === origin ? service : one)) : [...kept, service],
    );
  }

  /** Forgets a service, but not its key. */
  async remove(origin: string): Promise<void> {
    await this.#store(this.#kept.filter((one) => one.origin !== origin));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  get #kept(): readonly ConnectedService[] {
    const from = this.#options.state.get(stateKey);
    if (this.#parsed === undefined || this.#parsed.from !== from)
      this.#parsed = { from, all: readServices(from) };
    return this.#parsed.all;
  }

  async #store(services: readonly ConnectedService[]): Promise<void> {
    const kept = services.slice(-mostServices).map(storedForm);
    if (JSON.stringify(kept) === JSON.stringify(this.#kept.map(storedForm))) return;
    await this.#options.state.update(stateKey, kept);
    this.#changed.fire(undefined);
  }
}

function storedForm({ origin, baseUrl, name }: ConnectedService): z.infer<typeof storedService> {
  return { origin, baseUrl, name };
}

function named(address: ServiceAddress, others: readonly ConnectedService[]): ConnectedService {
  const taken = others.map(({ name }) => name);
  return { ...address, name: serviceName(address.host, taken) };
}

/** Leaves out what is damaged: requests go only to an address that belongs to its origin. */
function readServices(stored: unknown): readonly ConnectedService[] {
  const found: ConnectedService[] = [];
  for (const entry of storedServices.safeParse(stored).data ?? []) {
    const service = readService(entry);
    const isTaken = found.some(
      ({ origin, name }) => origin === service?.origin || name === service?.name,
    );
    if (service !== undefined && !isTaken) found.push(service);
  }
  return found.slice(-mostServices);
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
