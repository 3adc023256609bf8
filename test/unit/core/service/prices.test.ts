import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import { readPrice } from '../../../../src/core/service/prices.ts';

const token = 1;
const thousand = 1000;
const million = 1_000_000;
const hundredthsOfCents = 10_000_000_000;

type Read = readonly [tokens: number, field: string, price: Omit<Price, 'source'>];

/** Small entries in the form of real lists. */
const lists: Readonly<Record<string, readonly [entry: object, read: Read]>> = {
  'OpenRouter: texts for a token, a tier, fees that Aside never has': [
    {
      pricing: {
        prompt: '0.000003',
        completion: '0.000015',
        image: '0.0048',
        web_search: '0.01',
        audio: '0.00004',
        input_cache_read: '0.0000003',
        input_cache_write: '0.00000375',
        input_cache_write_1h: '0.000006',
        discount: 0,
        overrides: [{ min_prompt_tokens: 200_000, prompt: '0.000006', completion: '0.0000225' }],
      },
    },
    [
      token,
      'pricing.prompt',
      {
        input: 3,
        output: 15,
        cachedInput: 0.3,
        cacheWrite: 3.75,
        image: 0.0048,
        tiers: [{ from: 200_000, input: 6, output: 22.5, cachedInput: 0.3, cacheWrite: 3.75 }],
      },
    ],
  ],
  'OpenRouter: reasoning that differs, a fee of each request, zeros that say nothing': [
    {
      pricing: {
        prompt: '0.000002',
        completion: '0.000008',
        internal_reasoning: '0.000003',
        request: '0.005',
        image: '0',
        input_cache_read: '0',
      },
    },
    [token, 'pricing.prompt', { input: 2, output: 8, reasoning: 3, request: 0.005 }],
  ],
  'OpenRouter: dearer by day': [
    {
      pricing: {
        prompt: '0.00000028',
        completion: '0.00000042',
        overrides: [
          { utc_days: ['saturday'], prompt: '0.00000014', completion: '0.00000021' },
          { utc_start: 0, utc_end: 800, prompt: '0.00000056' },
        ],
      },
    },
    [token, 'pricing.overrides.1.prompt', { input: 0.56, output: 0.42 }],
  ],
  'Vercel AI Gateway: a tier for each rate': [
    {
      pricing: {
        input: '0.000002',
        input_tiers: [
          { cost: '0.000002', max: 200_001 },
          { cost: '0.000004', min: 200_001 },
        ],
        output: '0.000012',
        output_tiers: [
          { cost: '0.000012', min: 0, max: 200_001 },
          { cost: '0.000018', min: 200_001 },
        ],
        input_cache_read: '0.0000002',
      },
    },
    [
      token,
      'pricing.input_tiers.0.cost',
      {
        input: 2,
        output: 12,
        cachedInput: 0.2,
        tiers: [{ from: 200_001, input: 4, output: 18, cachedInput: 0.2 }],
      },
    ],
  ],
  'Chutes: numbers for a million': [
    {
      pricing: { prompt: 0.104, completion: 0.416, input_cache_read: 0.052 },
      price: { input: { usd: 0.104, tao: 0.0004 }, output: { usd: 0.416, tao: 0.0016 } },
    },
    [million, 'pricing.prompt', { input: 0.104, output: 0.416, cachedInput: 0.052 }],
  ],
  'Venice: dollars beside credits, extended context': [
    {
      model_spec: {
        pricing: {
          input: { usd: 2, diem: 3 },
          output: { usd: 12, diem: 13 },
          cache_input: { usd: 0.2, diem: 0.3 },
          cache_write: { usd: 2.5 },
          extended: {
            context_token_threshold: 200_000,
            input: { usd: 4 },
            output: { usd: 18 },
            cache_input: { usd: 0.4 },
          },
        },
      },
    },
    [
      million,
      'model_spec.pricing.input.usd',
      {
        input: 2,
        output: 12,
        cachedInput: 0.2,
        cacheWrite: 2.5,
        tiers: [{ from: 200_000, input: 4, output: 18, cachedInput: 0.4, cacheWrite: 2.5 }],
      },
    ],
  ],
  'LiteLLM: names that say the unit and the tier': [
    {
      model_info: {
        mode: 'chat',
        max_input_tokens: 1_000_000,
        input_cost_per_token: 1.25e-6,
        input_cost_per_token_above_200k_tokens: 2.5e-6,
        input_cost_per_token_batches: 6e-7,
        input_cost_per_audio_token: 7e-7,
        output_cost_per_token: 1e-5,
        output_cost_per_token_above_200k_tokens: 1.5e-5,
        output_cost_per_reasoning_token: 1.1e-5,
        cache_read_input_token_cost: 1.25e-7,
        cache_creation_input_token_cost: 1.5e-6,
        cache_creation_input_token_cost_above_1hr: 2.5e-6,
        search_context_cost_per_query: { search_context_size_low: 0.03 },
      },
    },
    [
      token,
      'model_info.input_cost_per_token',
      {
        input: 1.25,
        output: 10,
        cachedInput: 0.125,
        cacheWrite: 1.5,
        reasoning: 11,
        tiers: [{ from: 200_000, input: 2.5, output: 15, cachedInput: 0.125, cacheWrite: 1.5 }],
      },
    ],
  ],
  'LiteLLM: ranges': [
    {
      tiered_pricing: [
        { range: [0, 32_000], input_cost_per_token: 1.2e-6, output_cost_per_token: 6e-6 },
        { range: [32_000, 128_000], input_cost_per_token: 2.4e-6, output_cost_per_token: 1.2e-5 },
      ],
    },
    [
      token,
      'tiered_pricing.0.input_cost_per_token',
      { input: 1.2, output: 6, tiers: [{ from: 32_000, input: 2.4, output: 12 }] },
    ],
  ],
  'DeepInfra: named after tokens': [
    { metadata: { pricing: { input_tokens: 0.14, output_tokens: 0.4, cache_read_tokens: 0.05 } } },
    [million, 'metadata.pricing.input_tokens', { input: 0.14, output: 0.4, cachedInput: 0.05 }],
  ],
  'Hugging Face: the dearest provider that replies': [
    {
      providers: [
        { provider: 'a', status: 'live', pricing: { input: 0.3, output: 1.2 } },
        { provider: 'b', status: 'live', pricing: { input: 0.6, output: 2.4 } },
        { provider: 'c', status: 'error', pricing: { input: 9, output: 9 } },
        { provider: 'd', status: 'live' },
      ],
    },
    [million, 'providers.pricing.input', { input: 0.6, output: 2.4 }],
  ],
  'Novita: another unit than the name says': [
    { input_token_price_per_m: 2690, output_token_price_per_m: 4000 },
    [hundredthsOfCents, 'input_token_price_per_m', { input: 0.269, output: 0.4 }],
  ],
  'Novita: decimals': [
    {
      input_token_price_per_m: 2690,
      pricing: {
        prompt: { price_per_m: 2690, price_per_m_decimal: '0.269' },
        completion: { price_per_m: 4000, price_per_m_decimal: '0.4' },
      },
    },
    [million, 'pricing.prompt.price_per_m_decimal', { input: 0.269, output: 0.4 }],
  ],
  'Novita: zeros beside tiers': [
    {
      input_token_price_per_m: 0,
      output_token_price_per_m: 0,
      tiered_billing_configs: [
        {
          min_tokens: 524_288,
          max_tokens: 1_000_000,
          pricing: { prompt: { price_per_m: 30_000 }, completion: { price_per_m: 40_000 } },
        },
        {
          min_tokens: 1,
          max_tokens: 524_288,
          pricing: { prompt: { price_per_m: 10_000 }, completion: { price_per_m: 20_000 } },
        },
      ],
    },
    [
      hundredthsOfCents,
      'tiered_billing_configs.1.pricing.prompt.price_per_m',
      { input: 1, output: 2, tiers: [{ from: 524_288, input: 3, output: 4 }] },
    ],
  ],
  'xAI: hundredths of a cent, long requests, zeros that say the same': [
    {
      prompt_text_token_price: 12_500,
      cached_prompt_text_token_price: 2000,
      prompt_image_token_price: 12_500,
      completion_text_token_price: 25_000,
      search_price: 25_000_000,
      long_context_threshold: 200_000,
      prompt_text_token_price_long_context: 25_000,
      cached_prompt_text_token_price_long_context: 0,
      completion_text_token_price_long_context: 50_000,
    },
    [
      hundredthsOfCents,
      'prompt_text_token_price',
      {
        input: 1.25,
        output: 2.5,
        cachedInput: 0.2,
        tiers: [{ from: 200_000, input: 2.5, output: 5, cachedInput: 0.2 }],
      },
    ],
  ],
  'Requesty: numbers for a token': [
    { input_price: 3e-6, output_price: 1.5e-5, cached_price: 3e-7, caching_price: 3.75e-6 },
    [token, 'input_price', { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 }],
  ],
  'Requesty: free below a number of tokens': [
    {
      pricing: [
        { prompt_tokens_threshold: 0, input_price: 0, output_price: 0 },
        { prompt_tokens_threshold: 32_000, input_price: 1.5, output_price: 3 },
      ],
    },
    [
      million,
      'pricing.0.input_price',
      { input: 0, output: 0, tiers: [{ from: 32_000, input: 1.5, output: 3 }] },
    ],
  ],
  'Friendli: a kind of unit is none': [
    { pricing: { input: 0.6, output: 2.4, response_time: 0, unit_type: 'TOKEN' } },
    [million, 'pricing.input', { input: 0.6, output: 2.4 }],
  ],
  'Perplexity: a stated unit': [
    { pricing: { unit: 'usd_per_1m_tokens', input: 3, output: 15, cache_read: 0.3 } },
    [million, 'pricing.input', { input: 3, output: 15, cachedInput: 0.3 }],
  ],
  'NanoGPT: a field with a unit of its own': [
    {
      pricing: {
        prompt: 1,
        completion: 4,
        currency: 'USD',
        unit: 'per_million_tokens',
        cacheReadInputPer1kTokens: 0.0002,
      },
    },
    [million, 'pricing.prompt', { input: 1, output: 4, cachedInput: 0.2 }],
  ],
  'ZenMux: lists of conditions': [
    {
      pricings: {
        prompt: [
          {
            value: 3,
            unit: 'perMTokens',
            currency: 'USD',
            conditions: { prompt_tokens: { unit: 'kTokens', gte: 0, lt: 200 } },
          },
          {
            value: 6,
            unit: 'perMTokens',
            currency: 'USD',
            conditions: { prompt_tokens: { unit: 'kTokens', gte: 200 } },
          },
        ],
        completion: [{ value: 15, unit: 'perMTokens', currency: 'USD' }],
        input_cache_write_5_min: [{ value: 3.75, unit: 'perMTokens', currency: 'USD' }],
        input_cache_write_1_h: [{ value: 6, unit: 'perMTokens', currency: 'USD' }],
        web_search: [{ value: 0.01, unit: 'perCount', currency: 'USD' }],
      },
    },
    [
      million,
      'pricings.prompt.0.value',
      {
        input: 3,
        output: 15,
        cacheWrite: 3.75,
        tiers: [{ from: 200_000, input: 6, output: 15, cacheWrite: 3.75 }],
      },
    ],
  ],
  'AI/ML API: rows with a number of tokens': [
    {
      pricing: {
        units: [
          { name: 'token', content: 'text', origin: 'provided', price: 2.6, per: 1_000_000 },
          { name: 'token', content: 'text', origin: 'generated', price: 10.4, per: 1_000_000 },
          { name: 'token', content: 'text', origin: 'cached', price: 0.26, per: 1_000_000 },
          { name: 'token', content: 'audio', origin: 'provided', price: 40, per: 1_000_000 },
        ],
      },
    },
    [million, 'pricing.units.0.price', { input: 2.6, output: 10.4, cachedInput: 0.26 }],
  ],
  'Fireworks: rows named in words': [
    {
      pricing: [
        { sku: 'LLM input tokens (uncached)', amount: '0.9', unit: '1M tokens' },
        { sku: 'LLM input tokens (cached)', amount: '0.45', unit: '1M tokens' },
        { sku: 'LLM output tokens', amount: '0.9', unit: '1M tokens' },
      ],
    },
    [million, 'pricing.0.amount', { input: 0.9, output: 0.9, cachedInput: 0.45 }],
  ],
  'Glama: a place that says the unit': [
    { pricePerToken: { cacheRead: null, input: '0.000000075', output: '0.0000003' } },
    [token, 'pricePerToken.input', { input: 0.075, output: 0.3 }],
  ],
  'NEAR AI: with a scale': [
    {
      inputCostPerToken: { amount: 140, scale: 9, currency: 'USD' },
      outputCostPerToken: { amount: 550, scale: 9, currency: 'USD' },
    },
    [token, 'inputCostPerToken.amount', { input: 0.14, output: 0.55 }],
  ],
  'models.dev: a tier in a name': [
    {
      cost: {
        input: 1.25,
        output: 10,
        cache_read: 0.125,
        context_over_200k: { input: 2.5, output: 15, cache_read: 0.25 },
      },
    },
    [
      million,
      'cost.input',
      {
        input: 1.25,
        output: 10,
        cachedInput: 0.125,
        tiers: [{ from: 200_000, input: 2.5, output: 15, cachedInput: 0.25 }],
      },
    ],
  ],
  'a unit in the text of the amount': [
    { pricing: { prompt: '$0.002 per 1K tokens', completion: '$0.004 / 1K tokens' } },
    [thousand, 'pricing.prompt', { input: 2, output: 4 }],
  ],
  'a thousand that alone fits both': [
    { pricing: { input: 0.0005, output: 0.0015 } },
    [thousand, 'pricing.input', { input: 0.5, output: 1.5 }],
  ],
  'cents for a token': [
    { pricing: { cents_per_input_token: 0.000014, cents_per_output_token: 0.00004 } },
    [100, 'pricing.cents_per_input_token', { input: 0.14, output: 0.4 }],
  ],
  'hits and misses of the cache': [
    { pricing: { input_cache_hit: 0.07, input_cache_miss: 0.27, output: 1.1 } },
    [million, 'pricing.input_cache_miss', { input: 0.27, output: 1.1, cachedInput: 0.07 }],
  ],
  'nothing but a fee': [
    { pricing: { prompt: '0', completion: '0', request: '0.01' } },
    [million, 'pricing.prompt', { input: 0, output: 0, request: 0.01 }],
  ],
  'a fee that nobody knows': [
    { pricing: { prompt: '0.000001', completion: '0.000002', safety_surcharge: '0.001' } },
    [token, 'pricing.prompt', { input: 1, output: 2, isPartial: true }],
  ],
};

