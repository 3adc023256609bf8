/** What a model of this service can do, and what it costs. */
export interface LocalModel {
  readonly id: string;
  /** Accepts `tools`; one that does not answers them with 400. */
  readonly tools: boolean;
  /** Accepts `response_format`. */
  readonly json: boolean;
  /** Whether it thinks aloud, and where: in `reasoning_content`, or in the text between tags. */
  readonly thinking: 'none' | 'field' | 'tags';
  /** Tokens of prompt that it takes. */
  readonly contextWindow: number;
  /** Per million tokens. */
  readonly price: { readonly input: number; readonly output: number; readonly cachedInput: number };
}

const able = { tools: true, json: true, thinking: 'none', contextWindow: 131_072 } as const;

/** The models of a service that was given none: several owners, every ability and every lack. */
export const localModels: readonly LocalModel[] = [
  { ...able, id: 'mistral/mistral-small', price: { input: 0.1, output: 0.3, cachedInput: 0.01 } },
  { ...able, id: 'mistral/mistral-large', price: { input: 2, output: 6, cachedInput: 0.2 } },
  { ...able, id: 'mistral/codestral', price: { input: 0.3, output: 0.9, cachedInput: 0.03 } },
  { ...able, id: 'meta/llama-70b', price: { input: 0.6, output: 0.7, cachedInput: 0.6 } },
  { ...able, id: 'deepseek/chat', price: { input: 0.27, output: 1.1, cachedInput: 0.07 } },
  {
    ...able,
    id: 'deepseek/reasoner',
    thinking: 'field',
    price: { input: 0.55, output: 2.19, cachedInput: 0.14 },
  },
  {
    ...able,
    id: 'qwen/thinker-32b',
    json: false,
    thinking: 'tags',
    price: { input: 0.2, output: 0.6, cachedInput: 0.2 },
  },
  {
    ...able,
    id: 'google/gemma-9b',
    tools: false,
    contextWindow: 8192,
    price: { input: 0.05, output: 0.05, cachedInput: 0.05 },
  },
];

/** The provider is the part of the id before its first `/` (section 2.5). */
export function ownerOf(model: LocalModel): string {
  return model.id.slice(0, model.id.indexOf('/'));
}

/** The key of a service that was given none. */
export const demoKey = 'sk-local-demo';
