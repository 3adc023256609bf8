import assert from 'node:assert/strict';
import { ServiceError, type ServiceErrorKind } from '../../../../src/core/service/errors.ts';
import { parseRetryAfter, retryDelay } from '../../../../src/core/service/retry.ts';

describe('retryDelay', () => {
  const waits = (error: ServiceError): (number | undefined)[] =>
    [1, 2, 3, 4].map((attempt) => retryDelay(error, attempt));

  it('waits 1, 2 and 4 seconds, and sends four times in total', () => {
    for (const kind of ['rate-limited', 'server-error', 'network'] as const) {
      assert.deepEqual(waits(new ServiceError(kind, '')), [1000, 2000, 4000, undefined]);
    }
  });

  it('never repeats what repeating does not mend', () => {
    const kinds: ServiceErrorKind[] = [
      'bad-request',
      'unauthorized',
      'insufficient-balance',
      'forbidden',
      'not-found',
      'timeout',
      'redirected',
      'unexpected-reply',
      'in-stream',
      'cut',
    ];
    for (const kind of kinds)
      assert.equal(retryDelay(new ServiceError(kind, ''), 1), undefined, kind);
  });

  it('does what the service asks for, up to a minute', () => {
    const asking = (retryAfter: number): ServiceError =>
      new ServiceError('rate-limited', '', { retryAfter });
    assert.equal(retryDelay(asking(0), 1), 0);
    assert.equal(retryDelay(asking(60_000), 3), 60_000);
    assert.equal(retryDelay(asking(60_001), 1), undefined);
  });

  it('does not repeat a certificate that is refused', () => {
    const cause = new TypeError('fetch failed', {
      cause: Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    });
    assert.equal(retryDelay(new ServiceError('network', '', { cause }), 1), undefined);
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);

  it('reads seconds and dates', () => {
    assert.equal(parseRetryAfter('0', now), 0);
    assert.equal(parseRetryAfter(' 7 ', now), 7000);
    assert.equal(parseRetryAfter('1.5', now), 1500);
    assert.equal(parseRetryAfter('Thu, 01 Jan 2026 12:00:30 GMT', now), 30_000);
    assert.equal(parseRetryAfter('1000000000', now), 1e12);
  });

  it('counts everything else as absent', () => {
    const odd = [null, '', '-1', 'x', '1e9', 'NaN', 'soon', 'Thu, 01 Jan 2026 11:59:00 GMT'];
    for (const header of odd) assert.equal(parseRetryAfter(header, now), undefined, String(header));
  });
});
