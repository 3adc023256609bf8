import * as vscode from 'vscode';
import { formatTokens, type Price } from '../../core/conversation/usage.ts';
import type { Model } from '../../core/service/wire.ts';
import { counted } from '../../core/support/counted.ts';
import { formatRelativeTime } from '../platform/formatDelay.ts';
import type { ModelSettings } from '../platform/settingValues.ts';
import type { ServiceEndpoint } from './connection.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';
import type { Services } from './services.ts';

export interface ServiceModel extends Model {
  /** Name of its service, which its id ends with; undefined for the current one. */
  readonly service?: string | undefined;
}

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

/** Combines the lists of several services. If one can't be read, the others remain. */
export class OfferedModels {
  readonly #services: readonly OfferedService[];
  readonly #catalog: ModelCatalog;
  readonly #written: Services['written'];
  readonly #describe: (error: unknown) => string;
  readonly #problems = new Map<string, string>();

  /**
   * @param services the current one, if present, comes first
   * @param written returns the written id of a service's model
   */
  constructor(
    services: readonly OfferedService[],
    catalog: ModelCatalog,
    written: Services['written'],
    describe: (error: unknown) => string,
  ) {
    this.#services = services;
    this.#catalog = catalog;
    this.#written = written;
    this.#describe = describe;
    for (const { id, problem } of services)
      if (problem !== undefined) this.#problems.set(id, problem);
  }

  get hosts(): readonly string[] {
    return this.#services.map(({ host }) => host);
  }

  /** Reasons for missing models, by name or host of the service. */
  get problems(): readonly (readonly [service: string, problem: string])[] {
    return this.#services.flatMap(({ name, host, id }) => {
      const problem = this.#problems.get(id);
      return problem === undefined ? [] : [[name ?? host, problem] as const];
    });
  }

  /** The last combined list; undefined if there is none. Its age is that of its oldest part. */
  get list(): ModelList<ServiceModel> | undefined {
    const lists = this.#services.flatMap(({ id, name }) => {
      const list = this.#catalog.list(id);
      if (list === undefined) return [];
      const models = list.models.map((model): ServiceModel => {
        const written = { ...model, id: this.#written(id, model.id) };
        return name === undefined ? written : { ...written, service: name };
      });
      return [{ models, readAt: list.readAt }];
    });
    if (lists.length === 0) return undefined;
    return {
      models: lists.flatMap(({ models }) => models),
      readAt: Math.min(...lists.map(({ readAt }) => readAt)),
    };
  }

  /** True if a list is missing, or was read before this time. */
  isOlder(than: number): boolean {
    return this.#services.some((service) => this.#isOlder(service, than));
  }

  /**
   * Reads the lists again. Rejects only if there is one service, and it can't be read.
   *
   * @param than limits the refresh to lists that were read before this time
   * @param onRead called after each list
   */
  async refresh(signal: AbortSignal, onRead: () => void, than = Infinity): Promise<void> {
    const old = this.#services.filter((service) => this.#isOlder(service, than));
    await Promise.all(
      old.map(async ({ endpoint, id }) => {
        if (endpoint === undefined) return;
        try {
          await this.#catalog.refresh(endpoint, signal);
          this.#problems.delete(id);
        } catch (error) {
          if (this.#services.length === 1 || signal.aborted) throw error;
          this.#problems.set(id, this.#describe(error));
        }
        if (!signal.aborted) onRead();
      }),
    );
  }

  #isOlder({ id, endpoint }: OfferedService, than: number): boolean {
    if (endpoint === undefined) return false;
    return (this.#catalog.list(id)?.readAt ?? -Infinity) < than;
  }
}

export interface ModelChoices {
  readonly models: readonly ServiceModel[];
  /** The model in use; empty if there is none. */
  readonly current: string;
  /** Name of its service; undefined for the current one. */
  readonly service?: string | undefined;
  readonly recent: readonly string[];
  readonly pinned: readonly string[];
  /** The price of a model. If present, all models form one group, cheapest first. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
}

interface ModelGroup {
  readonly kind: 'current' | 'pinned' | 'recent' | 'owner' | 'price';
  /** Name of the provider, or of another service, for the kind `owner`. */
  readonly owner?: string;
  readonly models: readonly ListedModel[];
}

export interface ListedModel extends ServiceModel {
  /** True if the model is in use but no longer listed by the service. */
  readonly missing: boolean;
}

/**
 * Groups the models: recently used ones first, then by provider, other services last. Each model
 * occurs once.
 */
