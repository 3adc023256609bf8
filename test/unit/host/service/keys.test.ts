import assert from 'node:assert/strict';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Keys } from '../../../../src/host/service/keys.ts';
import { reportedErrors } from '../../../support/reportedErrors.ts';
import { FakeSecrets } from '../fakes.ts';

const origin = 'https://api.example.com';
const key = 'sk-canary-0123456789';

describe('Keys', () => {
  it('stores one key for each origin, under a name with the origin', async () => {
    const secrets = new FakeSecrets();
    const keys = new Keys(secrets, createRedactor());
    assert.equal(await keys.store(origin, key), 'stored');
    assert.deepEqual([...secrets.stored], [[`aside.key:${origin}`, key]]);
    assert.equal(await keys.read(origin), key);
    assert.equal(await keys.read('https://api.example.com:8443'), undefined);
  });

  it('fires on keys that change in another window, and on no other secret', async () => {
    const secrets = new FakeSecrets();
    const keys = new Keys(secrets, createRedactor());
    const changed: string[] = [];
    keys.onDidChange((service) => changed.push(service));
    await secrets.store(`aside.key:${origin}`, key);
    await secrets.store('something else', key);
    assert.deepEqual(changed, [origin]);
    assert.equal(await keys.read(origin), key);
  });

  it('keeps a key in memory if the storage is broken, and reports it', async () => {
    const secrets = new FakeSecrets();
    secrets.broken = true;
    const errors = await reportedErrors(async () => {
      const keys = new Keys(secrets, createRedactor());
      assert.equal(await keys.store(origin, key), 'session-only');
      assert.equal(secrets.stored.size, 0);
      assert.equal(await keys.read(origin), key);
      await assert.rejects(keys.read('https://other.example'), /no keyring/);
      await assert.rejects(keys.remove(origin), /no keyring/);
      await assert.rejects(keys.read(origin), /no keyring/);
    });
    assert.deepEqual(errors.map(String), ['Error: no keyring', 'Error: no keyring']);
  });

  it('forgets a removed key, but still redacts it', async () => {
    const redactor = createRedactor();
    const keys = new Keys(new FakeSecrets(), redactor);
    await keys.store(origin, key);
    await keys.remove(origin);
    assert.equal(await keys.read(origin), undefined);
    assert.ok(!redactor.redact(`old ${key}`).includes(key));
  });

  it('redacts the keys of all origins from the start, including those of another window', async () => {
    const secrets = new FakeSecrets();
    const others = ['one', 'two', 'three'].map((name) => `canary-of-${name}-0123456789`);
    for (const name of others) await secrets.store(`aside.key:https://${name}.example`, name);
    await secrets.store('something else', 'no key of ours');
    const redactor = createRedactor();
    const keys = new Keys(secrets, redactor);
    await keys.learned();
    for (const name of others) assert.ok(!redactor.redact(`x ${name}`).includes('canary'), name);
    assert.equal(redactor.redact('no key of ours'), 'no key of ours');
    await secrets.store(`aside.key:https://later.example`, 'canary-of-later-0123456789');
    await keys.learned();
    assert.ok(!redactor.redact('canary-of-later-0123456789').includes('canary'));
  });

  it('continues without keys if the storage is broken', async () => {
    const secrets = new FakeSecrets();
    secrets.broken = true;
    const errors = await reportedErrors(() => new Keys(secrets, createRedactor()).learned());
    assert.deepEqual(errors.map(String), ['Error: no keyring']);
  });

  it('redacts a key as soon as it is read', async () => {
    const secrets = new FakeSecrets();
    await secrets.store(`aside.key:${origin}`, key);
    const redactor = createRedactor();
    await new Keys(secrets, redactor).read(origin);
    assert.ok(!redactor.redact(key).includes('canary'));
  });
});
