/**
 * Reads services from the settings of other extensions: addresses, models, and readable keys. All
 * of it is outside data; values of another form are ignored.
 */
import * as z from 'zod/mini';
import { isObject, nonEmptyString } from '../support/json.ts';
import { parseJsonWithComments } from '../support/jsonWithComments.ts';
import { addressProblem, parseAddress } from '../service/address.ts';
import { yamlModels } from './yamlModels.ts';

/** A service as another extension has set it up. */
export interface ServiceOfOther {
  /** The base URL, which {@link parseAddress} accepts. */
  readonly baseUrl: string;
  readonly model: string | undefined;
  /** Undefined if the key is stored elsewhere, for example in secret storage. */
  readonly key: string | undefined;
}

/**
 * Files in which others store services and keys, in the home folder and, for VS Code, next to the
 * user's settings. The gate asks before a tool reads one (`core/approval/secrets.ts`).
 */
export const filesOfOthers = {
  continueYaml: '.continue/config.yaml',
  continueJson: '.continue/config.json',
  clineProviders: '.cline/data/settings/providers.json',
  clineState: '.cline/data/globalState.json',
  clineSecrets: '.cline/data/secrets.json',
  code: 'chatLanguageModels.json',
} as const;

/** Base URLs of providers that are set up by their name alone. */
const knownProviders: ReadonlyMap<string, string> = new Map([
  ['openai', 'https://api.openai.com/v1'],
  ['openai-native', 'https://api.openai.com/v1'],
  ['mistral', 'https://api.mistral.ai/v1'],
  ['deepseek', 'https://api.deepseek.com/v1'],
  ['openrouter', 'https://openrouter.ai/api/v1'],
  ['groq', 'https://api.groq.com/openai/v1'],
  ['together', 'https://api.together.xyz/v1'],
  ['xai', 'https://api.x.ai/v1'],
  ['ollama', 'http://localhost:11434/v1'],
  ['lmstudio', 'http://localhost:1234/v1'],
]);

/** Prefixes of provider names with another interface. */
const otherProviders =
  /^(?:anthropic|claude|bedrock|gemini|google|vertex|cohere|sagemaker|watsonx|replicate|cloudflare)/i;

/** Settings of one service, not yet checked for whether it can be used. */
interface Written {
  readonly address?: string | undefined;
  readonly provider?: string | undefined;
  /** The interface, such as `chat-completions` or `messages`; absent for Aside's own. */
  readonly apiType?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
}

function toServices(written: readonly Written[]): readonly ServiceOfOther[] {
  const services = written.flatMap(({ address, provider = '', apiType = 'chat', model, key }) => {
    if (otherProviders.test(provider) || !apiType.includes('chat')) return [];
    const text = nonEmptyString(address) ?? knownProviders.get(provider);
    if (text === undefined || addressProblem(text) !== undefined) return [];
    const { baseUrl } = parseAddress(text);
    return [{ baseUrl, model: nonEmptyString(model), key: readableKey(key) }];
  });
  const unlike = new Map(
    services.map((service) => [`${service.baseUrl} ${service.model ?? ''}`, service]),
  );
  return [...unlike.values()];
}

/** Undefined for a reference such as `${{ secrets.KEY }}`, and for a text that is no key. */
function readableKey(key: string | undefined): string | undefined {
  return key !== undefined && /^[\x21-\x7e]{8,}$/.test(key) && !/[${}]/.test(key) ? key : undefined;
}

const continueModel = z.object({
  provider: z.optional(z.string()),
  apiBase: z.optional(z.string()),
  model: z.optional(z.string()),
  apiKey: z.optional(z.string()),
});

/** The services of Continue: the text of its `config.yaml` or `config.json`. */
export function continueServices(text: string): readonly ServiceOfOther[] {
  const json = parseJsonWithComments(text);
  const models: readonly unknown[] =
    isObject(json) && Array.isArray(json['models']) ? json['models'] : yamlModels(text);
  return toServices(
    fitting(continueModel, models).map(({ apiBase, apiKey, ...fields }) => ({
      ...fields,
      address: apiBase,
      key: apiKey,
    })),
  );
}

