import type { Price } from '../conversation/usage.ts';
import { isObject, valueAt, type JsonObject } from '../support/json.ts';
import { wordSet } from '../support/text.ts';
import { livingProviders, priceFields, readPrice } from './prices.ts';

/** Options that a chat sets, and that a model may refuse. */
export const refusableChatOptions = ['temperature', 'top_p', 'stop', 'max_tokens'] as const;

/**
 * Optional fields of a request that a model may refuse. The effort is set only for a model, so a
 * value in the settings is no reason to send it, and services name it differently.
 */
export const refusableOptions = [...refusableChatOptions, 'reasoning_effort'] as const;

/**
 * An option that a model refuses. `max_tokens` is then sent as `max_completion_tokens`; the others
 * are omitted.
 */
export type RefusedOption = (typeof refusableOptions)[number];

/**
 * Details in an entry of a model list (docs/service.md 2.5), for which services use different
 * names. Absent details are unknown.
 */
export interface ModelFacts {
  /** The maximum tokens of a request and its reply together. */
  readonly contextWindow?: number;
  /** The maximum tokens of a reply. */
  readonly maxOutput?: number;
  /** Price in US dollars. */
  readonly price?: Price;
  /** Field of a price that isn't understood. */
  readonly unreadPrice?: string;
  /** False if the list says that the model is for something else than chats. */
  readonly chat?: false;
  readonly tools?: boolean;
  /** True if messages may contain images. */
  readonly images?: boolean;
  readonly refused?: readonly RefusedOption[];
  /** True if requests may say how much it thinks. */
  readonly takesEffort?: boolean;
}

/** Objects of an entry that some lists have its details in. */
const holders = ['model_spec', 'model_info', 'metadata', 'info'];

/** Fields with the context window; first the one that the server runs, not that of the training. */
const windowFields = [
  'meta.n_ctx',
  'loaded_context_length',
  'context_length',
  'context_window',
  'context_size',
  'max_context_length',
  'max_model_len',
  'max_context_window_tokens',
  'max_context_tokens',
  'max_input_tokens',
  'max_prompt_length',
  'contextLength',
  'availableContextTokens',
  'maxTokensInput',
  'top_provider.context_length',
  'limit.context',
  'limits.max_context_window_tokens',
  'limits.max_input_tokens',
  'capabilities.limits.max_context_window_tokens',
];
const outputFields = [
  'max_completion_tokens',
  'max_output_tokens',
  'max_output_length',
  'max_output',
  'maxCompletionTokens',
  'maxTokensOutput',
  'outputMax',
  'top_provider.max_completion_tokens',
  'limit.output',
  'limits.max_output_tokens',
  'capabilities.limits.max_output_tokens',
];
const chatFields = [
  'supports_chat',
  'capabilities.chat',
  'capabilities.chat_completion',
  'capabilities.completion_chat',
];
const toolFields = [
  'capabilities.function_calling',
  'capabilities.tools',
  'capabilities.tool_calling',
  'capabilities.supports.tool_calls',
  'capabilities.supports_function_calling',
  'capabilities.supportsFunctionCalling',
  'functionality.tool_call',
  'supports_function_calling',
  'supports_tool_calling',
  'supports_tools',
  'tool_call',
];
const imageFields = [
  'capabilities.vision',
  'capabilities.image_input',
  'capabilities.supports.vision',
  'capabilities.supportsVision',
  'supports_vision',
  'supports_images',
  'supports_image_in',
  'supports_image_input',
  'vision',
];
const effortFields = [
  'supports_reasoning_effort',
  'reasoning_efforts',
  'reasoning.supported_efforts',
  'capabilities.reasoning_effort',
  'capabilities.supports.reasoning_effort',
  'capabilities.supportsReasoningEffort',
];
/** Fields that list a model's kinds of input. */
const inputFields = [
  'architecture.input_modalities',
  'input_modalities',
  'modalities.input',
  'supported_input_modalities',
  'capabilities.input_modalities',
];
const replyFields = [
  'architecture.output_modalities',
  'output_modalities',
  'modalities.output',
  'supported_output_modalities',
  'capabilities.output_modalities',
];
/** Fields that say what a model is for. */
const purposeFields = [
  'type',
  'model_type',
  'mode',
  'task',
  'task.name',
  'pipeline_tag',
  'engineTask',
  'api',
  'capabilities.type',
];
const endpointFields = ['endpoints', 'supported_endpoints', 'supported_endpoint_types'];
/** Lists that name abilities among other things. */
const tagFields = ['tags', 'features', 'capabilities'];

