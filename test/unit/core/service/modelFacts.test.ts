import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  modelFactFields,
  readModelFacts,
  refusableOptions,
  type ModelFacts,
} from '../../../../src/core/service/modelFacts.ts';
import { readModel } from '../../../../src/core/service/wire.ts';

const entries: readonly (readonly [name: string, entry: object, facts: ModelFacts])[] = [
  ['says nothing', { id: 'm', object: 'model', owned_by: 'o' }, {}],
  [
    'tells windows and prices per token as text',
    {
      context_length: 131_072,
      architecture: { input_modalities: ['text', 'image'] },
      pricing: { prompt: '0.0000001', completion: '0.0000004', input_cache_read: '0.000000025' },
      top_provider: { context_length: 65_536, max_completion_tokens: 8192 },
      supported_parameters: ['temperature', 'tools'],
    },
    {
      contextWindow: 131_072,
      maxOutput: 8192,
      price: {
        input: 0.1,
        output: 0.4,
        cachedInput: 0.025,
        source: { field: 'pricing.prompt', tokens: 1 },
      },
      tools: true,
      images: true,
    },
  ],
  [
    'tells a price that varies',
    { context_length: 32_768, pricing: { prompt: '-1', completion: '-1' } },
    { contextWindow: 32_768, unreadPrice: 'pricing' },
  ],
  [
    'tells capabilities',
    { max_context_length: 40_960, capabilities: { function_calling: false, vision: true } },
    { contextWindow: 40_960, tools: false, images: true },
  ],
  [
    'lists the parameter for the effort',
    { supported_parameters: ['tools', 'reasoning', 'reasoning_effort'] },
    { tools: true, takesEffort: true },
  ],
  [
    'lists efforts under reasoning',
    { reasoning: { mandatory: true, supported_efforts: ['high', 'low'] } },
    { takesEffort: true },
  ],
  [
    'has efforts among the options of reasoning',
    {
      reasoning: true,
      reasoning_options: [{ type: 'toggle' }, { type: 'effort', values: ['low'] }],
    },
    { takesEffort: true },
  ],
  [
    'can only turn reasoning on and off',
    { reasoning: true, reasoning_options: [{ type: 'toggle' }] },
    {},
  ],
  [
    'runs a smaller window than the training had',
    { meta: { n_ctx: 32_768, n_ctx_train: 262_144 }, max_model_len: 262_144 },
    { contextWindow: 32_768 },
  ],
  [
    'has the longest reply in max_tokens, beside the window',
    { context_window: 128_000, max_tokens: 8192, tags: ['tool-use', 'vision', 'reasoning'] },
    { contextWindow: 128_000, maxOutput: 8192, tools: true, images: true },
  ],
  [
    'has the window in max_tokens, too',
    { metadata: { context_length: 131_072, max_tokens: 131_072, tags: ['reasoning'] } },
    { contextWindow: 131_072 },
  ],
  ['has nothing but max_tokens', { max_tokens: 8192 }, {}],
  [
    'has objects as capabilities',
    {
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: { image_input: { supported: true }, thinking: { supported: true } },
    },
    { contextWindow: 200_000, maxOutput: 64_000, images: true },
  ],
  [
    'has a specification of each model',
    {
      type: 'text',
      model_spec: {
        availableContextTokens: 200_000,
        maxCompletionTokens: 24_000,
        capabilities: {
          supportsFunctionCalling: true,
          supportsVision: false,
          supportsReasoningEffort: true,
        },
      },
    },
    {
      contextWindow: 200_000,
      maxOutput: 24_000,
      tools: true,
      images: false,
      takesEffort: true,
    },
  ],
  [
    'has several providers of each model',
    {
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      providers: [
        { status: 'live', context_length: 131_072, supports_tools: true },
        { status: 'live', context_length: 65_536, supports_tools: false },
        { status: 'error', context_length: 4096 },
      ],
    },
    { contextWindow: 65_536, tools: true, images: false },
  ],
  [
    'has only providers without tools',
    { providers: [{ supports_tools: false }] },
    { tools: false },
  ],
  [
    'lists features, and kinds of input and output',
    {
      context_window: 131_072,
      max_completion_tokens: 16_384,
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
      supported_features: ['tools', 'json_mode', 'reasoning'],
    },
    { contextWindow: 131_072, maxOutput: 16_384, tools: true, images: true },
  ],
  ['lists features without tools', { supported_features: ['json_mode'] }, {}],
  [
    'separates features by commas',
    { features: 'thinking, function_calling', input_modalities: 'text,image', max_output: 4096 },
    { maxOutput: 4096, tools: true, images: true },
  ],
  ['chats', { capabilities: { chat_completion: true }, type: 'image' }, {}],
  ['has a model that reads images', { pipeline_tag: 'image-text-to-text' }, {}],
  ['has a model that draws and writes', { output_modalities: ['image', 'text'] }, {}],
  [
    'has endpoints for chats',
    { endpoints: ['completions', 'chat/completions'], model_type: 'chat' },
    {},
  ],
  ['has kinds of endpoints', { supported_endpoint_types: ['openai'] }, {}],
  [
    'lists the efforts',
    { capabilities: { supports: { reasoning_effort: ['low', 'high'] } } },
    { takesEffort: true },
  ],
  ['lists input and output', { modalities: { input: ['text', 'image'] } }, { images: true }],
  ['tells a route', { architecture: { modality: 'text+image->text' } }, { images: true }],
  ['says that it sees', { supports_vision: true }, { images: true }],
  [
    'lists what goes in, and is vague elsewhere',
    { input_modalities: ['text'], supports_vision: true },
    { images: false },
  ],
  [
    'lists the parameters that it supports',
    { supported_parameters: ['tools', 'max_tokens', 'stop'] },
    { tools: true, refused: ['temperature', 'top_p'] },
  ],
  [
    'calls the length of replies otherwise',
    { supported_parameters: ['max_completion_tokens', 'temperature', 'stop'] },
    { tools: false, refused: ['top_p', 'max_tokens'] },
  ],
];

