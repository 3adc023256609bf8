import type { RequestOptions } from '../core/conversation/conversation.ts';
import { currencyOfServices } from '../core/conversation/usage.ts';
import {
  refusableChatOptions,
  type ModelFacts,
  type RefusedOption,
} from '../core/service/modelFacts.ts';
import {
  canonicalModel,
  parseModelReference,
  referencedModels,
  type ServiceNames,
} from '../core/service/modelReference.ts';
import type { ModelSettings, SettingValues } from './settingValues.ts';

/** The settings of options that a model may refuse. */
const settingOf = {
  temperature: 'temperature',
  top_p: 'topP',
  stop: 'stop',
  max_tokens: 'maxTokens',
} as const;
type OptionSetting = (typeof settingOf)[keyof typeof settingOf];

/** The request options for a model: settings of the model come before general ones. */
export function requestOptions(settings: SettingValues, model: string): RequestOptions {
  const overrides = settingsOfModel(settings, model);
  const stop = overrides.stop ?? settings.stop;
  return {
    temperature: overrides.temperature ?? settings.temperature,
    topP: overrides.topP ?? settings.topP,
    maxTokens: overrides.maxTokens ?? settings.maxTokens,
    stop: stop.length === 0 ? undefined : stop,
  };
}

/**
 * The options of chats that a model refuses, and that are not sent to it. `max_tokens` is sent, by
 * another name.
 */
export function refusedOptions(settings: SettingValues, model: string): readonly OptionSetting[] {
  const { refused = [] } = settingsOfModel(settings, model);
  return refusableChatOptions
    .filter((name) => name !== 'max_tokens' && refused.includes(name))
    .map((name) => settingOf[name]);
}

/** Drops options that the person set for the model itself from those that it refuses. */
export function refusedUnlessSet(
  refused: readonly RefusedOption[],
  overrides: Partial<ModelSettings>,
): readonly RefusedOption[] {
  const set: readonly RefusedOption[] = refusableChatOptions.filter(
    (name) => overrides[settingOf[name]] !== undefined,
  );
  return refused.filter((name) => !set.includes(name));
}

/**
 * Adds details from services to the settings of models. A value that the person set stays.
 *
 * @param facts details by the written ids of the models
 */
export function withFacts(
  values: SettingValues,
  facts: ReadonlyMap<string, ModelFacts>,
  services?: ServiceNames,
): SettingValues {
  const settings = services === undefined ? values : withServices(values, services);
  const hasPrices = settings.currency === currencyOfServices;
  const models = new Map(Object.entries(settings.models));
  for (const [id, listed] of facts) {
    const { contextWindow, maxOutput, tools, images, price, refused, takesEffort } = listed;
    const overrides = settingsOfModel(settings, id);
    const hasEffort = refused?.includes('reasoning_effort') !== true;
    models.set(id, {
      ...setIn({ contextWindow, maxOutput, tools, images }),
      ...(hasPrices && price && { price }),
      ...setIn(overrides),
      refused: refused && refusedUnlessSet(refused, overrides),
      reasoningEffort: hasEffort ? overrides.reasoningEffort : undefined,
      takesEffort: hasEffort && takesEffort,
    });
  }
  return { ...settings, models: Object.fromEntries(models) };
}

/**
 * The entries by the written ids of their models. One without a service's name holds at every service;
 * those with a name come first, and a `null` there hides the general value.
 */
function withServices(settings: SettingValues, services: ServiceNames): SettingValues {
  const entries = Object.entries(settings.models);
  const isGeneral = ([key]: (typeof entries)[number]): boolean =>
    parseModelReference(key, services).id === key;
  const general = entries.filter(isGeneral);
  const models = new Map(general);
  for (const [key, overrides] of [...general, ...entries.filter((entry) => !isGeneral(entry))])
    for (const model of referencedModels(key, services))
      models.set(model, {
        ...models.get(model),
        ...overrides,
        // Headers may hold secrets, which must not go to every service that has a model of this name.
        ...(model !== key && isGeneral([key, overrides]) && { extraHeaders: undefined }),
      });
  return { ...settings, models: Object.fromEntries(models), services };
}

function setIn(overrides: Partial<ModelSettings>): Partial<ModelSettings> {
  return Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
}

/** The settings of a model: its entry in `aside.models` and the service's details. */
export function settingsOfModel(settings: SettingValues, model: string): Partial<ModelSettings> {
  const { models, services } = settings;
  const key = services === undefined ? model : canonicalModel(model, services);
  return Object.hasOwn(models, key) ? (models[key] ?? {}) : {};
}

/** True if the person can choose how much a model thinks. */
export function takesEffort(model: Partial<ModelSettings>): boolean {
  return model.takesEffort === true || model.reasoningEffort !== undefined;
}
