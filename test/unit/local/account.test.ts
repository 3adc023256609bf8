import assert from 'node:assert/strict';
import { Account, requestCost } from '../../../src/local/account.ts';
import { ApiError } from '../../../src/local/httpResponse.ts';
import { ManualClock } from '../../support/manualClock.ts';

const price = { input: 1, output: 3, cachedInput: 0.5 };

function thrown(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  assert.fail('Nothing was thrown.');
}

describe('account', () => {
  const clock = new ManualClock();

  it('identifies a key by its text', () => {
    const account = new Account(clock, 1);
    const key = account.createKey({ key: 'sk-a', name: 'A' });
    assert.equal(account.authenticate('Bearer sk-a'), key);
  });

  it('refuses a header that is missing, malformed or has an unknown key with 401', () => {
    const account = new Account(clock, 1);
    account.createKey({ key: 'sk-a', name: 'A' });
    for (const header of [
      null,
      '',
      'sk-a',
      'Basic sk-a',
      'Bearer a',
      'Bearer sk-a b',
      'Bearer sk-b',
    ]) {
      const { status, message } = thrown(() => account.authenticate(header));
      assert.equal(status, 401);
      assert.ok(!message.includes('sk-b'), 'The secret is not repeated.');
    }
  });

  it('refuses a deleted key and, from its expiration on, an expired one', async () => {
    const time = new ManualClock(1_000_000);
    const account = new Account(time, 1);
    account.createKey({ key: 'sk-a', name: 'A', expiresAt: 1_000_500 });
    account.createKey({ key: 'sk-b', name: 'B' });
    account.deleteKey('sk-b');
    assert.match(thrown(() => account.authenticate('Bearer sk-b')).message, /deleted/);
    await time.advance(499);
    account.authenticate('Bearer sk-a');
    await time.advance(1);
    assert.match(thrown(() => account.authenticate('Bearer sk-a')).message, /expired/);
  });

  it('computes the cost of prompt, cached prompt and reply at their prices', () => {
    const cost = requestCost(price, { prompt: 1_000_000, cached: 400_000, completion: 100_000 });
    assert.equal(cost, 0.6 + 0.2 + 0.3);
  });

  it('deducts the cost from the wallet, and refuses with 402 when that is empty', () => {
    const account = new Account(clock, 0.5);
    const key = account.createKey({ key: 'sk-a', name: 'A' });
    account.admit(key, 1000, 0.001);
    account.charge(key, price, { prompt: 500_000, cached: 0, completion: 0 });
    assert.equal(account.balance, 0);
    assert.equal(key.spent, 0.5);
    assert.equal(thrown(() => account.admit(key, 1, 0)).status, 402);
    account.topUp(1);
    account.admit(key, 1, 0);
  });

  it('refuses with 402 requests that the wallet or the budget of the key cannot pay for', () => {
    const account = new Account(clock, 1);
    const key = account.createKey({ key: 'sk-a', name: 'A', budget: 0.1 });
    assert.match(thrown(() => account.admit(key, 1, 1.5)).message, /wallet/);
    assert.match(thrown(() => account.admit(key, 1, 0.2)).message, /budget/);
    assert.equal(key.requests, 0);
  });

  it('limits the requests of a key in any 60 seconds', async () => {
    const time = new ManualClock();
    const account = new Account(time, 1);
    const key = account.createKey({ key: 'sk-a', name: 'A', requestsPerMinute: 2 });
    account.admit(key, 1, 0);
    await time.advance(20_000);
    account.admit(key, 1, 0);
    await time.advance(10_500);
    const refused = thrown(() => account.admit(key, 1, 0));
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.headers, { 'retry-after': '30' });
    await time.advance(29_500);
    account.admit(key, 1, 0);
    assert.deepEqual(thrown(() => account.admit(key, 1, 0)).headers, { 'retry-after': '20' });
  });

  it('counts the tokens of prompts and replies against the limit of tokens', async () => {
    const time = new ManualClock();
    const account = new Account(time, 1);
    const key = account.createKey({ key: 'sk-a', name: 'A', tokensPerMinute: 100 });
    account.admit(key, 40, 0);
    account.charge(key, price, { prompt: 40, cached: 0, completion: 40 });
    const refused = thrown(() => account.admit(key, 30, 0));
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.headers, { 'retry-after': '60' });
    account.admit(key, 20, 0);
    await time.advance(60_000);
    account.admit(key, 100, 0);
    assert.equal(key.tokens, 200);
  });

  it('gives no time to wait for a prompt that exceeds the limit', () => {
    const account = new Account(clock, 1);
    const key = account.createKey({ key: 'sk-a', name: 'A', tokensPerMinute: 100 });
    const refused = thrown(() => account.admit(key, 101, 0));
    assert.equal(refused.status, 429);
    assert.deepEqual(refused.headers, {});
  });
});
