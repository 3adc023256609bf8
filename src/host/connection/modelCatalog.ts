import * as z from 'zod/mini';
import { createClient } from '../../core/service/client.ts';
import { ServiceError } from '../../core/service/errors.ts';
import { learnedLimits, type LearnedLimits } from '../../core/service/learnedLimits.ts';
import { modelFactFields, type ModelFacts } from '../../core/service/modelFacts.ts';
import { readModel, type Model } from '../../core/service/wire.ts';
import { systemClock, type Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { Memento } from '../memento.ts';
import type { Endpoint } from './connection.ts';

/** A model list, and when it was read. */
export interface ModelList {
  readonly models: readonly Model[];
  /** Milliseconds since the Unix epoch. */
  readonly readAt: number;
}

interface ModelCatalogOptions {
  /** `globalState` */
  readonly state: Memento;
  readonly readModels: ReadModels;
  readonly clock: Clock;
}

const storedList = z.object({ readAt: z.number(), models: z.array(z.unknown()) });
const limit = z.optional(z.int().check(z.minimum(1)));
const storedLimits = z.array(
  z.tuple([z.string(), z.object({ contextWindow: limit, maxOutput: limit })]),
);
const storedIds = z.array(z.string());

const keys = {
  list: 'aside.models:',
  recent: 'aside.recentModels',
  pinned: 'aside.pinnedModels',
  compared: 'aside.comparedModels',
  limits: 'aside.learnedLimits:',
};
const recentCount = 5;
/** Models of a service about whose limits something is kept. */
const learnedCount = 100;

/** The models of each service from the last read, and those chosen last. */
export class ModelCatalog implements Disposable {
  readonly #options: ModelCatalogOptions;
  readonly #lists = new Map<string, ModelList>();
  readonly #changed = new Emitter<string>();

  /** Fires with the origin whose list was read. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ModelCatalogOptions) {
    this.#options = options;
  }

  /** The list from the last read, also in an earlier window. */
  list(origin: string): ModelList | undefined {
    const known = this.#lists.get(origin);
    if (known !== undefined) return known;
    const stored = storedList.safeParse(this.#options.state.get(keys.list + origin));
    if (!stored.success) return undefined;
    const models = stored.data.models.map(readModel).filter((model) => model !== undefined);
    const list = { models, readAt: stored.data.readAt };
    this.#lists.set(origin, list);
    return list;
  }

  /** What a service says about its models, in its list and in its errors, by their ids. */
  facts(origin: string): ReadonlyMap<string, ModelFacts> {
    const models = this.list(origin)?.models ?? [];
    const facts = new Map(models.map(({ id, facts: listed = {} }) => [id, listed]));
    for (const [id, limits] of this.#learned(origin))
      facts.set(id, withLimits(facts.get(id) ?? {}, limits));
    return facts;
  }

  /** Whether the model is missing in the list; false without a list. */
  lacks(origin: string, id: string): boolean {
    const models = this.list(origin)?.models ?? [];
    return models.length > 0 && !models.some((model) => model.id === id);
  }

  /**
   * Notes what an error says about a model: its limits, or that the service does not have it, which
   * takes it out of the list.
   */
  async noteError(origin: string, id: string, error: unknown): Promise<void> {
    await this.#learn(origin, id, learnedLimits(error));
    const known = this.list(origin);
    if (known === undefined || !isAboutModel(error)) return;
    const models = known.models.filter((model) => model.id !== id);
    if (models.length < known.models.length) await this.#store(origin, { ...known, models });
  }

  /** Reads the list again. Throws the errors of the client, and then keeps the old list. */
  async refresh(endpoint: Endpoint, signal: AbortSignal): Promise<ModelList> {
    const models = await this.#options.readModels(endpoint, signal);
    return this.remember(endpoint.origin, models);
  }

  async remember(origin: string, models: readonly Model[]): Promise<ModelList> {
    const list = { models, readAt: this.#options.clock.wall() };
    await this.#store(origin, list);
    return list;
  }

  /** The models chosen last, the newest first. */
  recent(): readonly string[] {
    return storedIds.safeParse(this.#options.state.get(keys.recent)).data ?? [];
  }

  async noteChoice(id: string): Promise<void> {
    const others = this.recent().filter((recent) => recent !== id);
    await this.#options.state.update(keys.recent, [id, ...others].slice(0, recentCount));
  }

  /** The models that were compared last. */
  compared(): readonly string[] {
    return storedIds.safeParse(this.#options.state.get(keys.compared)).data ?? [];
  }

  async noteCompared(ids: readonly string[]): Promise<void> {
    await this.#options.state.update(keys.compared, ids);
  }

  pinned(): readonly string[] {
    return storedIds.safeParse(this.#options.state.get(keys.pinned)).data ?? [];
  }

  async togglePin(id: string): Promise<void> {
    const pinned = this.pinned();
    const others = pinned.filter((other) => other !== id);
    const next = others.length === pinned.length ? [...pinned, id] : others;
    await this.#options.state.update(keys.pinned, next);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #learned(origin: string): readonly [string, LearnedLimits][] {
    return storedLimits.safeParse(this.#options.state.get(keys.limits + origin)).data ?? [];
  }

  async #learn(origin: string, id: string, limits: LearnedLimits): Promise<void> {
    if (Object.keys(limits).length === 0) return;
    const known = this.#learned(origin);
    const before = known.find(([other]) => other === id)?.[1];
    const others = known.filter(([other]) => other !== id);
    const next = [[id, { ...before, ...limits }], ...others].slice(0, learnedCount);
    await this.#options.state.update(keys.limits + origin, next);
    this.#changed.fire(origin);
  }

  async #store(origin: string, list: ModelList): Promise<void> {
    this.#lists.set(origin, list);
    // Stored with the property names of the service's reply, so that the same code reads both.
    const models = list.models.map(({ id, ownedBy, facts = {} }) => ({
      id,
      owned_by: ownedBy,
      ...modelFactFields(facts),
    }));
    await this.#options.state.update(keys.list + origin, { readAt: list.readAt, models });
    this.#changed.fire(origin);
  }
}

/** An error is newer than a list, and what it names can't be more than what is listed. */
function withLimits(listed: ModelFacts, learned: LearnedLimits): ModelFacts {
  const least = (name: keyof LearnedLimits): number =>
    Math.min(listed[name] ?? Infinity, learned[name] ?? Infinity);
  const [contextWindow, maxOutput] = [least('contextWindow'), least('maxOutput')];
  return {
    ...listed,
    ...(contextWindow === Infinity ? {} : { contextWindow }),
    ...(maxOutput === Infinity ? {} : { maxOutput }),
  };
}

/** Whether a 404 is about the model and not about the address. */
function isAboutModel(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.kind !== 'not-found') return false;
  return `${error.code ?? ''} ${error.detail ?? ''}`.toLowerCase().includes('model');
}

/** Reads the models of a key. Does not retry, since the person waits and can retry. */
export type ReadModels = (endpoint: Endpoint, signal: AbortSignal) => Promise<readonly Model[]>;

/** @param silenceSeconds returns the current `aside.requestTimeoutSeconds` */
export function createModelReader(silenceSeconds: () => number): ReadModels {
  return ({ baseUrl, apiKey, fetch }, signal) => {
    const silenceLimit = silenceSeconds() * 1000;
    const client = createClient({ baseUrl, apiKey, fetch, clock: systemClock, silenceLimit });
    return client.listModels({ signal, attempts: 1 });
  };
}
