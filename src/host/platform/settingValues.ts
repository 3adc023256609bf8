import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { type Price, currencyOfServices } from '../../core/conversation/usage.ts';
import {
  type RefusedOption,
  refusableChatOptions,
  type ModelFacts,
} from '../../core/service/modelFacts.ts';
import {
  isServiceName,
  type ServiceNames,
  canonicalModel,
  parseModelReference,
  referencedModels,
} from '../../core/service/modelReference.ts';
import { isHeader, isOwnField, isOwnHeader } from '../../core/service/requestExtras.ts';
import { isObject, valueAt } from '../../core/support/json.ts';
import { settingIds } from '../contributions.ts';
import type { RequestOptions } from '../../core/conversation/conversation.ts';

type SettingName = keyof typeof settingIds;

export interface SettingValues {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  readonly model: string;
  /** True if the model comes from the workspace's settings. */
  readonly modelFromWorkspace: boolean;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly stream: boolean;
  readonly instructions: string;
  readonly models: Readonly<Record<string, Partial<ModelSettings>>>;
  /** Names of the services whose models these are; absent before one is known. */
  readonly services?: ServiceNames | undefined;
  /** The models for these purposes; an absent one is the chosen model. */
  readonly modelFor: Readonly<Partial<Record<ModelPurpose, string | undefined>>>;
  readonly currency: string;
  /** `invalid` if the value of the setting isn't valid. */
  readonly budget: BudgetSettings | 'invalid';
  /** The notifications that are shown while the panel isn't visible. */
  readonly notify: 'all' | 'approvals' | 'off';
  readonly requestTimeoutSeconds: number;
  readonly tools: ToolSettings;
}

/** A purpose that can have a model of its own. */
export type ModelPurpose = 'edit' | 'commit' | 'shorten' | ChatMode;

/** The limits of requests; an absent one does not limit. */
export interface BudgetSettings {
  /** A turn pauses at it: see `turnLimit`, which has a default. */
  readonly turn?: number | undefined;
  readonly chat?: number | undefined;
  readonly day?: number | undefined;
  readonly month?: number | undefined;
  /** Further limits of single services, by the name of the service or account. */
  readonly accounts?: Readonly<Record<string, AccountBudget>> | undefined;
  readonly unit: 'tokens' | 'money';
}

/** In the unit of the other limits. */
interface AccountBudget {
  readonly day?: number | undefined;
  readonly month?: number | undefined;
}

interface ToolSettings {
  readonly enabled: boolean;
  readonly approval: 'default' | 'askAll';
  /** The number of requests with calls after which a turn pauses. */
  readonly maxRounds: number;
}

/** The part of the result of `vscode.WorkspaceConfiguration.inspect` that Aside uses. */
export interface ConfigurationInspection {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
  readonly defaultValue?: unknown;
}

type InspectConfiguration = (id: string) => ConfigurationInspection | undefined;

/** The part of `vscode.WorkspaceConfiguration` that Aside reads. */
export interface Configuration {
  readonly get: (id: string) => unknown;
  readonly inspect: InspectConfiguration;
}

/**
 * Inspects only settings that have a value other than the default. VS Code computes each inspection
 * anew, and those of all settings were a third of the start.
 */
export function inspectionsOf(configuration: Configuration): InspectConfiguration {
  const section = configuration.inspect('aside');
  const inEffect = configuration.get('aside');
  const set = [section?.globalValue, section?.workspaceValue, section?.workspaceFolderValue];
  return (id) => {
    const path = id.slice(id.indexOf('.') + 1);
    const isDefault =
      JSON.stringify(valueAt(inEffect, path)) ===
      JSON.stringify(valueAt(section?.defaultValue, path));
    const isSet = set.some((values) => valueAt(values, path) !== undefined);
    // A value of VS Code's default profile is in effect, but in none of the sections.
    return isSet || !isDefault ? configuration.inspect(id) : undefined;
  };
}

/** Called for each invalid value, but without the value, which may be a secret. */
type ReportProblem = (id: string, value: unknown, problem: string) => void;

/** Messages for invalid values: without them, zod only says that the input is invalid. */
const { localeError } = en();

const text = z.string().check(z.trim());
const temperature = z.number().check(z.minimum(0), z.maximum(2));
const topP = z.number().check(z.minimum(0), z.maximum(1));
const positive = z.int().check(z.minimum(1));
const stop = z.array(z.string().check(z.minLength(1)));
const price = z.number().check(z.minimum(0));
const approval = z.enum(['default', 'askAll']);

/** Accepts `null`, which counts as absent. */
export function orNull<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | undefined> {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? undefined),
  );
}

const extraBody = z.record(z.string(), z.unknown()).check(
  z.refine((fields) => !Object.keys(fields).some(isOwnField), {
    error: ({ input }) => `set by Aside itself: ${namesIn(input).filter(isOwnField).join(', ')}`,
  }),
);

const extraHeaders = z.record(z.string(), z.string()).check(
  z.refine((headers) => !Object.keys(headers).some(isOwnHeader), {
    error: ({ input }) => `not allowed here: ${namesIn(input).filter(isOwnHeader).join(', ')}`,
  }),
  z.refine((headers) => Object.entries(headers).every(([name, value]) => isHeader(name, value)), {
    error: 'a header has characters that cannot be sent',
  }),
);

