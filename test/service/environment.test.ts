/** Environment variables and workspace files never redirect a request (docs/threats.md: T08). */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hello } from '../support/rawReply.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { apiKey, HttpTurn, useServers } from './faults/httpTurn.ts';

/** Variables that configure other clients. Each gets a recognizable value. */
const variables =
  'OPENAI_API_KEY OPENAI_BASE_URL OPENAI_API_BASE OPENAI_API_HOST OPENAI_ORG_ID OPENAI_ORGANIZATION OPENAI_PROJECT_ID OPENAI_CUSTOM_HEADERS OPENAI_LOG OPENAI_PROXY OPENAI_MODEL OPENAI_WEBHOOK_SECRET AZURE_OPENAI_API_KEY AZURE_OPENAI_ENDPOINT OPENROUTER_API_KEY ANTHROPIC_API_KEY ANTHROPIC_BASE_URL ASIDE_BASE_URL ASIDE_API_KEY BASE_URL API_KEY'.split(
    ' ',
  );

const expectedHeaders = new Set(
  'host connection authorization content-type content-length accept accept-language sec-fetch-mode user-agent accept-encoding'.split(
    ' ',
  ),
);

describe('the environment', () => {
  const { start } = useServers();
  const before = { ...process.env };
  const folder = process.cwd();
  let temporary: TemporaryFolder;

  beforeEach(async () => (temporary = await TemporaryFolder.create()));
  afterEach(async () => {
    process.chdir(folder);
    for (const name of variables) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
    await temporary.dispose();
  });

  it('changes neither the origin nor the headers of a request, by variables or files', async () => {
    const other = await start(hello);
    const configured = await start(hello);
    const valueOf = (name: string): string =>
      /BASE|HOST|URL|ENDPOINT|PROXY/.test(name) ? other.baseUrl : `planted-${name}`;
    for (const name of variables) process.env[name] = valueOf(name);
    const file = variables.map((name) => `${name}=${valueOf(name)}\n`).join('');
    for (const path of ['.env', '.envrc', '.env.local']) {
      await writeFile(join(temporary.path, path), file);
    }
    process.chdir(temporary.path);
    const turn = await new HttpTurn(configured.baseUrl).ended;
    assert.equal(turn.status, 'finished');
    assert.equal(other.connections, 0);
    assert.equal(configured.requests.length, 1);
    const request = configured.requests[0]?.request ?? '';
    assert.doesNotMatch(request, /planted-/);
    const [head = ''] = request.split('\r\n\r\n');
    const [line, ...fields] = head.split('\r\n');
    assert.equal(line, 'POST /v1/chat/completions HTTP/1.1');
    const sent = new Map(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    assert.deepEqual(
      [...sent.keys()].filter((name) => !expectedHeaders.has(name)),
      [],
    );
    assert.equal(sent.get('host'), new URL(configured.baseUrl).host);
    assert.equal(sent.get('authorization'), `Bearer ${apiKey}`);
  });
});
