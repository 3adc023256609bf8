import assert from 'node:assert/strict';
import { demoHost } from '../../../../src/core/service/address.ts';
import {
  ServiceError,
  type ServiceErrorDetails,
  type ServiceErrorKind,
} from '../../../../src/core/service/errors.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { errorText, type ErrorContext } from '../../../../src/host/platform/errorText.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';

const host = 'api.example.com';
const now = new Date(2030, 0, 31, 14, 0).getTime();

function context(more: Partial<ErrorContext> = {}): ErrorContext {
  return { redact: createRedactor().redactError, now, language: 'en', ...more };
}

function serviceError(kind: ServiceErrorKind, details: ServiceErrorDetails = {}): ServiceError {
  return new ServiceError(kind, 'for developers', { host, ...details });
}

function textOf(kind: ServiceErrorKind, details?: ServiceErrorDetails, model?: string): string {
  return errorText(serviceError(kind, details), context({ model })).message;
}

const remedies: Record<ServiceErrorKind, string | undefined> = {
  'invalid-request': undefined,
  'invalid-address': 'connect',
  'missing-key': 'set-api-key',
  'missing-model': 'select-model',
  'bad-request': undefined,
  filtered: 'select-model',
  'context-exceeded': 'new-chat',
  unauthorized: 'set-api-key',
  'insufficient-balance': 'open-console',
  forbidden: 'select-model',
  'not-found': 'select-model',
  'wrong-address': 'connect',
  'rate-limited': 'try-again',
  'server-error': 'try-again',
  'unexpected-status': 'try-again',
  redirected: 'connect',
  'unexpected-reply': 'connect',
  'list-too-large': undefined,
  'empty-reply': 'try-again',
  'in-stream': 'try-again',
  cut: 'try-again',
  'no-reply': 'try-again',
  unreadable: 'try-again',
  timeout: 'try-again',
  network: 'try-again',
  'origin-refused': 'connect',
  'header-refused': 'connect',
  'mixed-content': 'try-again',
};

/** Errors that occur before a request is sent. */
const withoutHost = new Set<string>(['invalid-address', 'invalid-request', 'missing-model']);

function isKind(kind: string): kind is ServiceErrorKind {
  return Object.hasOwn(remedies, kind);
}

