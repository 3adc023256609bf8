import assert from 'node:assert/strict';
import { FaultQueue, type Fault } from '../../../src/local/faults.ts';
import { createService, demoKey, type LocalService } from '../../../src/local/service.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { complete, eventsOf, post, refusal, stream, user } from './serviceRequests.ts';

function serviceWith(...faults: readonly Fault[]): LocalService {
  const service = createService({ pace: 0 });
  service.faults.push(...faults);
  return service;
}

/** Reads a body up to its end or error. */
async function readBody(response: Response): Promise<{ text: string; error: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece);
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

function contentOf(body: string): string {
  const pieces = [...body.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)];
  return pieces.map(([, piece = '""']) => String(JSON.parse(piece))).join('');
}

describe('faults', () => {
  describe('of a reply', () => {
    it('cut: ends after the characters, without finish reason and [DONE]', async () => {
      const response = await post(serviceWith({ kind: 'cut', after: 10 }), { stream: true });
      const { text, error } = await readBody(response);
      assert.equal(contentOf(text), 'Hello! I’m');
      assert.ok(!text.includes('[DONE]') && !text.includes('"finish_reason":"'));
      assert.equal(error, undefined);
    });

    it('cut: charges for what was sent', async () => {
      const service = serviceWith({ kind: 'cut', after: 0 });
      await readBody(await post(service, { stream: true }));
      const { usage } = await complete(createService({ pace: 0 }), {});
      assert.equal(service.account.key(demoKey)?.tokens, usage?.prompt_tokens);
    });

    it('socket: the body breaks with an error', async () => {
      const response = await post(serviceWith({ kind: 'socket', after: 5 }), { stream: true });
      const { text, error } = await readBody(response);
      assert.equal(contentOf(text), 'Hello');
      assert.ok(error instanceof TypeError);
    });

    it('stall: no more data until the request is aborted', async () => {
      const service = serviceWith({ kind: 'stall', after: 5 });
      const abort = new AbortController();
      const response = await post(service, { stream: true }, { signal: abort.signal });
      const reader = response.body?.getReader();
      for (let text = ''; !text.includes('Hello');)
        text += new TextDecoder().decode((await reader?.read())?.value);
      const next = reader?.read();
      abort.abort(new Error('enough'));
      await assert.rejects(async () => next, /enough/);
      await service.requests[0]?.finished;
      assert.equal(service.requests[0]?.aborted, true);
    });

    it("malformed: an event isn't JSON, and the reply is complete", async () => {
      const response = await post(serviceWith({ kind: 'malformed', after: 20 }), { stream: true });
      const { text } = await readBody(response);
      const bad = eventsOf(text).filter((event) => event.endsWith('"bro'));
      assert.equal(bad.length, 1);
      const whole = await complete(createService({ pace: 0 }), {});
      assert.equal(contentOf(text.replace(/data: .*"bro\n\n/, '')), whole.content);
      assert.ok(text.endsWith('data: [DONE]\n\n'));
    });

    it('error: an error object replaces the rest', async () => {
      const fault: Fault = { kind: 'error', after: 5, message: 'The model fell over.' };
      const { text } = await readBody(await post(serviceWith(fault), { stream: true }));
      assert.match(eventsOf(text).at(-1) ?? '', /^\{"error":\{"message":"The model fell over\."/);
    });

    it('slow: each token takes its time', async () => {
      const clock = new ManualClock();
      const service = createService({ pace: 0, clock });
      service.faults.push({ kind: 'slow', pace: 700 });
      const reply = stream(service, { max_tokens: 2 });
      assert.equal(await clock.nextWait(), 700);
      await clock.advance(1400);
      assert.equal((await reply).finishReason, 'length');
    });

    it('no-usage: no usage is reported, in a stream and in one piece', async () => {
      const service = serviceWith({ kind: 'no-usage', times: 2 });
      assert.equal((await stream(service, {})).usage, undefined);
      assert.equal((await complete(service, {})).usage, undefined);
      assert.notEqual((await complete(service, {})).usage, undefined);
    });

    it('empty: no text, and a proper end', async () => {
      const { content, finishReason, done } = await stream(serviceWith({ kind: 'empty' }), {});
      assert.deepEqual(
        { content, finishReason, done },
        { content: '', finishReason: 'stop', done: true },
      );
    });

    it('early-finish: every chunk has the finish reason, and the reply is complete', async () => {
      const response = await post(serviceWith({ kind: 'early-finish' }), { stream: true });
      const { text } = await readBody(response);
      const whole = await complete(createService({ pace: 0 }), {});
      assert.equal(contentOf(text), whole.content);
      const early = eventsOf(text).filter((event) => event.includes('"finish_reason":"stop"'));
      assert.ok(early.length > 3);
    });

    it("in one piece: cut and malformed aren't JSON, socket breaks, error is an error object", async () => {
      const whole = async (fault: Fault): Promise<{ text: string; error: unknown }> =>
        readBody(await post(serviceWith(fault), {}));
      assert.equal((await whole({ kind: 'cut', after: 7 })).text.length, 7);
      const malformed = await whole({ kind: 'malformed', after: 0 });
      assert.throws(() => void JSON.parse(malformed.text), SyntaxError);
      assert.ok((await whole({ kind: 'socket', after: 7 })).error instanceof TypeError);
      assert.match((await whole({ kind: 'error', after: 0 })).text, /^\{"error":/);
    });
  });

  describe('instead of a response', () => {
    it('status: an error body, for the given number of requests', async () => {
      const service = serviceWith({ kind: 'status', status: 503, times: 2 });
      for (let count = 0; count < 2; count += 1)
        assert.equal((await refusal(await post(service, {}))).status, 503);
      assert.equal((await post(service, {})).status, 200);
    });

    it('status: Retry-After in seconds or as text', async () => {
      const date = 'Thu, 01 Jan 2026 00:00:05 GMT';
      const service = serviceWith(
        { kind: 'status', status: 429, retryAfter: 2 },
        { kind: 'status', status: 429, retryAfter: date },
        { kind: 'status', status: 500, message: 'Out of order.' },
      );
      assert.equal((await post(service, {})).headers.get('retry-after'), '2');
      assert.equal((await post(service, {})).headers.get('retry-after'), date);
      const last = await post(service, {});
      assert.equal(last.headers.get('retry-after'), null);
      assert.equal((await refusal(last)).message, 'Out of order.');
    });

    it('status: the given error code', async () => {
      const fault: Fault = { kind: 'status', status: 429, code: 'insufficient_quota' };
      const body = await (await post(serviceWith(fault), {})).text();
      assert.match(body, /"code":"insufficient_quota"/);
    });

    it('page: status 404 and a web page', async () => {
      const page = await post(serviceWith({ kind: 'page' }), {});
      assert.equal(page.status, 404);
      assert.match(await page.text(), /^<html>/);
    });

    it('html and blank: status 200 without a reply', async () => {
      const service = serviceWith({ kind: 'html' }, { kind: 'blank' });
      const page = await post(service, { stream: true });
      assert.equal(page.status, 200);
      assert.equal(page.headers.get('content-type'), 'text/html');
      assert.match(await page.text(), /<title>Sign in/);
      assert.equal(await (await post(service, { stream: true })).text(), '');
    });

    it('redirect: names another address', async () => {
      const location = 'https://elsewhere.example/v1';
      const service = serviceWith(
        { kind: 'redirect', location },
        { kind: 'redirect', location, status: 302 },
      );
      const response = await post(service, {});
      assert.equal(response.status, 307);
      assert.equal(response.headers.get('location'), location);
      assert.equal((await post(service, {})).status, 302);
    });

    it('silence: not even a status, until the request is aborted', async () => {
      const service = serviceWith({ kind: 'silence' });
      const abort = new AbortController();
      const reason = new Error('too long');
      service.onRequest(() => abort.abort(reason));
      await assert.rejects(post(service, {}, { signal: abort.signal }), reason);
      assert.equal(service.requests[0]?.aborted, true);
      assert.equal(service.requests[0].status, undefined);
    });

    it('refused: the handler rejects as fetch does', async () => {
      await assert.rejects(post(serviceWith({ kind: 'refused' }), {}), TypeError);
    });

    it('apply before the check of the key, and are not charged', async () => {
      const service = serviceWith({ kind: 'status', status: 500 });
      assert.equal((await post(service, {}, { key: 'sk-other' })).status, 500);
      assert.equal(service.account.balance, 100);
    });
  });

  describe('in a queue', () => {
    it('are used up in order, for the requests to which they apply', () => {
      const queue = new FaultQueue();
      queue.push(
        { kind: 'cut', after: 1 },
        { kind: 'html', on: 'completions' },
        { kind: 'blank', times: 2 },
      );
      assert.equal(queue.next('models')?.kind, 'blank');
      assert.equal(queue.next('completions')?.kind, 'cut');
      assert.equal(queue.next('completions')?.kind, 'html');
      assert.equal(queue.next('completions')?.kind, 'blank');
      assert.equal(queue.next('completions'), undefined);
      assert.equal(queue.length, 0);
    });
  });

  describe('requested in a message', () => {
    const bodyWith = (text: string): object => ({ messages: [user(text)] });

    it('a status fails the given number of times, then succeeds once, and so on', async () => {
      const service = createService({ pace: 0 });
      const statuses: number[] = [];
      for (let count = 0; count < 6; count += 1)
        statuses.push((await post(service, bodyWith('/fault 503 2'))).status);
      assert.deepEqual(statuses, [503, 503, 200, 503, 503, 200]);
    });

    it('a status without a number always fails, 429 with Retry-After', async () => {
      const service = createService({ pace: 0 });
      for (let count = 0; count < 3; count += 1) {
        const response = await post(service, bodyWith('please /fault 429'));
        assert.equal(response.status, 429);
        assert.equal(response.headers.get('retry-after'), '3');
      }
    });

    it('a reply is cut at the given position', async () => {
      const body = { ...bodyWith('/fault cut 12 hello'), stream: true };
      const { text } = await readBody(await post(createService({ pace: 0 }), body));
      assert.equal(contentOf(text), 'Hello! I’m t');
    });

    it('an unknown name is no fault', async () => {
      const { content } = await complete(
        createService({ pace: 0 }),
        bodyWith('/fault nonsense hello'),
      );
      assert.notEqual(content, '');
    });

    it('a fault applies only in the last paragraph, which is removed from the message', async () => {
      const { content } = await complete(
        createService({ pace: 0 }),
        bodyWith('/fault 500\n\nhello'),
      );
      assert.match(content, /^Hello/);
    });

    it('a fault applies only in the last message', async () => {
      const service = createService({ pace: 0 });
      const messages = [user('/fault 500'), { role: 'assistant', content: 'No.' }, user('hello')];
      assert.equal((await post(service, { messages })).status, 200);
    });
  });
});
