import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { background, reportTo } from '../../../../src/core/support/background.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { describeError, Log } from '../../../../src/host/platform/log.ts';
import { until } from '../../../support/until.ts';
import { FakeLogSink } from '../fakes.ts';

describe('Log', () => {
  it('holds back lines until all keys are known', async () => {
    const sink = new FakeLogSink();
    const redactor = createRedactor();
    let know = (): void => undefined;
    const log = new Log(sink, redactor, new Promise((resolve) => (know = resolve)));
    log.info('one sk_canary_0123456789');
    log.error('two', new Error('sk_canary_0123456789'));
    assert.deepEqual(sink.lines, []);
    redactor.setKeys(['sk_canary_0123456789']);
    know();
    await until(() => sink.lines.length === 2);
    assert.ok(!sink.lines.join('\n').includes('canary'));
    log.info('three');
    assert.equal(sink.lines.length, 3);
  });

  it('removes keys from every line', async () => {
    const sink = new FakeLogSink();
    const redactor = createRedactor();
    redactor.setKeys(['sk-canary-0123456789']);
    const log = new Log(sink, redactor, Promise.resolve());
    const line = 'a sk-canary-0123456789 and Bearer abcdefgh1234';
    log.info(line);
    log.warn(line);
    log.error(line, new Error(line));
    await until(() => sink.lines.length === 3);
    assert.ok(!/canary|abcdefgh/.test(sink.lines.join('\n')));
  });
});

describe('errors of work in the background', () => {
  it('are written to the log, without keys', async () => {
    const sink = new FakeLogSink();
    const redactor = createRedactor();
    redactor.setKeys(['sk-canary-0123456789']);
    const log = new Log(sink, redactor, Promise.resolve());
    const before = reportTo(() => undefined);
    try {
      log.collect(reportTo);
      background(Promise.reject(new Error('In the script: sk-canary-0123456789')));
      await until(() => sink.lines.length === 1);
    } finally {
      reportTo(before);
    }
    assert.match(sink.lines.join(), /In the script/);
    assert.ok(!sink.lines.join().includes('canary'));
  });
});

describe('describeError', () => {
  it("contains the facts of a service error without the service's message", () => {
    const error = new ServiceError('rate-limited', 'HTTP status 429', {
      status: 429,
      host: 'api.example.com',
      requestId: 'r-1',
      retryAfter: 2000,
      detail: 'your prompt was: secret plans',
    });
    assert.equal(
      describeError(error),
      'rate-limited, host api.example.com, status 429, request r-1, retryAfter 2000',
    );
  });

  it('names the chain of causes with their codes', () => {
    const inner = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });
    const error = new ServiceError('network', 'No connection', { cause: inner });
    assert.equal(describeError(error), 'network; caused by Error ECONNREFUSED connect failed');
  });

  it('quotes no text that could not be parsed', () => {
    const error = new ServiceError('cut', '', { cause: new SyntaxError('in "secret plans"') });
    assert.equal(describeError(error), 'cut; caused by SyntaxError');
    const { error: mismatch } = z.literal('open').safeParse('secret plans', { reportInput: true });
    assert.equal(describeError(mismatch).split('\n')[0], '$ZodError');
  });

  it('has the stack of an internal error, and a text for any thrown value', () => {
    assert.match(describeError(new Error('boom')), /^Error boom\n\s+at /);
    assert.equal(describeError('secret plans'), 'a thrown string');
  });
});
