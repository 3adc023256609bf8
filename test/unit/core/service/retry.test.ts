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

  const failed = (inner: Error): ServiceError =>
    new ServiceError('network', '', { cause: new TypeError('fetch failed', { cause: inner }) });

  it('does not repeat what stays as it is, told by a code or by Chromium in words', () => {
    const codes = [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'EPROTO',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ENETUNREACH',
      'EHOSTUNREACH',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_HEADERS_TIMEOUT',
    ];
    for (const code of codes) {
      const error = failed(Object.assign(new Error('no'), { code }));
      assert.equal(retryDelay(error, 1), undefined, code);
    }
    const words = [
      'net::ERR_CERT_AUTHORITY_INVALID',
      'net::ERR_CERT_DATE_INVALID',
      'net::ERR_SSL_PROTOCOL_ERROR',
      'net::ERR_INTERNET_DISCONNECTED',
      'net::ERR_NAME_NOT_RESOLVED',
      'net::ERR_CONNECTION_TIMED_OUT',
    ];
    for (const word of words) assert.equal(retryDelay(failed(new Error(word)), 1), undefined, word);
  });

  it('repeats what may pass', () => {
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'EWHATEVER']) {
      const error = failed(Object.assign(new Error('no'), { code }));
      assert.equal(retryDelay(error, 1), 1000, code);
    }
    const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    assert.equal(retryDelay(failed(new AggregateError([refused, refused])), 1), 1000);
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