function namesIn(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

const modelSettings = z.object({
  /** The maximum tokens of a request and its reply together. */
  contextWindow: orNull(positive),
  /** The maximum tokens of a reply. */
  maxOutput: orNull(positive),
  price: orNull(z.object({ input: price, output: price, cachedInput: orNull(price) })),
  tools: orNull(z.boolean()),
  images: orNull(z.boolean()),
  temperature: orNull(temperature),
  topP: orNull(topP),
  maxTokens: orNull(positive),
  stop: orNull(stop),
  reasoningEffort: orNull(z.string().check(z.regex(/^[a-z]{1,20}$/))),
  extraBody: orNull(extraBody),
  extraHeaders: orNull(extraHeaders),
});
export type ModelSettings = Omit<z.infer<typeof modelSettings>, 'price'> & {
  readonly price?: Price | undefined;
  /** Options that the model refuses, and that are not set for it itself. */
  readonly refused?: readonly RefusedOption[] | undefined;
  /** True if the service says that requests may have a `reasoningEffort`. */
  readonly takesEffort?: boolean | undefined;
};

const modelId = orNull(text.check(z.minLength(1)));
const modelFor = z.object({
  edit: modelId,
  commit: modelId,
  shorten: modelId,
  chat: modelId,
  ask: modelId,
  agent: modelId,
});

/** Strict, since a misspelled name would limit nothing. */
const accountBudget = z.strictObject({ day: orNull(price), month: orNull(price) });

/** Strict, as those of accounts. */
const budgetSetting = z.strictObject({
  turn: orNull(price),
  chat: orNull(price),
  day: orNull(price),
  month: orNull(price),
  accounts: orNull(z.record(z.string().check(z.refine(isServiceName)), accountBudget)),
  unit: z._default(z.enum(['tokens', 'money']), 'tokens'),
});

/**
 * Reads all settings. Those that a repository could use against the person (where the key goes, what
 * is sent, what it costs) are read only from the user's settings, whatever value VS Code says is in
 * effect. An invalid value counts as not set.
 */
export function readSettings(inspect: InspectConfiguration, report: ReportProblem): SettingValues {
  const check = <T>(id: string, schema: z.ZodMiniType<T>, value: unknown): T | undefined => {
    if (value === undefined) return undefined;
    const result = schema.safeParse(value, { error: localeError });
    if (result.success) return result.data;
    report(
      id,
      value,
      result.error.issues
        .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
        .join('; '),
    );
    return undefined;
  };
  const user = <T>(name: SettingName, schema: z.ZodMiniType<T>): T | undefined =>
    check(settingIds[name], schema, inspect(settingIds[name])?.globalValue);
  /** A setting whose invalid value must not count as not set: it could relax a limit. */
  const limit = <T, U, I>(name: SettingName, schema: z.ZodMiniType<T>, unset: U, invalid: I) =>
    inspect(settingIds[name])?.globalValue === undefined ? unset : (user(name, schema) ?? invalid);
  const workspace = <T>(name: SettingName, schema: z.ZodMiniType<T>): T | undefined =>
    check(settingIds[name], schema, inspect(settingIds[name])?.workspaceValue);
  /** `null` in the workspace removes the value of the user's settings. */
  const nearest = <T>(name: SettingName, schema: z.ZodMiniType<T>): T | undefined => {
    const nullable = z.nullable(schema);
    const near = workspace(name, nullable);
    return (near === undefined ? user(name, nullable) : near) ?? undefined;
  };
  const workspaceModel = workspace('model', text) ?? '';

  return {
    baseUrl: user('baseUrl', text) ?? '',
    consoleUrl: user('consoleUrl', text) ?? '',
    model: workspaceModel === '' ? (user('model', text) ?? '') : workspaceModel,
    modelFromWorkspace: workspaceModel !== '',
    temperature: nearest('temperature', temperature),
    topP: nearest('topP', topP),
    maxTokens: nearest('maxTokens', positive),
    stop: nearest('stop', stop) ?? [],
    stream: nearest('stream', z.boolean()) ?? true,
    instructions: user('instructions', z.string()) ?? '',
    models: readModels(user('models', z.record(z.string(), z.unknown())) ?? {}, check),
    modelFor: user('modelFor', modelFor) ?? {},
    currency: user('currency', text.check(z.minLength(1))) ?? '$',
    budget: limit('budget', budgetSetting, { unit: 'tokens' } as const, 'invalid' as const),
    notify: user('notify', z.enum(['all', 'approvals', 'off'])) ?? 'all',
    requestTimeoutSeconds:
      user('requestTimeoutSeconds', z.number().check(z.minimum(1), z.maximum(300))) ?? 120,
    tools: {
      // The workspace can only turn tools off: a repository must not enable them.
      enabled: !isDisabled(inspect(settingIds['tools.enabled'])),
      approval: limit('tools.approval', approval, 'default' as const, 'askAll' as const),
      maxRounds: user('tools.maxRounds', positive.check(z.maximum(1000))) ?? 25,
    },
  };
}

function isDisabled(inspection: ConfigurationInspection | undefined): boolean {
  const { globalValue, workspaceValue, workspaceFolderValue } = inspection ?? {};
  return [globalValue, workspaceValue, workspaceFolderValue].includes(false);
}

function readModels(
  models: Record<string, unknown>,
  check: (id: string, schema: typeof modelSettings, value: unknown) => ModelSettings | undefined,
): Record<string, ModelSettings> {
  const entries = Object.entries(models).flatMap(([id, value]) => {
    const settings = check(`${settingIds.models}["${id}"]`, modelSettings, value);
    return settings === undefined ? [] : [[id, settings] as const];
  });
  return Object.fromEntries(entries);
}

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