describe('errorText', () => {
  for (const kind of Object.keys(remedies).filter(isKind)) {
    it(`explains ${kind} and offers a remedy`, () => {
      const text = errorText(serviceError(kind), context({ model: 'mistral/small' }));
      assert.equal(text.kind, kind);
      assert.equal(text.remedy, remedies[kind]);
      if (!withoutHost.has(kind)) {
        assert.ok(text.message.includes(host), text.message);
      }
      assert.ok(/[.”]$/.test(text.message) && !/\{\d\}/.test(text.message), text.message);
    });
  }

  it('calls the demo by its name, not by its address', () => {
    const text = textOf('server-error', { host: demoHost, status: 500 });
    assert.match(text, /^The demo service had an internal error \(500\)/);
  });

  it('quotes the service, on one line and without invisible characters', () => {
    const message = textOf('bad-request', { status: 422, detail: ' too\n\u202elong\u0007 ' });
    assert.ok(message.includes('(422)'));
    assert.ok(message.endsWith('The service reported: “too long”'), message);
  });

  it('names the origin that a service must allow, and only that', () => {
    const details = { detail: 'https://v--1.vscode-cdn.net' };
    for (const kind of ['origin-refused', 'header-refused'] as const) {
      const text = textOf(kind, details);
      assert.match(text, /\(CORS\).* the origin https:\/\/v--1\.vscode-cdn\.net\.$/);
      assert.match(text, /VS Code on the desktop or in a remote window/);
    }
    assert.match(textOf('header-refused', details), /list authorization, content-type in Access-/);
    assert.match(textOf('mixed-content'), /service is running.*https:\/\//);
  });

  it('says whether a reply or a list of models was requested', () => {
    assert.match(textOf('unexpected-reply', {}, 'm'), /isn't a chat reply\. Check the base URL/);
    assert.match(textOf('unexpected-reply'), /isn't a list of models\. Check the base URL/);
  });

  it('names the model of a 404, or the address without a model', () => {
    assert.match(textOf('not-found', {}, 'mistral/gone'), /doesn't have the model mistral\/gone/);
    const bare = errorText(serviceError('not-found'), context());
    assert.match(bare.message, /Check the base URL/);
    assert.equal(bare.remedy, 'connect');
  });

  it('names the time of a 429 or 503: how long, and from some minutes on the hour, up to a day', () => {
    assert.match(textOf('rate-limited', { retryAfter: 40_000 }), /Try again in 40 seconds\./);
    const long = textOf('rate-limited', { retryAfter: 600_000 });
    assert.match(long, /Try again in 10 minutes \(2:10\sPM\)\./);
    const hours = textOf('rate-limited', { retryAfter: 20 * 60 * 60_000 });
    assert.match(hours, /Try again in 20 hours \(.*10:00\sAM\)\./);
    const days = textOf('rate-limited', { retryAfter: 3 * 24 * 60 * 60_000 });
    assert.match(days, /Wait a moment/, 'no service means that');
    assert.match(textOf('rate-limited'), /Wait a moment/);
    assert.match(textOf('rate-limited', { retryAfter: 0 }), /Wait a moment/);
    const busy = textOf('server-error', { status: 503, retryAfter: 600_000 });
    assert.match(busy, /\(503\)\. Try again in 10 minutes \(2:10\sPM\)\./);
  });

  it('offers a remedy for a reported error', () => {
    const reported: readonly (readonly [ServiceErrorKind | undefined, string])[] = [
      [undefined, 'try-again'],
      ['bad-request', 'try-again'],
      ['rate-limited', 'try-again'],
      ['insufficient-balance', 'open-console'],
      ['context-exceeded', 'new-chat'],
      ['unauthorized', 'set-api-key'],
      ['not-found', 'select-model'],
    ];
    for (const [kind, remedy] of reported) {
      const error = serviceError('in-stream', { detail: 'Full', reported: kind });
      const text = errorText(error, context({ model: 'm' }));
      assert.equal(text.remedy, remedy, kind);
      assert.match(text.message, /an error instead of a complete reply\..*“Full”/);
    }
  });

  const causes: readonly (readonly [string, RegExp])[] = [
    ['ENOTFOUND', /Can't find the server/],
    ['EAI_AGAIN', /Can't find the server/],
    ['ECONNREFUSED', /service is running and the port/],
    ['ENETUNREACH', /offline/],
    ['ETIMEDOUT', /Can't reach/],
    ['UND_ERR_CONNECT_TIMEOUT', /Can't reach/],
    ['CERT_HAS_EXPIRED', /expired or isn't valid yet/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for a different host/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /isn't trusted/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /isn't trusted/],
    ['ECONNRESET', /was closed/],
    ['UND_ERR_SOCKET', /was closed/],
    ['E_NOBODY_KNOWS', /Check your network and proxy/],
  ];
  for (const [code, sentence] of causes) {
    it(`distinguishes ${code} from other network errors`, () => {
      const inner = Object.assign(new Error('inner'), { code });
      const cause = new TypeError('fetch failed', { cause: inner });
      assert.match(textOf('network', { cause }), sentence);
    });
  }

  it('looks into an AggregateError, and survives circular causes', () => {
    const refused = Object.assign(new Error('v6'), { code: 'ECONNREFUSED' });
    assert.match(
      textOf('network', { cause: new AggregateError([refused]) }),
      /service is running and the port/,
    );
    const circle = new Error('circle');
    circle.cause = circle;
    assert.match(textOf('network', { cause: circle }), /Check your network and proxy/);
  });

  it('recognizes a proxy that requires a login, even if only a message says so', () => {
    const tunnel = new Error('Proxy response (407) !== 200 when HTTP Tunneling');
    assert.match(textOf('network', { cause: tunnel }), /proxy.*requires authentication \(407\)/);
    assert.match(
      textOf('unexpected-status', { status: 407 }),
      /proxy.*requires authentication \(407\)/,
    );
  });

  it('distinguishes a broken secret storage from a missing key', () => {
    assert.match(textOf('missing-key'), /There's no API key/);
    assert.match(textOf('missing-key', { cause: new Error('no keyring') }), /secret storage/);
  });

  it('shows the message of a UserError unchanged', () => {
    const budget = errorText(new UserError('Over.', 'raise-budget'), context());
    assert.equal(budget.remedy, 'raise-budget');
    const text = errorText(new UserError('Select a model first.'), context());
    assert.deepEqual(text, {
      kind: 'refused',
      message: 'Select a model first.',
      remedy: undefined,
    });
  });

  it('has texts for internal errors and for an abort', () => {
    const fault = errorText(new Error('boom.'), context());
    assert.equal(fault.message, 'Something went wrong in Aside: boom. See the log for details.');
    assert.equal(fault.kind, 'unexpected');
    assert.equal(errorText(new DOMException('x', 'AbortError'), context()).kind, 'stopped');
    assert.match(errorText('thrown text', context()).message, /thrown text/);
  });
});
