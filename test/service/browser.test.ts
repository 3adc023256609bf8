import assert from 'node:assert/strict';
import { browserFetch } from '../../src/core/service/browserFetch.ts';
import { ServiceClient, type CompletionEvent } from '../../src/core/service/client.ts';
import { ServiceError } from '../../src/core/service/errors.ts';
import { completionRequest } from '../../src/core/service/wire.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { demoKey } from '../../src/local/service.ts';
import { startHttpService, type HttpService } from '../support/httpService.ts';
import { pageFetch } from '../support/pageFetch.ts';
import { event } from '../support/rawReply.ts';

const page = 'https://v--1.vscode-cdn.net';

interface Sent {
  readonly method: string;
  readonly headers: Headers;
}

describe('a service and a page in a browser', () => {
  let service: HttpService | undefined;
  let sent: Sent[] = [];
  afterEach(async () => {
    await service?.close();
    service = undefined;
    sent = [];
  });

  function clientOf(baseUrl: string, from = page): ServiceClient {
    const fetch = pageFetch(from, (method, headers) => sent.push({ method, headers }));
    return new ServiceClient({
      baseUrl,
      apiKey: demoKey,
      clock: systemClock,
      silenceLimit: 10_000,
      fetch: browserFetch(fetch, from),
    });
  }

  async function problemOf(client: ServiceClient, signal?: AbortSignal): Promise<ServiceError> {
    const options = { attempts: 1, ...(signal === undefined ? {} : { signal }) };
    try {
      await client.listModels(options);
    } catch (error) {
      assert.ok(error instanceof ServiceError, String(error));
      return error;
    }
    assert.fail('There was no error.');
  }

  it('behave as in Node if the service allows the page', async () => {
    service = await startHttpService();
    const client = clientOf(service.baseUrl);
    assert.ok((await client.listModels()).length > 0);
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['OPTIONS', 'GET'],
    );
  });

  it('report immediately which origin the service must allow', async () => {
    service = await startHttpService({ pages: 'nothing' });
    const started = sent.length;
    await assert.rejects(clientOf(service.baseUrl).listModels(), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.kind, 'origin-refused');
      assert.equal(error.detail, page);
      assert.equal(error.host, new URL(service?.baseUrl ?? '').host);
      return true;
    });
    // The preflight of the browser and two requests of Aside, without a retry.
    assert.equal(sent.length - started, 3);
  });

  it('report if only the header with the key is not allowed', async () => {
    service = await startHttpService({ pages: 'requests without a key' });
    assert.equal((await problemOf(clientOf(service.baseUrl))).kind, 'header-refused');
  });

  it('treat a stream with a regular end as complete, even without readable headers', async () => {
    const early = event({ choices: [{ delta: { content: 'So' }, finish_reason: 'stop' }] });
    const end = event({ choices: [{ delta: { content: ' on' }, finish_reason: 'stop' }] });
    const headers = { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' };
    const ends = async (type: string): Promise<CompletionEvent | undefined> => {
      const response = Object.defineProperty(new Response(early + end, { headers }), 'type', {
        value: type,
      });
      const fetch = (): Promise<Response> => Promise.resolve(response);
      const options = { baseUrl: 'https://api.example.com/v1', apiKey: demoKey, fetch };
      const client = new ServiceClient({ ...options, clock: systemClock, silenceLimit: 10_000 });
      const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };
      const events: CompletionEvent[] = [];
      for await (const event of client.stream(completionRequest.parse(request))) events.push(event);
      return events.at(-1);
    };
    const [whole, cut] = [await ends('cors'), await ends('basic')];
    assert.ok(whole?.type === 'end' && cut?.type === 'end');
    assert.equal(whole.completion.fault, undefined);
    assert.equal(cut.completion.fault?.kind, 'cut');
  });

  it('never send the key in the requests that find out the reason', async () => {
    for (const pages of ['nothing', 'requests without a key'] as const) {
      service = await startHttpService({ pages });
      await problemOf(clientOf(service.baseUrl));
      await service.close();
    }
    assert.ok(sent.length > 4);
    for (const { method, headers } of sent) {
      assert.ok(['GET', 'OPTIONS'].includes(method));
      assert.equal(headers.get('authorization'), null);
    }
  });

  it('are distinguished from an unreachable service', async () => {
    const gone = await startHttpService();
    await gone.close();
    const address = gone.baseUrl;
    assert.equal((await problemOf(clientOf(address, 'http://localhost:8000'))).kind, 'network');
    assert.equal((await problemOf(clientOf(address))).kind, 'mixed-content');
  });

  it('send no more probes after a response', async () => {
    service = await startHttpService();
    const client = clientOf(service.baseUrl);
    await client.listModels();
    await service.close();
    sent = [];
    assert.equal((await problemOf(client)).kind, 'network');
    assert.equal(sent.length, 1);
  });

  it('retry after a refusal without readable headers', async () => {
    service = await startHttpService();
    service.service.faults.push({ kind: 'status', status: 429, on: 'models' });
    assert.ok((await clientOf(service.baseUrl).listModels()).length > 0);
  });
});
