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
    'lists the efforts',
    { capabilities: { supports: { reasoning_effort: ['low', 'high'] } } },
    { takesEffort: true },
  ],
  [
    'nests its limits in capabilities',
    {
      capabilities: {
        limits: { max_context_window_tokens: 128_000, max_output_tokens: 4096 },
        supports: { tool_calls: true },
      },
    },
    { contextWindow: 128_000, maxOutput: 4096, tools: true },
  ],
  ['serves one model', { max_model_len: 4096, root: '/models/m' }, { contextWindow: 4096 }],
  ['names a window', { context_window: 131_072 }, { contextWindow: 131_072 }],
  ['lists parameters without tools', { supported_parameters: ['stop'] }, { tools: false }],
  ['lists input', { input_modalities: ['text'] }, { images: false }],
  ['lists input and output', { modalities: { input: ['text', 'image'] } }, { images: true }],
  ['lists modalities', { modalities: ['TEXT', 'IMAGE'] }, { images: true }],
  ['tells a route', { architecture: { modality: 'text+image->text' } }, { images: true }],
  [
    'tells a route from text',
    { architecture: { modality: 'text->text+image' } },
    { images: false },
  ],
  ['says that it sees', { supports_vision: true }, { images: true }],
  ['says that images go in', { supports_image_in: true }, { images: true }],
  ['says that it does not see', { capabilities: { vision: false } }, { images: false }],
  ['supports sight', { capabilities: { supports: { vision: true } } }, { images: true }],
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
        tools: fc.boolean(),
        images: fc.boolean(),
        refused,
        takesEffort: fc.constant(true),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    fc.assert(
      fc.property(facts, fc.anything(), (known, other) => {
        const stored: unknown = JSON.parse(JSON.stringify(modelFactFields(known)));
        assert.deepEqual(readModelFacts(stored), known);
        readModelFacts(other);
        readModelFacts({ pricing: other, capabilities: other, context_length: other });
      }),
    );
  });
});
