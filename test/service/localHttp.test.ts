import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { RequestRecord } from '../../src/local/service.ts';
import { startHttpService, type HttpService } from '../support/httpService.ts';

describe('the local service over HTTP', () => {
  let http: HttpService;

  beforeEach(async () => {
    http = await startHttpService();
  });

  afterEach(async () => http.close());

  function post(text: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(`${http.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${http.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mistral/mistral-small',
        messages: [{ role: 'user', content: text }],
        ...more,
      }),
      signal: signal ?? null,
      redirect: 'manual',
    });
  }

  function lastRequest(): RequestRecord {
    const request = http.service.requests.at(-1);
    assert.ok(request !== undefined);
    return request;
  }

  it('sends each event immediately', async () => {
    http.service.faults.push({ kind: 'stall', after: 5 });
    const response = await post('hello', { stream: true });
    let text = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.includes('"Hello"')) break;
    }
    assert.match(text, /"content":"Hello"/);
  });

  it('notices a client that disconnects during a reply, even while it stalls', async () => {
    http.service.faults.push({ kind: 'stall', after: 5 });
    const leaving = new AbortController();
    const response = await post('hello', { stream: true }, leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    await lastRequest().finished;
    assert.equal(lastRequest().aborted, true);
  });

  it('notices a client that disconnects before the first byte', async () => {
    http.service.faults.push({ kind: 'silence' });
    const leaving = new AbortController();
    http.service.onRequest(() => leaving.abort());
    await assert.rejects(post('hello', {}, leaving.signal), { name: 'AbortError' });
    await lastRequest().finished;
    assert.equal(lastRequest().aborted, true);
  });

  it('bills a disconnected client only for what was sent', async () => {
    http.service.faults.push({ kind: 'slow', pace: 60_000 });
    const leaving = new AbortController();
    const response = await post('hello', { stream: true }, leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    await lastRequest().finished;
    assert.equal(http.service.account.key(http.key)?.tokens, 5);
  });

  it('sends a complete long reply to a slow client', async () => {
    const response = await post('write 20000 words', { stream: true });
    const text = await response.text();
    assert.ok(text.length > 1_000_000);
    assert.ok(text.endsWith('data: [DONE]\n\n'));
  });

  it('breaks the connection if the service fails', async () => {
    await assert.rejects(post('/fault refused'), TypeError);
    const broken = await post('/fault socket 5', { stream: true });
    assert.equal(broken.status, 200);
    await assert.rejects(broken.text(), TypeError);
  });

  it('ends a cut stream as if it were complete', async () => {
    const text = await (await post('/fault cut 5 hello', { stream: true })).text();
    assert.match(text, /"content":"Hello"/);
    assert.doesNotMatch(text, /DONE|"stop"/);
  });

  it('allows requests from pages of other origins', async () => {
    const preflight = await fetch(`${http.baseUrl}/chat/completions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://vscode.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.equal(
      preflight.headers.get('access-control-allow-headers'),
      'authorization,content-type',
    );
    const answer = await post('hello');
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /retry-after/);
  });

  it('counts its connections, and closes open ones', async () => {
    const request = httpRequest(`${http.baseUrl}/models`, {
      headers: { authorization: `Bearer ${http.key}` },
    });
    http.service.faults.push({ kind: 'silence' });
    request.end();
    const arrived = new Promise((resolve) => http.service.onRequest(resolve));
    const broken = once(request, 'error');
    await arrived;
    assert.equal(http.connections(), 1);
    await http.close();
    await broken;
    assert.equal(http.connections(), 0);
    http = await startHttpService();
  });
});
