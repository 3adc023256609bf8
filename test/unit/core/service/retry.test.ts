import assert from 'node:assert/strict';
import { ServiceError, type ServiceErrorKind } from '../../../../src/core/service/errors.ts';
import {
  answerBeforeStatus,
  readRetryAfter,
  retryDelay,
} from '../../../../src/core/service/retry.ts';

describe('retryDelay', () => {
  const waits = (error: ServiceError): (number | undefined)[] =>
    [1, 2, 3, 4].map((attempt) => retryDelay(error, attempt));

  it('waits 1, 2 and 4 seconds, and sends four times in total', () => {
    for (const kind of ['rate-limited', 'server-error', 'network'] as const) {
      assert.deepEqual(waits(new ServiceError(kind, '')), [1000, 2000, 4000, undefined]);
    }
  });

  it('never retries requests that would fail again', () => {
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

  it('waits as long as the service asks if that is longer, up to a minute', () => {
    const rateLimited = (retryAfter: number): ServiceError =>
      new ServiceError('rate-limited', '', { retryAfter });
    const delays = [0, 1, 999, 1000, 1001, 3999, 4000, 4001, 59_999, 60_000, 60_001, 1e12];
    for (const retryAfter of delays) {
      for (const [attempt, backoff] of [1000, 2000, 4000].entries()) {
        const wait = retryAfter > 60_000 ? undefined : Math.max(backoff, retryAfter);
        assert.equal(retryDelay(rateLimited(retryAfter), attempt + 1), wait, `${retryAfter}`);
      }
    }
  });

  const failed = (inner: Error): ServiceError =>
    new ServiceError('network', '', { cause: new TypeError('fetch failed', { cause: inner }) });

  it("does not retry permanent errors, reported by a code or by Chromium's text", () => {
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

  it('retries temporary errors', () => {
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'EWHATEVER']) {
      const error = failed(Object.assign(new Error('no'), { code }));
      assert.equal(retryDelay(error, 1), 1000, code);
    }
    const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    assert.equal(retryDelay(failed(new AggregateError([refused, refused])), 1), 1000);
  });
});

describe('answerBeforeStatus', () => {
  const failed = (message: string, code: string, socket?: unknown): TypeError =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code, socket }) });

  it('recognizes responses in every version of undici', () => {
    for (const [message, code] of [
      [
        'Response body length does not match content-length header',
        'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      ],
      ['bad response', 'UND_ERR_SOCKET'],
      ['bad upgrade', 'UND_ERR_SOCKET'],
      ['false == true', 'ERR_ASSERTION'],
    ] as const) {
      assert.equal(answerBeforeStatus(failed(message, code)), 'unreadable', message);
    }
    const closed = failed('other side closed', 'UND_ERR_SOCKET', { bytesRead: 1 });
    assert.equal(answerBeforeStatus(closed), 'broken');
  });

  it('is undefined if nothing was read, or the number of read bytes is unknown', () => {
    for (const socket of [undefined, null, {}, { bytesRead: 0 }, { bytesRead: '1' }, 'bytesRead']) {
      const closed = failed('other side closed', 'UND_ERR_SOCKET', socket);
      assert.equal(answerBeforeStatus(closed), undefined, JSON.stringify(socket));
    }
    for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', '']) {
      assert.equal(answerBeforeStatus(failed('no', code)), undefined, code);
    }
    assert.equal(answerBeforeStatus('no error'), undefined);
  });
});

describe('readRetryAfter', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);
  const read = (retryAfter: string | undefined, milliseconds?: string): number | undefined => {
    const headers = new Headers();
    if (retryAfter !== undefined) headers.set('Retry-After', retryAfter);
    if (milliseconds !== undefined) headers.set('retry-after-ms', milliseconds);
    return readRetryAfter(headers, now);
  };

  it('reads dates, and the first number as seconds', () => {
    const waits: Readonly<Record<string, number>> = {
      '0': 0,
      ' 7 ': 7000,
      '1.5': 1500,
      '5, 60': 5000,
      '3 seconds': 3000,
      '3s': 3000,
      '1000000000': 1e12,
      'Thu, 01 Jan 2026 12:00:30 GMT': 30_000,
      'Thu, 01 Jan 2026 12:00:30 GMT, Thu, 01 Jan 2026 13:00:00 GMT': 30_000,
      'Thursday, 01-Jan-26 12:00:30 GMT': 30_000,
      '2026-01-01T12:00:30Z': 30_000,
    };
    for (const [header, wait] of Object.entries(waits)) assert.equal(read(header), wait, header);
  });

  it('stays within the range of dates', () => {
    assert.equal(read('9'.repeat(400)), 1e12);
    assert.equal(read(undefined, '9'.repeat(400)), 1e12);
  });

  it('ignores everything else', () => {
    const odd = ['', '-1', 'x', 'NaN', 'soon', 'Thu, 01 Jan 2026 11:59:00 GMT', '2025-01-01'];
    for (const header of odd) assert.equal(read(header), undefined, header);
    assert.equal(read(undefined), undefined);
  });

  it('reads milliseconds if there are no valid seconds', () => {
    assert.equal(read(undefined, '1500'), 1500);
    assert.equal(read('x', '250.5'), 250.5);
    assert.equal(read('-1', '3000'), 3000);
    assert.equal(read('2', '9000'), 2000);
    assert.equal(read(undefined, '-5'), undefined);
    assert.equal(read(undefined, 'x'), undefined);
  });
});
