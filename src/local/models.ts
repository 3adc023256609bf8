/**
 * Parts of earlier messages with calls that a model requires. `turn`: reasoning since the last user
 * message; `chat`: reasoning in the whole chat; `signature`: a signature on the first call of each
 * message since the last user message; `refused`: none of these.
 */
export type TraceRule = 'ignored' | 'turn' | 'chat' | 'signature' | 'refused';

/** The abilities and prices of a model of this service. */
export interface LocalModel {
  readonly id: string;
  /** Accepts `tools`; otherwise they cause a 400. */
  readonly tools: boolean;
  /** Accepts images in user messages; otherwise they cause a 400. */
  readonly images: boolean;
  /** Accepts `response_format`. */
  readonly json: boolean;
  /** Place of the reasoning: `reasoning_content`, or tags within the text. */
  readonly thinking: 'none' | 'field' | 'tags';
  /**
   * The values of `reasoning_effort` that it accepts, as the model list then says; others cause a
   * 400. Undefined if it ignores the field.
   */
  readonly efforts?: readonly string[];
  /** Parts of earlier messages that requests must return. */
  readonly trace: TraceRule;
  /** Maximum number of prompt tokens. */
  readonly contextWindow: number;
  /** Per million tokens. */
  readonly price: { readonly input: number; readonly output: number; readonly cachedInput: number };
}

const defaults = {
  tools: true,
  images: false,
  json: true,
  thinking: 'none',
  trace: 'ignored',
  contextWindow: 131_072,
} as const;

/** The default models of a service: several owners, with and without each ability. */
export const localModels: readonly LocalModel[] = [
  {
    ...defaults,
    id: 'mistral/mistral-small',
    price: { input: 0.1, output: 0.3, cachedInput: 0.01 },
  },
  {
    ...defaults,
    id: 'mistral/mistral-large',
    images: true,
    price: { input: 2, output: 6, cachedInput: 0.2 },
  },
  { ...defaults, id: 'mistral/codestral', price: { input: 0.3, output: 0.9, cachedInput: 0.03 } },
  { ...defaults, id: 'meta/llama-70b', price: { input: 0.6, output: 0.7, cachedInput: 0.6 } },
  { ...defaults, id: 'deepseek/chat', price: { input: 0.27, output: 1.1, cachedInput: 0.07 } },
  {
    ...defaults,
    id: 'deepseek/reasoner',
    thinking: 'field',
    price: { input: 0.55, output: 2.19, cachedInput: 0.14 },
  },
  {
    ...defaults,
    id: 'qwen/thinker-32b',
    json: false,
    thinking: 'tags',
    price: { input: 0.2, output: 0.6, cachedInput: 0.2 },
  },
  {
    ...defaults,
    id: 'google/gemma-9b',
    tools: false,
    contextWindow: 8192,
    price: { input: 0.05, output: 0.05, cachedInput: 0.05 },
  },
];

/** Models that think, one for each rule about returned traces, and one that takes no effort. */
export const thinkingModels: readonly LocalModel[] = [
  { id: 'deepseek/thinker', trace: 'turn' as const },
  { id: 'deepseek/thinker-chat', trace: 'chat' as const },
  { id: 'google/thinker', trace: 'signature' as const },
  { id: 'meta/thinker', trace: 'refused' as const },
  { id: 'mistral/thinker', trace: 'ignored' as const, efforts: [] },
].map((model) => ({
  ...defaults,
  efforts: ['low', 'medium', 'high'],
  ...model,
  thinking: 'field',
  price: { input: 0.5, output: 2, cachedInput: 0.1 },
}));

/** The provider: the part of the id before its first `/` (section 2.5). */
export function ownerOf(model: LocalModel): string {
  return model.id.slice(0, model.id.indexOf('/'));
}

export const demoKey = 'sk-local-demo';
