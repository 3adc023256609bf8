/** Redirects, which must not send the key or the message elsewhere. */
import assert from 'node:assert/strict';
import { ServiceClient } from '../../../src/core/service/client.ts';
import { ServiceError } from '../../../src/core/service/errors.ts';
import { systemClock } from '../../../src/core/support/clock.ts';
import { head, hello, saying } from '../../support/rawReply.ts';
import { apiKey, HttpTurn, useServers } from './httpTurn.ts';

describe('a redirect', () => {
  const { start } = useServers();

  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    it(`with ${status} is reported, not followed`, async () => {
      const other = await start(hello);
      const host = new URL(other.baseUrl).host;
      const location = `${other.baseUrl}/chat/completions`;
      for (const target of [
        location,
        `//${host}/v1`,
        `http://${apiKey}@${host}`,
        'https://127.0.0.1:1/',
      ]) {
        const server = await start(saying(head(`${status} Elsewhere`, { Location: target })));
        const turn = await new HttpTurn(server.baseUrl).ended;
        assert.equal(turn.error?.kind, 'redirected');
        assert.equal(turn.error.message, URL.parse(target, 'http://x/')?.host);
        assert.equal(server.requests.length, 1);
      }
      assert.equal(other.connections, 0);
    });
  }

  it('to another path or scheme of the same host is reported with its target, not followed', async () => {
    const targets: readonly ((host: string) => readonly [location: string, told: string])[] = [
      (host) => ['/v2/chat', `${host}/v2/chat`],
      (host) => ['completions/', `${host}/v1/chat/completions/`],
      (host) => ['?token=secret#there', `${host}/v1/chat/completions`],
      (host) => [`http://me:secret@${host}/login`, `${host}/login`],
      (host) => [`https://${host}/v1/chat`, `https://${host}/v1/chat`],
    ];
    for (const target of targets) {
      let location = '';
      const server = await start(
        (connection) =>
          connection.end(
            head('307 Temporary Redirect', { Location: location, Connection: 'close' }),
          ),
        hello,
      );
      const [address, message] = target(new URL(server.baseUrl).host);
      location = address;
      const turn = await new HttpTurn(server.baseUrl).ended;
      assert.deepEqual([turn.error?.kind, turn.error?.message], ['redirected', message]);
      assert.equal(server.requests.length, 1);
    }
  });

  it('to an invalid target is not followed either', async () => {
    for (const headers of [{ Location: 'http://[' }, {}]) {
      const server = await start(saying(head('307 Temporary Redirect', headers)), hello);
      const turn = await new HttpTurn(server.baseUrl).ended;
      assert.equal(turn.error?.kind, 'redirected');
      assert.equal(server.requests.length, 1);
    }
  });

  it('by a header or a web page is ignored', async () => {
    const other = await start(hello);
    const headers = { Refresh: `0; url=${other.baseUrl}`, 'Alt-Svc': `h2="${other.baseUrl}"` };
    const page = `<meta http-equiv="refresh" content="0; url=${other.baseUrl}">`;
    const server = await start(saying(head('200 OK', headers), page));
    const turn = await new HttpTurn(server.baseUrl).ended;
    assert.equal(turn.error?.kind, 'unexpected-reply');
    assert.equal(other.connections, 0);
  });

  it('of the model list is not followed', async () => {
    const other = await start(hello);
    const location = `${other.baseUrl}/models`;
    const { baseUrl } = await start(saying(head('301 Moved', { Location: location })));
    const client = new ServiceClient({
      baseUrl,
      apiKey,
      fetch,
      clock: systemClock,
      silenceLimit: 10_000,
    });
    await assert.rejects(
      client.listModels(),
      (error) => error instanceof ServiceError && error.kind === 'redirected',
    );
    assert.equal(other.connections, 0);
  });
});
