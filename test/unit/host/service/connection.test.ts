import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';

const key = 'sk-canary-0123456789';
const noModels = (): Promise<never> => Promise.reject(new Error('not in this test'));

function isKind(kind: string): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.kind === kind;
}

describe('Connection', () => {
  it('uses the key of the origin of the address, and no other', async () => {
    const { connection, keys, settings } = new ConnectionRig(noModels);
    await keys.store(origin, key);
    settings.set({ baseUrl: `${baseUrl}/chat/completions` });
    assert.deepEqual(connection.state, { kind: 'service', host: 'api.example.com' });
    const endpoint = await connection.endpoint();
    assert.equal(endpoint.apiKey, key);
    assert.equal(endpoint.baseUrl, baseUrl);
    assert.equal(endpoint.demo, false);

    for (const other of ['https://evil.example/v1', 'https://api.example.com:8443/v1']) {
      settings.set({ baseUrl: other });
      await assert.rejects(connection.endpoint(), isKind('missing-key'));
    }
    settings.set({ baseUrl: `${origin}/v2` });
    assert.equal((await connection.endpoint()).apiKey, key);
  });

  it('refuses an address to which a key must not be sent', async () => {
    const { connection, settings } = new ConnectionRig(noModels);
    settings.set({ baseUrl: 'http://api.example.com/v1' });
    assert.deepEqual(connection.state, { kind: 'none' });
    await assert.rejects(connection.endpoint(), isKind('invalid-address'));
  });

  it('fires on a changed address, key and service, and on nothing else', async () => {
    const { connection, keys, settings } = new ConnectionRig(noModels);
    const kinds: string[] = [];
    connection.onDidChange((state) => kinds.push(state.kind));
    settings.set({ baseUrl });
    settings.set({ model: 'another' });
    await keys.store(origin, key);
    await keys.store('https://other.example', key);
    await connection.useDemo();
    await connection.useDemo();
    await keys.store(origin, key);
    await connection.leaveDemo();
    assert.deepEqual(kinds, ['service', 'service', 'demo', 'service']);
  });

  it("uses the demo without a setting and without the service's key", async () => {
    const { connection, demo, keys, settings } = new ConnectionRig(noModels);
    await keys.store(origin, key);
    settings.set({ baseUrl });
    await connection.useDemo();
    const endpoint = await connection.endpoint();
    assert.equal(endpoint.apiKey, demo.apiKey);
    assert.equal(endpoint.fetch, demo.fetch);
    assert.equal(endpoint.demo, true);
    assert.equal(settings.values.baseUrl, baseUrl);
    await connection.leaveDemo();
    assert.equal((await connection.endpoint()).apiKey, key);
  });

  it('distinguishes a broken secret storage from a missing key', async () => {
    const { connection, secrets, settings } = new ConnectionRig(noModels);
    settings.set({ baseUrl });
    secrets.broken = true;
    await assert.rejects(connection.endpoint(), (error) => {
      return error instanceof ServiceError && error.cause instanceof Error;
    });
  });
});
