import type { Price } from '../conversation/usage.ts';
import { isObject } from '../support/json.ts';
import { priceFields, readPrice } from './prices.ts';

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
 * Details in an entry of a model list (section 2.5), for which services use different names. Absent
 * details are unknown.
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
  readonly tools?: boolean;
  /** True if messages may contain images. */
  readonly images?: boolean;
  readonly refused?: readonly RefusedOption[];
  /** True if requests may say how much it thinks. */
  readonly takesEffort?: boolean;
}

const windowFields = [
  'context_length',
  'context_window',
  'max_context_length',
  'max_model_len',
  'max_context_window_tokens',
  'max_input_tokens',
  'top_provider.context_length',
  'limits.max_context_window_tokens',
  'capabilities.limits.max_context_window_tokens',
];
const outputFields = [
  'max_completion_tokens',
  'max_output_tokens',
  'max_output_length',
  'top_provider.max_completion_tokens',
  'limits.max_output_tokens',
  'capabilities.limits.max_output_tokens',
];
const toolFields = [
  'capabilities.function_calling',
  'capabilities.tools',
  'capabilities.supports.tool_calls',
  'supports_function_calling',
  'supports_tools',
];

const imageFields = [
  'capabilities.vision',
  'capabilities.image_input',
  'capabilities.supports.vision',
  'supports_vision',
  'supports_images',
  'supports_image_in',
  'supports_image_input',
  'vision',
];
const effortFields = [
  'supports_reasoning_effort',
  'capabilities.reasoning_effort',
  'capabilities.supports.reasoning_effort',
];
/** Fields that list a model's kinds of input. */
const modalityFields = [
  'architecture.input_modalities',
  'input_modalities',
  'modalities.input',
  'modalities',
  'supported_input_modalities',
];

/** Smaller numbers can't be limits of a chat model. */
const minTokens = 256;

/** Reads the details of an entry of a model list. Invalid ones are dropped. */
export function readModelFacts(entry: unknown): ModelFacts {
  const contextWindow = tokensIn(entry, windowFields);
  const maxOutput = tokensIn(entry, outputFields);
  const tools = toolsIn(entry);
  const images = imagesIn(entry);
  const refused = refusedIn(entry);
  const takesEffort = effortIn(entry);
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...readPrice(entry),
    ...(tools === undefined ? {} : { tools }),
    ...(images === undefined ? {} : { images }),
    ...(refused.length === 0 ? {} : { refused }),
    ...(takesEffort ? { takesEffort } : {}),
  };
}

/** The facts as fields that {@link readModelFacts} can read. */
export function modelFactFields(facts: ModelFacts): object {
  const { contextWindow, maxOutput, tools, images, refused, takesEffort } = facts;
  return {
    context_length: contextWindow,
    max_completion_tokens: maxOutput,
    ...priceFields(facts),
    supports_tools: tools,
    supports_images: images,
    refused_parameters: refused,
    supports_reasoning_effort: takesEffort,
  };
}

function tokensIn(entry: unknown, fields: readonly string[]): number | undefined {
  return fields.map((field) => valueAt(entry, field)).find(isTokenCount);
}

/** True if a value can be the context window or maximum reply of a chat model. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minTokens;
}

function toolsIn(entry: unknown): boolean | undefined {
  const parameters = valueAt(entry, 'supported_parameters');
  if (Array.isArray(parameters)) return parameters.includes('tools');
  return booleanIn(entry, toolFields);
}

/** Some services only list kinds of input and output: `text+image->text`. */
function imagesIn(entry: unknown): boolean | undefined {
  const listed = modalityFields.map((field) => valueAt(entry, field)).find(isTextList);
  if (listed !== undefined) return listed.some((word) => /^images?$/i.test(word));
  const route = valueAt(entry, 'architecture.modality');
  if (typeof route === 'string' && route.includes('->'))
    return (route.split('->')[0] ?? '').split('+').includes('image');
  return booleanIn(entry, imageFields);
}

/** Services say that a model takes an effort, or list the efforts that it takes. */
function effortIn(entry: unknown): boolean {
  const parameters = valueAt(entry, 'supported_parameters');
  if (Array.isArray(parameters) && parameters.includes('reasoning_effort')) return true;
  const values = effortFields.map((field) => valueAt(entry, field));
  return values.some((value) => value === true || isTextList(value));
}

function isTextList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
  );
}

function booleanIn(entry: unknown, fields: readonly string[]): boolean | undefined {
  return fields.map((field) => valueAt(entry, field)).find((value) => typeof value === 'boolean');
}

/**
 * The options missing from a list of supported ones. Lists without any of the interface's own names
 * are ignored.
 */
function refusedIn(entry: unknown): readonly RefusedOption[] {
  const refused = valueAt(entry, 'refused_parameters');
  if (Array.isArray(refused)) return refusableOptions.filter((name) => refused.includes(name));
  const supported = valueAt(entry, 'supported_parameters');
  if (!Array.isArray(supported)) return [];
  const isLength = (name: unknown): boolean => String(name).endsWith('_tokens');
  if (!supported.some(isLength)) return [];
  const hasNewLength = supported.includes('max_completion_tokens');
  return refusableChatOptions.filter(
    (name) => !supported.includes(name) && (name !== 'max_tokens' || hasNewLength),
  );
}

/** The value at a path of field names separated by dots. */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce(
      (current, name) =>
        isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined,
      value,
    );
}
