import * as z from 'zod/mini';
import { ServiceClient } from '../../core/service/client.ts';
import { ServiceError } from '../../core/service/errors.ts';
import {
  LearnedFactStore,
  limitsIn,
  type LearnedDetails,
} from '../../core/service/learnedFacts.ts';
import { modelFactFields, type ModelFacts } from '../../core/service/modelFacts.ts';
import {
  modelKeys,
  referencedModels,
  type ModelKeys,
  type ServiceNames,
} from '../../core/service/modelReference.ts';
import { readModel, type Model } from '../../core/service/wire.ts';
import { systemClock, type Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { Memento } from '../platform/memento.ts';
import type { Endpoint, ServiceEndpoint } from './connection.ts';

/** A model list, with the time when it was read. */
export interface ModelList<Listed extends Model = Model> {
  readonly models: readonly Listed[];
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
}

const storedList = z.object({ readAt: z.number(), models: z.array(z.unknown()) });
const storedIds = z.array(z.string());

const keys = {
  list: 'aside.models:',
  recent: 'aside.recentModels',
  pinned: 'aside.pinnedModels',
};
const recentCount = 5;

/** The last known model list of each service, and the recently chosen models. */
export class ModelCatalog implements Disposable {
  readonly #state: Memento;
  readonly #readModels: ReadModels;
  readonly #clock: Clock;
  readonly #names: () => ServiceNames | undefined;
  readonly #lists = new Map<string, ModelList>();
  readonly #changed = new Emitter<string>();
  readonly learned: LearnedFactStore;

  /** Fires with the id of the service whose list was read, or about whose models something was learned. */
  readonly onDidChange = this.#changed.event;

  /**
   * @param state `globalState`
   * @param names returns those of the services; undefined for the demo
   */
  constructor(
    state: Memento,
    readModels: ReadModels,
    clock: Clock,
    names: () => ServiceNames | undefined = () => undefined,
  ) {
    this.#state = state;
    this.#readModels = readModels;
    this.#clock = clock;
    this.#names = names;
    this.learned = new LearnedFactStore(state);
    this.learned.onDidChange((service) => this.#changed.fire(service));
  }

  /** The last list, possibly from an earlier window. */
  list(service: string): ModelList | undefined {
    const known = this.#lists.get(service);
    if (known !== undefined) return known;
    const stored = storedList.safeParse(this.#state.get(keys.list + service));
    if (!stored.success) return undefined;
    const models = stored.data.models.map(readModel).filter((model) => model !== undefined);
    const list = { models, readAt: stored.data.readAt };
    this.#lists.set(service, list);
    return list;
  }

  /** Details of a service's models, by id, from its list and its errors. */
  facts(service: string): ReadonlyMap<string, ModelFacts> {
    const models = this.list(service)?.models ?? [];
    const facts = new Map(models.map(({ id, facts: listed = {} }) => [id, listed]));
    for (const [id, learned] of this.learned.models(service))
      facts.set(id, withLearned(facts.get(id) ?? {}, learned));
    return facts;
  }

  listedFacts(service: string, id: string): ModelFacts {
    return this.list(service)?.models.find((model) => model.id === id)?.facts ?? {};
  }

  /** True if the list lacks the model; false without a list. */
  lacks(service: string, id: string): boolean {
    const models = this.list(service)?.models ?? [];
    return models.length > 0 && !this.has(service, id);
  }

  has(service: string, id: string): boolean {
    return this.list(service)?.models.some((model) => model.id === id) === true;
  }

  /**
   * Learns from an error about a model: its limits, or that the service doesn't have it, which
   * removes it from the list.
   */
  async noteError(service: string, id: string, error: unknown): Promise<void> {
    await this.learned.learn(service, id, limitsIn(error));
    const known = this.list(service);
    if (known === undefined || !(error instanceof ServiceError) || error.kind !== 'not-found')
      return;
    // A 404 may be about the address.
    const words = `${error.code ?? ''} ${error.detail ?? ''}`.toLowerCase();
    if (!words.includes('model')) return;
    const models = known.models.filter((model) => model.id !== id);
    if (models.length < known.models.length) await this.#store(service, { ...known, models });
  }

  /** Reads the list again. Throws the client's errors; then the old list remains. */
  async refresh(endpoint: ServiceEndpoint, signal: AbortSignal): Promise<ModelList> {
    return this.remember(endpoint.id, await this.#readModels(endpoint, signal));
  }

  async remember(service: string, models: readonly Model[]): Promise<ModelList> {
    const list = { models, readAt: this.#clock.wall() };
    await this.#store(service, list);
    return list;
  }

  /** Recently chosen models, newest first. */
  recent(): readonly string[] {
    return this.#models(keys.recent);
  }

  async noteChoice(model: string): Promise<void> {
    const { own, general } = this.#keysOf(model);
    const others = this.#stored(keys.recent).filter((key) => key !== own && key !== general);
    await this.#state.update(keys.recent, [own, ...others].slice(0, recentCount));
  }

  pinned(): readonly string[] {
    return this.#models(keys.pinned);
  }

  async togglePin(model: string): Promise<void> {
    const pinned = this.pinned();
    const others = pinned.filter((other) => other !== model);
    const next = others.length === pinned.length ? [...pinned, model] : others;
    await this.#state.update(
      keys.pinned,
      next.map((pin) => this.#keysOf(pin).own),
    );
  }

  dispose(): void {
    this.learned.dispose();
    this.#changed.dispose();
  }

  /** The written ids of stored models. */
  #models(key: string): readonly string[] {
    const names = this.#names();
    const stored = this.#stored(key);
    return names === undefined
      ? stored
      : [...new Set(stored.flatMap((model) => referencedModels(model, names)))];
  }

  #stored(key: string): readonly string[] {
    return storedIds.safeParse(this.#state.get(key)).data ?? [];
  }

  #keysOf(model: string): ModelKeys {
    return modelKeys(model, this.#names());
  }

  async #store(service: string, list: ModelList): Promise<void> {
    this.#lists.set(service, list);
    // Stored with the service's property names, so that the same code reads both.
    const models = list.models.map(({ id, ownedBy, facts = {} }) => ({
      id,
      owned_by: ownedBy,
      ...modelFactFields(facts),
    }));
    await this.#state.update(keys.list + service, { readAt: list.readAt, models });
    this.#changed.fire(service);
  }
}

/** Merges details: an error is newer than a list, and its limits can't exceed the listed ones. */
function withLearned(listed: ModelFacts, learned: LearnedDetails): ModelFacts {
  const least = (name: 'contextWindow' | 'maxOutput'): number =>
    Math.min(listed[name] ?? Infinity, learned[name] ?? Infinity);
  const [contextWindow, maxOutput] = [least('contextWindow'), least('maxOutput')];
  const refused = [...new Set([...(listed.refused ?? []), ...(learned.refused ?? [])])];
  return {
    ...listed,
    ...(contextWindow === Infinity ? {} : { contextWindow }),
    ...(maxOutput === Infinity ? {} : { maxOutput }),
    ...(refused.length === 0 ? {} : { refused }),
  };
}

/** Reads the models of a key. Doesn't retry, since the person waits and can retry. */
export type ReadModels = (endpoint: Endpoint, signal: AbortSignal) => Promise<readonly Model[]>;

/** @param silenceSeconds returns the current `aside.requestTimeoutSeconds` */
export function createModelReader(silenceSeconds: () => number): ReadModels {
  return ({ baseUrl, apiKey, fetch }, signal) => {
    const silenceLimit = silenceSeconds() * 1000;
    const client = new ServiceClient({ baseUrl, apiKey, fetch, clock: systemClock, silenceLimit });
    return client.listModels({ signal, attempts: 1 });
  };
}
