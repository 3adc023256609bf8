import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { RequestAdmission } from '../../../../src/host/usage/requestAdmission.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { FakeMemento } from '../fakes.ts';
import { contextOf, ledgerOf, MemoryLog } from './usageRig.ts';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
const sender = { purpose: 'chat', chat: undefined, service: 'https://a', demo: false } as const;

describe('a request whose reply is longer than its model writes', () => {
  const refusal = new ServiceError('bad-request', '400', {
    detail: 'max_tokens cannot exceed 8192',
  });

  async function refused(budget: { day?: number }): Promise<readonly unknown[][]> {
    const noted: unknown[][] = [];
    const admission = new RequestAdmission({
      ledger: ledgerOf(new MemoryLog()),
      meter: new TokenRatios(new FakeMemento()),
      budget: () => ({ ...budget, unit: 'tokens' }),
      context: () => contextOf(() => undefined),
      maxReplyOf: () => undefined,
      noteError: (...given) => noted.push(given),
    });
    const admitted = await admission.admit(request, sender);
    const next = admitted.instead(refusal);
    assert.equal(next?.max_tokens, budget.day === undefined ? undefined : 8192);
    admitted.instead(new Error('another'));
    return noted;
  }

  it('is sent with less, and what the service said is noted for later', async () => {
    assert.deepEqual(await refused({ day: 50_000 }), [['https://a', 'm', refusal]]);
  });

  it('fails where Aside set no limit, as the error is then shown', async () => {
    assert.deepEqual(await refused({}), []);
  });
});
