import type { Model } from '../../core/service/wire.ts';

export interface ModelChoices {
  readonly models: readonly Model[];
  /** The model in use; empty where there is none. */
  readonly current: string;
  readonly recent: readonly string[];
  readonly pinned: readonly string[];
}

/** Models that stand under one heading. */
export interface ModelGroup {
  readonly kind: 'current' | 'pinned' | 'recent' | 'owner';
  /** Name of the provider, for the kind `owner`. */
  readonly owner?: string;
  readonly models: readonly ListedModel[];
}

export interface ListedModel extends Model {
  /** True when it is in use and the service does not list it any more. */
  readonly missing: boolean;
}

/** Orders the list for choosing: what the person comes back to, then by provider; each model once. */
export function groupModels({ models, current, recent, pinned }: ModelChoices): ModelGroup[] {
  const left = new Map(models.map((model) => [model.id, { ...model, missing: false }]));
  const take = (id: string): ListedModel[] => {
    const model = left.get(id);
    left.delete(id);
    return model === undefined ? [] : [model];
  };
  const used = take(current);
  const gone = current !== '' && used.length === 0 && models.length > 0;
  const groups: ModelGroup[] = [
    { kind: 'current', models: gone ? [{ id: current, ownedBy: '', missing: true }] : used },
    { kind: 'pinned', models: pinned.flatMap(take) },
    { kind: 'recent', models: recent.flatMap(take) },
    ...byOwner([...left.values()]),
  ];
  return groups.filter((group) => group.models.length > 0);
}

function byOwner(models: ListedModel[]): ModelGroup[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const groups = new Map<string, ListedModel[]>();
  for (const model of models) {
    const group = groups.get(model.ownedBy);
    if (group === undefined) groups.set(model.ownedBy, [model]);
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
