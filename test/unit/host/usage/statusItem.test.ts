import assert from 'node:assert/strict';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { statusText } from '../../../../src/host/usage/statusItem.ts';

describe('the text in the status bar', () => {
  it('is the short name of the model, and the tokens of the session', () => {
    const used = { ...zeroUsage, total_tokens: 12_400 };
    const cases = [
      ['', zeroUsage, 'Aside'],
      ['', used, 'Aside'],
      ['mistral/mistral-small', zeroUsage, 'mistral-small'],
      ['mistral/mistral-small', used, 'mistral-small 12.4k'],
      ['a/b/c', { ...used, estimated: true }, 'c ≈12.4k'],
      ['a/', zeroUsage, 'a/'],
      ['a/$(flame)', zeroUsage, '$ (flame)'],
      ['x'.repeat(500), zeroUsage, `${'x'.repeat(31)}…`],
    ] as const;
    for (const [model, usage, text] of cases)
      assert.equal(statusText(model, usage), `$(comment-discussion) ${text}`);
  });
});
