import assert from 'node:assert/strict';
import { ServiceError, type ServiceErrorKind } from '../../../../src/core/service/errors.ts';
import { limitsIn } from '../../../../src/core/service/learnedFacts.ts';

function learned(detail: string, kind: ServiceErrorKind = 'context-exceeded') {
  return limitsIn(new ServiceError(kind, 'HTTP status 400', { status: 400, detail }));
}

describe('the limits that an error names', () => {
  const windows: readonly [string, number][] = [
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
      8192,
    ],
    [
      "This model's maximum context length is 131,072 tokens. However, you requested 140000 tokens (139000 in the messages, 1000 in the completion).",
      131_072,
    ],
    ['prompt is too long: 215000 tokens > 200000 maximum', 200_000],
    ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 200_000],
    ['the request exceeds the available context size (4096 tokens), try increasing it', 4096],
    ['The input exceeds the context window of 32768 tokens.', 32_768],
    ['Requested tokens exceed context window of 2048', 2048],
    ['max context length: 65536', 65_536],
    [
      'The prompt exceeds the maximum allowed (16384) tokens. The context length is too small.',
      16_384,
    ],
  ];
  for (const [detail, window] of windows)
    it(`are a context window in “${detail.slice(0, 60)}”`, () => {
      assert.deepEqual(learned(detail), { contextWindow: window });
    });

  const outputs: readonly [string, number][] = [
    [
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      16_384,
    ],
    ['`max_tokens` must be less than or equal to 8192', 8192],
    ['max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens', 64_000],
    ['max_completion_tokens cannot exceed 4096', 4096],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
    ['The maximum number of output tokens for this model is 2,048.', 2048],
  ];
  for (const [detail, output] of outputs)
    it(`are the longest reply in “${detail.slice(0, 60)}”`, () => {
      assert.deepEqual(learned(detail, 'bad-request'), { maxOutput: output });
    });

  it('are undefined without a stated limit, or for another error', () => {
    for (const detail of [
      '',
      'Your messages resulted in 9001 tokens, which is too long.',
      'The context length was exceeded.',
      'maximum context length is 12 tokens',
      'Request 123456 failed: prompt is too long.',
    ])
      assert.deepEqual(learned(detail), {}, detail);
    const [[detail] = ['']] = windows;
    assert.deepEqual(learned(detail, 'rate-limited'), {});
    assert.deepEqual(limitsIn(new Error(detail)), {});
    assert.deepEqual(limitsIn(undefined), {});
  });
});