const damaged: readonly (readonly [name: string, entry: unknown])[] = [
  ['a window as text', { context_length: '4096' }],
  ['windows of no tokens', { context_length: 0, max_model_len: -1, context_window: 1.5 }],
  [
    'values of other types',
    { context_length: [], pricing: [], capabilities: null, supports_tools: 'yes' },
  ],
  ['empty lists', { input_modalities: [], modalities: {}, supports_vision: 'yes' }],
  ['no entry', null],
  ['only a name', 'm'],
  ['inherited fields', Object.create({ context_length: 4096 })],
];

/** Entries of models that can't chat, as lists say it. */
const others: Readonly<Record<string, object>> = {
  Azure: { capabilities: { inference: true, chat_completion: false, embeddings: true } },
  Mistral: { type: 'base', capabilities: { completion_chat: false, vision: false } },
  Fireworks: { supports_chat: false },
  'Groq, from audio': { input_modalities: ['audio'], output_modalities: ['transcription'] },
  'Groq, to speech': { input_modalities: ['text'], output_modalities: ['speech'] },
  OpenRouter: { architecture: { input_modalities: ['text'], output_modalities: ['image'] } },
  Nebius: { architecture: { modality: 'text->embedding' } },
  GitHub: { supported_input_modalities: ['text'], supported_output_modalities: ['embeddings'] },
  'Vercel AI Gateway': { type: 'embedding' },
  Together: { type: 'moderation' },
  Venice: { type: 'upscale', model_spec: { pricing: { upscale: { usd: 0.02 } } } },
  Novita: { model_type: 'embedding', endpoints: ['embeddings'] },
  LiteLLM: { model_info: { mode: 'image_generation' } },
  'AI/ML API': { type: 'openai/image-generations' },
  Copilot: { capabilities: { type: 'embeddings' } },
  Requesty: { api: 'image' },
  Cloudflare: { task: { name: 'Text-to-Speech' } },
  'Hugging Face': { pipeline_tag: 'automatic-speech-recognition' },
  'LM Studio': { type: 'embeddings' },
  Ollama: { capabilities: ['embedding'] },
  Cohere: { endpoints: ['embed', 'classify'] },
  'an endpoint for responses only': { supported_endpoints: ['/responses'] },
  'New API': { supported_endpoint_types: ['image-generation'] },
};

describe('readModel', () => {
  it('reads entries that are only an id, or whose id has another name', () => {
    for (const entry of ['o/m', { id: 'o/m' }, { name: 'o/m' }, { model: 'o/m' }]) {
      assert.deepEqual([readModel(entry)?.id, readModel(entry)?.ownedBy], ['o/m', 'o']);
    }
    for (const entry of ['', 7, null, {}, { id: 7, name: 'm' }, []]) {
      assert.equal(readModel(entry), undefined);
    }
  });
});

describe('readModelFacts', () => {
  for (const [name, entry, facts] of entries)
    it(`reads the entry of a service that ${name}`, () => {
      assert.deepEqual(readModelFacts(entry), facts);
    });

  for (const [name, entry] of Object.entries(others))
    it(`reads that a model can't chat from the list of ${name}`, () => {
      assert.equal(readModelFacts(entry).chat, false);
    });

  it('never guesses from a name what a model is for', () => {
    assert.deepEqual(readModelFacts({ id: 'text-embedding-3-large', name: 'whisper' }), {});
  });

  for (const [name, entry] of damaged)
    it(`reads nothing from ${name}`, () => {
      assert.deepEqual(readModelFacts(entry), {});
    });

  it('never throws, and reads written facts back', () => {
    const tokens = fc.integer({ min: 256, max: 10_000_000 });
    const amount = fc.integer({ min: 0, max: 1_000_000 }).map((thousandths) => thousandths / 1000);
    const rates = {
      input: amount,
      output: amount,
      cachedInput: amount,
      cacheWrite: amount,
      reasoning: amount,
    };
    const price = fc.record(
      {
        ...rates,
        tiers: fc.array(fc.record({ from: tokens, ...rates }, { noNullPrototype: true })),
        request: amount,
        image: amount,
        isPartial: fc.boolean(),
        source: fc.record({ field: fc.string(), tokens }, { noNullPrototype: true }),
      },
      { requiredKeys: ['input', 'output'], noNullPrototype: true },
    );
    const refused = fc.subarray([...refusableOptions], { minLength: 1 });
    const facts = fc.record(
      {
        contextWindow: tokens,
        maxOutput: tokens,
        price,
        chat: fc.constant(false as const),
        tools: fc.boolean(),
        images: fc.boolean(),
        refused,
        takesEffort: fc.constant(true),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    fc.assert(
      fc.property(facts, fc.string(), fc.anything(), (read, unreadPrice, other) => {
        const known = read.price === undefined ? { ...read, unreadPrice } : read;
        const stored: unknown = JSON.parse(JSON.stringify(modelFactFields(known)));
        assert.deepEqual(readModelFacts(stored), known);
        readModelFacts(other);
        readModelFacts({ pricing: other, capabilities: other, context_length: other });
      }),
    );
  });
});
