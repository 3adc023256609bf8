import assert from 'node:assert/strict';
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

  it('sends a complete long reply to a slow client', async () => {
    const response = await post('write 20000 words', { stream: true });
    const text = await response.text();
    assert.ok(text.length > 1_000_000);
    assert.ok(text.endsWith('data: [DONE]\n\n'));
  });
});