const toolWords = wordSet('tools tool-use tool-calling tool-calls function-calling function-call');
const imageWords = wordSet('image images');
const sightWords = wordSet('vision image-input input:image');

/** Smaller numbers can't be limits of a chat model. */
const minTokens = 256;

/** Reads the details of an entry of a model list. Invalid ones are dropped. */
export function readModelFacts(entry: unknown): ModelFacts {
  if (!isObject(entry)) return {};
  const providers = livingProviders(entry);
  // Each of the providers of which one replies takes the smallest window; one may have tools.
  const windows = providers.flatMap((provider) => tokensIn(provider, windowFields) ?? []);
  const leastWindow = windows.length === 0 ? undefined : Math.min(...windows);
  const contextWindow = tokensIn(entry, windowFields) ?? leastWindow;
  // `max_tokens` is the window in some lists, and the longest reply only if it is less.
  const most = tokensIn(entry, ['max_tokens']) ?? Infinity;
  const longestReply = most < (contextWindow ?? 0) ? most : undefined;
  const maxOutput = tokensIn(entry, outputFields) ?? longestReply;
  const haveTools = providers.flatMap((provider) => toolsIn(provider) ?? []);
  const tools = toolsIn(entry) ?? (haveTools.length === 0 ? undefined : haveTools.includes(true));
  const images = imagesIn(entry);
  const refused = refusedIn(entry);
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...readPrice(entry),
    ...(isForOthers(entry) ? { chat: false as const } : {}),
    ...(tools === undefined ? {} : { tools }),
    ...(images === undefined ? {} : { images }),
    ...(refused.length === 0 ? {} : { refused }),
    ...([entry, ...providers].some(effortIn) ? { takesEffort: true } : {}),
  };
}

/** The facts as fields that {@link readModelFacts} can read. */
export function modelFactFields(facts: ModelFacts): object {
  const { contextWindow, maxOutput, chat, tools, images, refused, takesEffort } = facts;
  return {
    context_length: contextWindow,
    max_completion_tokens: maxOutput,
    ...priceFields(facts),
    supports_chat: chat,
    supports_tools: tools,
    supports_images: images,
    refused_parameters: refused,
    supports_reasoning_effort: takesEffort,
  };
}

function tokensIn(entry: JsonObject, fields: readonly string[]): number | undefined {
  return valuesIn(entry, fields).find(isTokenCount);
}

/** True if a value can be the context window or maximum reply of a chat model. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minTokens;
}

function toolsIn(entry: JsonObject): boolean | undefined {
  const parameters = entry['supported_parameters'];
  if (Array.isArray(parameters)) return parameters.includes('tools');
  const said = booleanIn(entry, toolFields);
  if (said !== undefined) return said;
  // Services list some features of a model, but not all: a refusal says what it can't do.
  const features = textsIn(entry, ['supported_features']) ?? [];
  return hasWord(features, toolWords) || hasTag(entry, toolWords) ? true : undefined;
}

/** Some services only list kinds of input and output: `text+image->text`. */
function imagesIn(entry: JsonObject): boolean | undefined {
  const listed = textsIn(entry, [...inputFields, 'modalities']) ?? routeOf(entry)?.[0];
  if (listed !== undefined) return hasWord(listed, imageWords);
  return booleanIn(entry, imageFields) ?? (hasTag(entry, sightWords) ? true : undefined);
}

/** The kinds of input and of output in a route such as `text+image->text`. */
function routeOf(entry: JsonObject): readonly [string[], string[]] | undefined {
  const route = valuesIn(entry, ['architecture.modality'])[0];
  const [from, to] = typeof route === 'string' ? route.split('->') : [];
  return from === undefined || to === undefined ? undefined : [from.split('+'), to.split('+')];
}