const clineState = z.object({
  openAiBaseUrl: z.optional(z.string()),
  openAiModelId: z.optional(z.string()),
  actModeOpenAiModelId: z.optional(z.string()),
  planModeOpenAiModelId: z.optional(z.string()),
});
const clineSecrets = z.object({ openAiApiKey: z.optional(z.string()) });

/** The OpenAI-compatible service of Cline: its `globalState.json` and its `secrets.json`. */
export function clineServices(state: string, secrets: string): readonly ServiceOfOther[] {
  const [parsedState] = fitting(clineState, [parseJsonWithComments(state)]);
  if (parsedState === undefined) return [];
  const [parsedSecrets] = fitting(clineSecrets, [parseJsonWithComments(secrets)]);
  const model =
    parsedState.actModeOpenAiModelId ??
    parsedState.openAiModelId ??
    parsedState.planModeOpenAiModelId;
  return toServices([
    { address: parsedState.openAiBaseUrl, model, key: parsedSecrets?.openAiApiKey },
  ]);
}

const clineProvider = z.object({
  settings: z.object({
    provider: z.optional(z.string()),
    protocol: z.optional(z.string()),
    baseUrl: z.optional(z.string()),
    model: z.optional(z.string()),
    apiKey: z.optional(z.string()),
  }),
});

/** The services of newer versions of Cline: its `providers.json`. */
export function clineProviders(text: string): readonly ServiceOfOther[] {
  const whole = parseJsonWithComments(text);
  const providers = isObject(whole) ? whole['providers'] : undefined;
  return toServices(
    fitting(clineProvider, Object.values(isObject(providers) ? providers : {})).map(
      ({ settings: { baseUrl, protocol, apiKey, ...fields } }) => ({
        ...fields,
        address: baseUrl,
        apiType: protocol,
        key: apiKey,
      }),
    ),
  );
}

const rooProfile = z.object({
  apiProvider: z.optional(z.string()),
  openAiBaseUrl: z.optional(z.string()),
  openAiModelId: z.optional(z.string()),
  openAiApiKey: z.optional(z.string()),
});

/** Roo Code's OpenAI-compatible services: the settings file that it imports or exports. */
export function rooServices(text: string): readonly ServiceOfOther[] {
  const whole = parseJsonWithComments(text);
  const profiles = isObject(whole) ? whole['providerProfiles'] : undefined;
  const configs = isObject(profiles) ? profiles['apiConfigs'] : undefined;
  if (!isObject(configs)) return [];
  return toServices(
    fitting(rooProfile, Object.values(configs))
      .filter(({ apiProvider = 'openai' }) => apiProvider === 'openai')
      .map((profile) => ({
        address: profile.openAiBaseUrl,
        model: profile.openAiModelId,
        key: profile.openAiApiKey,
      })),
  );
}

const modelOfCode = z.object({
  id: z.optional(z.string()),
  url: z.string(),
  apiType: z.optional(z.string()),
});
const groupOfCode = z.object({
  apiKey: z.optional(z.string()),
  apiType: z.optional(z.string()),
  models: z.optional(z.array(z.unknown())),
});

/**
 * Custom models of VS Code's own chat: the text of `chatLanguageModels.json`, and the value of the
 * older setting, an object keyed by model id.
 */
export function codeServices(text: string, setting: unknown): readonly ServiceOfOther[] {
  const groups = parseJsonWithComments(text);
  const grouped = fitting(groupOfCode, Array.isArray(groups) ? groups : []).flatMap(
    ({ apiKey, apiType: ofGroup, models = [] }) =>
      fitting(modelOfCode, models).map(({ id, url, apiType = ofGroup }) => ({
        address: url,
        apiType,
        model: id,
        key: apiKey,
      })),
  );
  const byId = Object.entries(isObject(setting) ? setting : {}).flatMap(([id, value]) =>
    fitting(modelOfCode, [value]).map(({ url, apiType }) => ({ address: url, apiType, model: id })),
  );
  return toServices([...grouped, ...byId]);
}

function fitting<T extends z.ZodMiniType>(
  schema: T,
  values: readonly unknown[],
): readonly z.output<T>[] {
  return values.flatMap((value) => {
    const { success, data } = schema.safeParse(value);
    return success ? [data] : [];
  });
}