const unread: Readonly<Record<string, readonly [entry: object, field: string | undefined]>> = {
  'no price': [{ id: 'm' }, undefined],
  'an empty price': [{ pricing: { prompt: null } }, undefined],
  'a price that varies': [{ pricing: { prompt: '-1', completion: '-1' } }, 'pricing'],
  'half a price': [{ pricing: { prompt: '0.0000001' } }, 'pricing'],
  'a price that nobody pays': [{ pricing: { prompt: 1e105, completion: 1e105 } }, 'pricing'],
  seconds: [{ pricing: { input: 0.002, output: 0.002, unit_type: 'SECOND' } }, 'pricing'],
  images: [{ pricing: { input: 0.04, output: 0.04, unit: 'per_image' } }, 'pricing'],
  'a unit that nobody knows': [
    { pricing: { input: 150, output: 600, unit: 'microdollars' } },
    'pricing',
  ],
  euros: [{ pricing: { currency: 'EUR', input_token: 0.2, output_token: 0.8 } }, 'pricing'],
  'yuan for the whole entry': [
    { currency: 'CNY', pricing: { unit: 'per_1m_tokens', prompt: '8', completion: '28' } },
    'pricing',
  ],
  'euros in the text': [
    { pricing: { prompt: '0.15 EUR/1M', completion: '0.6 EUR/1M' } },
    'pricing',
  ],
  'a stated unit that does not fit': [
    { pricing: { input_price_per_million: 3e-7, output_price_per_million: 1.2e-6 } },
    'pricing',
  ],
  'a price of seconds beside other fields': [
    { model_info: { mode: 'audio_transcription', input_cost_per_second: 0.0001 } },
    undefined,
  ],
  'a price beside other fields': [{ input_price: 'ask us', output_price: 'ask us' }, 'input_price'],
};

