import { type Price, tokensPerPrice } from '../conversation/usage.ts';
import { isObject } from '../support/json.ts';

/**
 * What a service says about a model beyond the entry of its list (section 2.5). Services that do so
 * name the fields differently; what is absent is not known.
 */
export interface ModelFacts {
  /** The maximum tokens of a request and its reply together. */
  readonly contextWindow?: number;
  /** The maximum tokens of a reply. */
  readonly maxOutput?: number;
  /** In US dollars. */
  readonly price?: Price;
  /** Whether the model can call tools. */
  readonly tools?: boolean;
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

/** A smaller number isn't that of a model that can be used for a chat. */
const minTokens = 256;

/** Reads what an entry of a model list says about its model; what isn't valid counts as absent. */
export function readModelFacts(entry: unknown): ModelFacts {
  const contextWindow = tokensIn(entry, windowFields);
  const maxOutput = tokensIn(entry, outputFields);
  const price = priceIn(entry);
  const tools = toolsIn(entry);
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(price === undefined ? {} : { price }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** The facts as fields of an entry, from which {@link readModelFacts} reads them again. */
export function modelFactFields({ contextWindow, maxOutput, price, tools }: ModelFacts): object {
  return {
    context_length: contextWindow,
    max_completion_tokens: maxOutput,
    pricing: price && { input: price.input, output: price.output, cached_input: price.cachedInput },
    supports_tools: tools,
  };
}

function tokensIn(entry: unknown, fields: readonly string[]): number | undefined {
  return fields.map((field) => valueAt(entry, field)).find(isTokenCount);
}

/** Whether a value can be the context window or the longest reply of a model for chats. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minTokens;
}

function priceIn(entry: unknown): Price | undefined {
  const perToken = priceOf(entry, ['prompt', 'completion', 'input_cache_read'], tokensPerPrice);
  return perToken ?? priceOf(entry, ['input', 'output', 'cached_input'], 1);
}

/** @param factor from the amount of the service to that for a million tokens */
function priceOf(
  entry: unknown,
  [inputField, outputField, cachedField]: readonly [string, string, string],
  factor: number,
): Price | undefined {
  const amount = (field: string): number | undefined => {
    const value = amountIn(valueAt(entry, `pricing.${field}`));
    // Without the digits that only the multiplication adds.
    return value === undefined ? undefined : Number((value * factor).toPrecision(12));
  };
  const [input, output, cachedInput] = [
    amount(inputField),
    amount(outputField),
    amount(cachedField),
  ];
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cachedInput === undefined ? {} : { cachedInput }) };
}

/** Some services write amounts as text, and a negative one where the price varies. */
function amountIn(value: unknown): number | undefined {
  const isText =
    typeof value === 'string' && /^\d{0,9}(?:\.\d{1,20})?(?:e-?\d{1,3})?$/i.test(value);
  const amount = isText && value !== '' ? Number(value) : value;
  const isAmount = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0;
  return isAmount ? amount : undefined;
}

function toolsIn(entry: unknown): boolean | undefined {
  const parameters = valueAt(entry, 'supported_parameters');
  if (Array.isArray(parameters)) return parameters.includes('tools');
  return toolFields
    .map((field) => valueAt(entry, field))
    .find((value) => typeof value === 'boolean');
}

/** The value at a path of field names, which are separated by dots. */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce(
      (found, name) => (isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
      value,
    );
}
