import assert from 'node:assert/strict';
import { formatMoney } from '../../../../src/core/conversation/usage.ts';

describe('formatMoney', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [0, '$', '$0.00'],
    [0.00001, '$', '<$0.0001'],
    [0.0012, '$', '$0.0012'],
    [0.0424, '$', '$0.042'],
    [0.5, '€', '€0.50'],
    [1234.567, '$', '$1,234.57'],
    [1, 'EUR', 'EUR 1.00'],
  ];
  for (const [amount, currency, text] of cases) {
    it(`writes ${amount} as ${text}`, () =>
      assert.equal(formatMoney(amount, currency, 'en'), text));
  }
});
