import type { RequestOptions } from '../core/conversation/conversation.ts';
import {
  refusableChatOptions,
  type ModelFacts,
  type RefusedOption,
} from '../core/service/modelFacts.ts';
import {
  canonicalModel,
  parseModelReference,
  unknownService,
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

/** Services report prices in US dollars. */
export const currencyOfServices = '$';

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

/** Merges the entries of each model under one id. Entries with a service's name come first. */
function withServices(settings: SettingValues, services: ServiceNames): SettingValues {
  const models = new Map<string, Partial<ModelSettings>>();
  const entries = Object.entries(settings.models).map(
    ([key, overrides]) => [key, canonicalModel(key, services), overrides] as const,
  );
  const isBare = ([key, model]: (typeof entries)[number]): boolean => key === model;
  for (const [, model, overrides] of [
    ...entries.filter(isBare),
    ...entries.filter((entry) => !isBare(entry)),
  ]) {
    models.set(model, { ...models.get(model), ...setIn(overrides) });
  }
  return { ...settings, models: Object.fromEntries(models), services };
}

function setIn(overrides: Partial<ModelSettings>): Partial<ModelSettings> {
  return Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
}

/** The settings of a model: its entry in `aside.models` and the service's details. */
export function settingsOfModel(settings: SettingValues, model: string): Partial<ModelSettings> {
  const { models, services } = settings;
  const keys = services === undefined ? [model] : writtenKeys(model, services);
  const key = keys.find((name) => Object.hasOwn(models, name));
  return key === undefined ? {} : (models[key] ?? {});
}

/** Keys to look up: a bare id that a person wrote may happen to end like a service's name. */
function writtenKeys(model: string, services: ServiceNames): readonly string[] {
  const key = canonicalModel(model, services);
  const { id } = parseModelReference(key, services);
  return unknownService(id, services) === undefined ? [key] : [key, id];
}

/** True if the person can choose how much a model thinks. */
export function takesEffort(model: Partial<ModelSettings>): boolean {
  return model.takesEffort === true || model.reasoningEffort !== undefined;
}