/**
 * True if the list says that a model can't chat: in so many words, because it takes or gives no
 * text, by what it is for, or because none of its endpoints is for chats.
 */
function isForOthers(entry: JsonObject): boolean {
  const said = booleanIn(entry, chatFields);
  if (said !== undefined) return !said;
  const route = routeOf(entry);
  const kinds = [
    textsIn(entry, inputFields) ?? route?.[0],
    textsIn(entry, replyFields) ?? route?.[1],
  ];
  if (kinds.some((listed) => listed?.every((kind) => !/text|code/i.test(kind)))) return true;
  const purposes = valuesIn(entry, purposeFields).filter((value) => typeof value === 'string');
  if (purposes.some(isOtherPurpose)) return true;
  if (textsIn(entry, ['capabilities'])?.every(isOtherPurpose) === true) return true;
  const endpoints = textsIn(entry, endpointFields);
  return endpoints?.every((name) => !/chat|generate|openai|anthropic/i.test(name)) === true;
}

/** `text-to-speech` and `embeddings`, but not `image-text-to-text`. */
function isOtherPurpose(purpose: string): boolean {
  if (/chat|language|llm|vlm|(?:text|image|video)-to-text/i.test(purpose)) return false;
  return purpose
    .split(/[^a-z]+/i)
    .some((word) =>
      /^(?:embed|rerank|moderat|classif|transcri|image|video|audio|speech|tts$|asr$|stt$|ocr$|music|upscal|inpaint|realtime)/i.test(
        word,
      ),
    );
}

/** Services say that a model takes an effort, list the efforts, or only that it takes reasoning. */
function effortIn(entry: JsonObject): boolean {
  const parameters = textsIn(entry, ['supported_parameters']) ?? [];
  if (parameters.includes('reasoning_effort') || parameters.includes('reasoning')) return true;
  const options = entry['reasoning_options'];
  const hasOption =
    Array.isArray(options) &&
    options.some((option) => isObject(option) && option['type'] === 'effort');
  return (
    hasOption ||
    booleanIn(entry, effortFields) === true ||
    textsIn(entry, effortFields) !== undefined
  );
}

function hasTag(entry: JsonObject, words: ReadonlySet<string>): boolean {
  return tagFields.some((field) => hasWord(textsIn(entry, [field]) ?? [], words));
}

function hasWord(texts: readonly string[], words: ReadonlySet<string>): boolean {
  return texts.some((text) => words.has(text.trim().toLowerCase().replaceAll('_', '-')));
}

/** The first list of texts that isn't empty; some services separate the texts by commas. */
function textsIn(entry: JsonObject, fields: readonly string[]): readonly string[] | undefined {
  for (const value of valuesIn(entry, fields)) {
    const texts = typeof value === 'string' ? value.split(',') : value;
    if (isTextList(texts)) return texts;
  }
  return undefined;
}

function isTextList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
  );
}

/** A boolean, or an object such as `{ supported: true }`. */
function booleanIn(entry: JsonObject, fields: readonly string[]): boolean | undefined {
  return valuesIn(entry, fields)
    .map((value) => (isObject(value) ? value['supported'] : value))
    .find((value) => typeof value === 'boolean');
}

/**
 * The options missing from a list of supported ones. Lists without any of the interface's own names
 * are ignored.
 */
function refusedIn(entry: JsonObject): readonly RefusedOption[] {
  const refused = entry['refused_parameters'];
  if (Array.isArray(refused)) return refusableOptions.filter((name) => refused.includes(name));
  const supported = entry['supported_parameters'];
  if (!Array.isArray(supported)) return [];
  const isLength = (name: unknown): boolean => String(name).endsWith('_tokens');
  if (!supported.some(isLength)) return [];
  const hasNewLength = supported.includes('max_completion_tokens');
  return refusableChatOptions.filter(
    (name) => !supported.includes(name) && (name !== 'max_tokens' || hasNewLength),
  );
}

/** The values that an entry or its holders have in these fields, in the order of the fields. */
function valuesIn(entry: JsonObject, fields: readonly string[]): readonly unknown[] {
  const objects = [entry, ...holders.map((holder) => entry[holder])].filter(isObject);
  return fields.flatMap((field) => objects.map((object) => valueAt(object, field)));
}
