import type { ServiceModel } from './modelList.ts';
import type { ServiceEndpoint } from './connection.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';

export interface OfferedService {
  /** Undefined for the current one. */
  readonly name: string | undefined;
  readonly id: string;
  /** The host, with the name of the account if there are several. */
  readonly host: string;
  /** Undefined if the service can't be asked for its models. */
  readonly endpoint?: ServiceEndpoint | undefined;
  readonly problem?: string | undefined;
}

export interface OfferedModelsOptions {
  /** The current one, if present, comes first. */
  readonly services: readonly OfferedService[];
  readonly catalog: ModelCatalog;
  /** Returns the written id of a service's model. */
  readonly written: (service: string, id: string) => string;
  readonly describe: (error: unknown) => string;
}

/** Combines the lists of several services. If one can't be read, the others remain. */
export class OfferedModels {
  readonly #options: OfferedModelsOptions;
  readonly #problems = new Map<string, string>();

  constructor(options: OfferedModelsOptions) {
    this.#options = options;
    for (const { id, problem } of options.services)
      if (problem !== undefined) this.#problems.set(id, problem);
  }

  get hosts(): readonly string[] {
    return this.#options.services.map(({ host }) => host);
  }

  /** Reasons for missing models, by name or host of the service. */
  get problems(): readonly (readonly [service: string, problem: string])[] {
    return this.#options.services.flatMap(({ name, host, id }) => {
      const problem = this.#problems.get(id);
      return problem === undefined ? [] : [[name ?? host, problem] as const];
    });
  }

  /** The last combined list; undefined if there is none. Its age is that of its oldest part. */
  get list(): ModelList<ServiceModel> | undefined {
    const lists = this.#lists;
    if (lists.length === 0) return undefined;
    return {
      models: lists.flatMap(([service, { models }]) => this.#modelsOf(service, models)),
      readAt: Math.min(...lists.map(([, { readAt }]) => readAt)),
    };
  }

  /** True if a list is missing, or was read before this time. */
  isOlder(than: number): boolean {
    return this.#options.services.some((service) => this.#isOlder(service, than));
  }

  /**
   * Reads the lists again. Rejects only if there is one service, and it can't be read.
   *
   * @param than limits the refresh to lists that were read before this time
   * @param onRead called after each list
   */
  async refresh(signal: AbortSignal, onRead: () => void, than = Infinity): Promise<void> {
    const old = this.#options.services.filter((service) => this.#isOlder(service, than));
    await Promise.all(
      old.map(async (service) => {
        await this.#read(service, signal);
        if (!signal.aborted) onRead();
      }),
    );
  }

  get #lists(): readonly (readonly [OfferedService, ModelList])[] {
    const { catalog, services } = this.#options;
    return services.flatMap((service) => {
      const list = catalog.list(service.id);
      return list === undefined ? [] : [[service, list] as const];
    });
  }

  #modelsOf(
    { name, id: service }: OfferedService,
    models: ModelList['models'],
  ): readonly ServiceModel[] {
    const { written } = this.#options;
    return models.map((model) => {
      const id = written(service, model.id);
      return name === undefined ? { ...model, id } : { ...model, id, service: name };
    });
  }

  #isOlder({ id, endpoint }: OfferedService, than: number): boolean {
    if (endpoint === undefined) return false;
    return (this.#options.catalog.list(id)?.readAt ?? -Infinity) < than;
  }

  async #read({ endpoint, id }: OfferedService, signal: AbortSignal): Promise<void> {
    const { catalog, describe, services } = this.#options;
    if (endpoint === undefined) return;
    try {
      await catalog.refresh(endpoint, signal);
      this.#problems.delete(id);
    } catch (error) {
      if (services.length === 1 || signal.aborted) throw error;
      this.#problems.set(id, describe(error));
    }
  }
}