export function groupModels(choices: ModelChoices): ModelGroup[] {
  const { models, current, recent, pinned, priceOf, service } = choices;
  const remaining = new Map(models.map((model) => [model.id, { ...model, missing: false }]));
  const pick = (id: string): ListedModel[] => {
    const model = remaining.get(id);
    remaining.delete(id);
    return model === undefined ? [] : [model];
  };
  const used = pick(current);
  const isListed = models.some((model) => model.service === service);
  const gone = current !== '' && used.length === 0 && isListed;
  const groups: ModelGroup[] = [
    { kind: 'current', models: gone ? [{ id: current, ownedBy: '', missing: true }] : used },
  ];
  if (priceOf === undefined) {
    groups.push(
      { kind: 'pinned', models: pinned.flatMap(pick) },
      { kind: 'recent', models: recent.flatMap(pick) },
    );
    const unused = [...remaining.values()];
    const ofCurrent = unused.filter((model) => model.service === undefined);
    const ofOthers = unused.filter((model) => model.service !== undefined);
    groups.push(
      ...groupsBy(ofCurrent, ({ ownedBy }) => ownedBy),
      ...groupsBy(ofOthers, (model) => model.service ?? ''),
    );
  } else groups.push({ kind: 'price', models: byPrice([...remaining.values()], priceOf) });
  return groups.filter((group) => group.models.length > 0);
}

function groupsBy(
  models: readonly ListedModel[],
  ownerOf: (model: ListedModel) => string,
): ModelGroup[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const groups = new Map<string, ListedModel[]>();
  for (const model of models) {
    const owner = ownerOf(model);
    const group = groups.get(owner);
    if (group === undefined) groups.set(owner, [model]);
    else group.push(model);
  }
  return [...groups]
    .toSorted(([first], [second]) => compare(first, second))
    .map(([owner, owned]) => ({
      kind: 'owner',
      owner,
      models: owned.toSorted((first, second) => compare(first.id, second.id)),
    }));
}

/** Sorts models by price, cheapest first, unknown prices last. */
function byPrice(
  models: readonly ListedModel[],
  priceOf: (model: string) => Price | undefined,
): readonly ListedModel[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const amount = ({ id }: ListedModel): number => {
    const price = priceOf(id);
    return price === undefined ? Number.MAX_VALUE : price.input + price.output;
  };
  return models.toSorted(
    (first, second) => amount(first) - amount(second) || compare(first.id, second.id),
  );
}

export function groupTitle(group: ModelGroup): string {
  switch (group.kind) {
    case 'current':
      return vscode.l10n.t('current');
    case 'pinned':
      return vscode.l10n.t('pinned');
    case 'recent':
      return vscode.l10n.t('recent');
    case 'price':
      return vscode.l10n.t('by price');
    case 'owner':
      return group.owner === undefined || group.owner === ''
        ? vscode.l10n.t('other models')
        : group.owner;
  }
}

/** The id of a model without the name of its service. */
export function bareId({ id, service }: ServiceModel): string {
  return service === undefined ? id : id.slice(0, -`@${service}`.length);
}

export function modelLabel(model: ListedModel): string {
  // The id comes from the service and must not become an icon.
  return (model.missing ? '$(warning) ' : '') + bareId(model).replaceAll('$(', '$ (');
}

/** The words for an amount of reasoning; those of a service alone stay as they are. */
export function effortName(effort: string | undefined): string {
  switch (effort) {
    case undefined:
      return vscode.l10n.t('Default');
    case 'low':
      return vscode.l10n.t('Low');
    case 'medium':
      return vscode.l10n.t('Medium');
    case 'high':
      return vscode.l10n.t('High');
    default:
      return effort;
  }
}

/** The description of a model, without information in its id. */
export function describeModel(
  model: ListedModel,
  settings: Partial<ModelSettings>,
  currency: string,
): string {
  if (model.missing) return vscode.l10n.t('no longer listed by the service');
  const { contextWindow, price, images, tools, reasoningEffort } = settings;
  const parts = [
    model.service ?? '',
    model.ownedBy === '' || model.id.startsWith(`${model.ownedBy}/`) ? '' : model.ownedBy,
    contextWindow === undefined ? '' : vscode.l10n.t('{0} context', formatTokens(contextWindow)),
    images === true ? vscode.l10n.t('images') : '',
    reasoningEffort === undefined ? '' : vscode.l10n.t('effort: {0}', effortName(reasoningEffort)),
    price === undefined
      ? ''
      : vscode.l10n.t(
          '{0} input, {1} output per million tokens',
          currency + String(price.input),
          currency + String(price.output),
        ),
    tools === true ? vscode.l10n.t('tools') : tools === false ? vscode.l10n.t('no tools') : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Age in milliseconds up to which a list counts as new. */
const moment = 10_000;

/** The number of models, their service, and the age of the list. */
export function describeList(
  list: ModelList,
  context: { readonly host: string; readonly now: number; readonly language: string },
): string {
  const count = list.models.length;
  // A clock that was set back must not cause a time in the future.
  const elapsed = Math.max(0, context.now - list.readAt);
  const age =
    elapsed < moment ? vscode.l10n.t('just now') : formatRelativeTime(-elapsed, context.language);
  if (count === 0)
    return vscode.l10n.t(
      'No models available from {0} for this key (updated {1})',
      context.host,
      age,
    );
  return count === 1
    ? vscode.l10n.t('Select a model (1 available from {0}, updated {1})', context.host, age)
    : counted(
        vscode.l10n.t('Select a model ({0} available from {1}, updated {2})'),
        count,
        context.language,
        count,
        context.host,
        age,
      );
}