describe('readPrice', () => {
  for (const [name, [entry, [tokens, field, price]]] of Object.entries(lists))
    it(`reads ${name}`, () => {
      assert.deepEqual(readPrice(entry), { price: { ...price, source: { field, tokens } } });
    });

  for (const [name, [entry, field]] of Object.entries(unread))
    it(`reads no price from ${name}`, () => {
      assert.deepEqual(readPrice(entry), field === undefined ? {} : { unreadPrice: field });
    });

  /** Thousandths of a dollar for a million tokens: all prices but the highest. */
  const price = fc.integer({ min: 1, max: 999_999 });

  it('reads the same price in each unit', () => {
    fc.assert(
      fc.property(price, price, (input, output) => {
        const [perMillion, perToken] = [(n: number) => n / 1e3, (n: number) => n / 1e9];
        const entries = [
          { pricing: { prompt: perMillion(input), completion: perMillion(output) } },
          { pricing: { prompt: String(perMillion(input)), completion: perMillion(output) } },
          { pricing: { prompt: perToken(input), completion: perToken(output) } },
          { pricing: { prompt: perToken(input).toFixed(9), completion: String(perToken(output)) } },
          { pricing: { unit: 'per_1k_tokens', input: input / 1e6, output: output / 1e6 } },
          { input_cost_per_token: perToken(input), output_cost_per_token: perToken(output) },
          { prompt_text_token_price: input * 10, completion_text_token_price: output * 10 },
        ];
        for (const entry of entries) {
          const read = readPrice(entry).price;
          assert.deepEqual([read?.input, read?.output], [input / 1e3, output / 1e3]);
        }
      }),
    );
  });

  it('reads a price of any size and depth', () => {
    const nested = Array.from({ length: 100_000 }).reduce<object>((tier) => ({ tier }), {});
    const providers = Array.from({ length: 100_000 }).reduce<object>(
      (provider) => ({ providers: [provider] }),
      {},
    );
    assert.deepEqual(readPrice({ pricing: nested, providers: [providers] }), {
      unreadPrice: 'pricing',
    });
    const tiers = Array.from({ length: 100_000 }, (_, from) => ({ from, input: 2, output: 2 }));
    assert.equal(readPrice({ pricing: { input: 1, output: 1, tiers } }).price?.input, 2);
  });

  it('reads no price that nobody can believe', () => {
    const amount = fc.oneof(fc.double(), fc.float().map(String), fc.constantFrom(0, '0', -1, null));
    const name = fc.constantFrom(
      ...['input', 'output', 'prompt', 'completion', 'input_price_per_m', 'cache_read'],
      ...['reasoning', 'unit', 'per', 'min', 'usd', 'tiers', 'price', 'read_price'],
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        amount,
        tie('record'),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
      record: fc.dictionary(name, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(tree, (pricing) => {
        const read = readPrice({ pricing, read_price: pricing }).price;
        for (const rates of read === undefined ? [] : [read, ...(read.tiers ?? [])])
          for (const kind of [
            'input',
            'output',
            'cachedInput',
            'cacheWrite',
            'reasoning',
          ] as const) {
            const dollars = rates[kind] ?? 0;
            assert.ok(dollars === 0 || (dollars >= 0.001 && dollars <= 1000), String(dollars));
          }
      }),
    );
  });
});
