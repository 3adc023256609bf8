import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';

describe('until', () => {
  it('resolves once the condition is true', async () => {
    let looks = 0;
    await until(() => (looks += 1) === 3);
    assert.equal(looks, 3);
  });

  it('rejects with the condition that never becomes true', async () => {
    const isReady = (): boolean => false;
    await assert.rejects(() => until(isReady, 20), /Not true within 20 ms: .*false/);
  });
});
