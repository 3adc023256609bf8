import assert from 'node:assert/strict';
import { ServiceError, type ServiceErrorKind } from '../../../../src/core/service/errors.ts';
import type { Model } from '../../../../src/core/service/wire.ts';
import type { Endpoint } from '../../../../src/host/service/connection.ts';
import { reportedErrors } from '../../../support/reportedErrors.ts';
import { asProposed } from '../fakes.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';
import { manageConnection, openConsole } from '../../../../src/host/service/connectionUi.ts';

const key = 'sk-canary-0123456789';
const models: readonly Model[] = [
  { id: 'mistral/small', ownedBy: 'mistral' },
  { id: 'mistral/large', ownedBy: 'mistral' },
];
const host = 'api.example.com';
const store = 'Store Without Checking';

/** A service that gives these answers one after the other, the last one repeatedly. */
function service(...answers: readonly (ServiceErrorKind | 'models')[]): {
  readModels: (endpoint: Endpoint, signal: AbortSignal) => Promise<readonly Model[]>;
  keys: string[];
} {
  const keys: string[] = [];
  return {
    keys,
    readModels: ({ apiKey }, signal) => {
      const answer = answers[Math.min(keys.length, answers.length - 1)] ?? 'models';
      keys.push(apiKey);
      return Promise.resolve().then(() => {
        signal.throwIfAborted();
        if (answer === 'models') return models;
        throw new ServiceError(answer, 'for developers', { host, detail: `echo ${apiKey}` });
      });
    },
  };
}

describe('aside.connect', () => {
  it('asks for the address, then the key, checks both, stores both, offers the models', async () => {
    const { keys, readModels } = service('models');
    const rig = new ConnectionRig(readModels, ` "${baseUrl}/models", `, `"${key}"\n`);
    await rig.connection.useDemo();
    assert.equal(await rig.commands.connect(), true);
    assert.deepEqual(keys, [key]);
    assert.equal(rig.settings.values.baseUrl, baseUrl);
    assert.deepEqual([...rig.secrets.stored], [[`aside.key:${origin}`, key]]);
    assert.equal(rig.connection.isDemo, false);
    assert.deepEqual(rig.catalog.list(origin)?.models, models);
    assert.equal(rig.commands.offered, 1);
  });

  it('keeps the stored key of a known address if the box is empty', async () => {
    const { keys, readModels } = service('models');
    const rig = new ConnectionRig(readModels, baseUrl, '');
    await rig.keys.store(origin, key);
    assert.equal(await rig.commands.connect(), true);
    assert.equal(rig.dialogs.inputs[1]?.check(''), undefined);
    assert.deepEqual(keys, [key]);
  });

  it('changes nothing if it is canceled at any step', async () => {
    for (const answers of [[undefined], [baseUrl, undefined], [baseUrl, key, undefined]]) {
      const rig = new ConnectionRig(service('unauthorized').readModels, ...answers);
      await rig.connection.useDemo();
      const before = rig.stored;
      assert.equal(await rig.commands.connect(), false);
      assert.equal(rig.stored, before);
      assert.equal(rig.dialogs.unused, 0);
    }
  });
});

describe('aside.connect, with a copied address', () => {
  it('asks only for the address if a key was copied with it, and shows no key', async () => {
    const { keys, readModels } = service('models');
    const rig = new ConnectionRig(readModels, asProposed);
    rig.dialogs.clipboard = `Base URL: ${baseUrl}\nKey: ${key}`;
    assert.equal(await rig.commands.connect(), true);
    assert.deepEqual([...rig.secrets.stored], [[`aside.key:${origin}`, key]]);
    assert.deepEqual(keys, [key]);
    assert.deepEqual(rig.dialogs.proposedValues, [baseUrl]);
    assert.equal(rig.redactor.redact(`It was ${key}.`).includes(key), false);
  });

  it('sends the key to no other address that is typed instead', async () => {
    const { keys, readModels } = service('models');
    const rig = new ConnectionRig(readModels, 'https://other.example/v1', 'sk-typed-0123456789');
    rig.dialogs.clipboard = `${baseUrl} ${key}`;
    assert.equal(await rig.commands.connect(), true);
    assert.deepEqual(keys, ['sk-typed-0123456789']);
  });

  it('extracts the key from a paste', async () => {
    const { keys, readModels } = service('models');
    const rig = new ConnectionRig(readModels, `base_url="${baseUrl}" api_key="${key}"`);
    assert.equal(await rig.commands.connect(), true);
    assert.deepEqual(keys, [key]);
    assert.equal(rig.settings.values.baseUrl, baseUrl);
  });
});

describe('aside.connect, to a service with one model', () => {
  it('chooses it without asking', async () => {
    const only: readonly Model[] = [{ id: 'mistral/small', ownedBy: 'mistral' }];
    const rig = new ConnectionRig(() => Promise.resolve(only), baseUrl, key);
    let count = 0;
    assert.equal(await rig.commands.connect(() => count++), true);
    assert.equal(rig.settings.values.model, 'mistral/small');
    assert.equal(rig.commands.offered, 0);
    assert.equal(count, 1);
  });
});

/** A service at one address. Other addresses give the answer `elsewhere`. */
function serviceAt(
  address: string,
  elsewhere: ServiceErrorKind,
  there: ServiceErrorKind | 'models' = 'models',
): { readModels: (endpoint: Endpoint) => Promise<readonly Model[]>; requested: string[] } {
  const requested: string[] = [];
  return {
    requested,
    readModels: ({ baseUrl: at }) => {
      requested.push(at);
      const answer = at === address ? there : elsewhere;
      return answer === 'models'
        ? Promise.resolve(models)
        : Promise.reject(new ServiceError(answer, 'for developers', { host, status: 404 }));
    },
  };
}

describe('aside.connect, to a slightly wrong address', () => {
  it('finds the service below /v1 automatically', async () => {
    for (const kind of ['not-found', 'redirected', 'unexpected-reply'] as const)
      for (const typed of [origin, `${origin}/`, 'api.example.com', `${origin}/models`]) {
        const { requested, readModels } = serviceAt(baseUrl, kind);
        const rig = new ConnectionRig(readModels, typed, key);
        assert.equal(await rig.commands.connect(), true);
        assert.deepEqual(requested, [origin, baseUrl]);
        assert.equal(rig.settings.values.baseUrl, baseUrl);
      }
  });

  it('asks for the address again, with the typed text and the problem', async () => {
    const { readModels } = serviceAt(`${origin}/api/v1`, 'not-found');
    const rig = new ConnectionRig(readModels, `${origin}/ap`, key, `${origin}/api`);
    assert.equal(await rig.commands.connect(), true);
    const [, , again] = rig.dialogs.inputs;
    assert.equal(again?.value, `${origin}/ap`);
    assert.notEqual(again.problem ?? '', '');
    assert.equal(rig.settings.values.baseUrl, `${origin}/api/v1`);
    assert.deepEqual([...rig.secrets.stored], [[`aside.key:${origin}`, key]]);
  });

  it('does not ask for the key again, but for another host', async () => {
    const other = 'https://other.example/v1';
    const { readModels } = serviceAt(other, 'not-found');
    const rig = new ConnectionRig(readModels, baseUrl, key, other, 'sk-other-0123456789');
    assert.equal(await rig.commands.connect(), true);
    assert.deepEqual(
      [...rig.secrets.stored],
      [['aside.key:https://other.example', 'sk-other-0123456789']],
    );
  });

  it('lets the person insist on an address without a list of models', async () => {
    const { readModels } = serviceAt('nowhere', 'not-found');
    const rig = new ConnectionRig(readModels, baseUrl, key, baseUrl, 'Store Without Checking');
    assert.equal(await rig.commands.connect(), true);
    assert.equal(rig.settings.values.baseUrl, baseUrl);
  });

  it('offers to change the address after other errors, and keeps it after a cancel', async () => {
    const { readModels } = serviceAt(baseUrl, 'network');
    const answers = ['http://localhost:1/v1', key, 'Change Address…', undefined, baseUrl, key];
    const rig = new ConnectionRig(readModels, ...answers);
    assert.equal(await rig.commands.connect(), false);
    assert.equal(await rig.commands.connect(), true);
    const values = rig.dialogs.inputs.filter(({ title }) => title.startsWith('Connect'));
    assert.deepEqual(
      values.map(({ value }) => value),
      ['', 'http://localhost:1/v1', 'http://localhost:1/v1'],
    );
    assert.deepEqual(rig.dialogs.chosen[0]?.buttons.at(-1), 'Change Address…');
  });

  it('reports a key that is refused below /v1', async () => {
    const { readModels } = serviceAt(baseUrl, 'not-found', 'unauthorized');
    const rig = new ConnectionRig(readModels, origin, key, undefined);
    assert.equal(await rig.commands.connect(), false);
    assert.equal(rig.dialogs.refused.length, 1);
  });
});

describe('the step after connecting', () => {
  const cases = [
    ['connecting', 'connect', [baseUrl, key], 1],
    ['connecting where no list of models can be read', 'connect', [baseUrl, key, store], 1],
    ['cancelling at the address', 'connect', [undefined], 0],
    ['cancelling at the key', 'connect', [baseUrl, undefined], 0],
    ['a new key', 'setApiKey', [key], 1],
    ['a new key without an address', 'setApiKey', [baseUrl, key], 1],
    ['cancelling a new key', 'setApiKey', [undefined], 0],
  ] as const;
  it('is started once after connecting, and not after a cancel', async () => {
    for (const [name, command, answers, times] of cases) {
      const { readModels } = service(answers.length > 2 ? 'network' : 'models');
      const rig = new ConnectionRig(readModels, ...answers);
      if (answers[0] !== baseUrl && command === 'setApiKey') rig.settings.set({ baseUrl });
      let count = 0;
      const done = await rig.commands[command](() => count++);
      assert.deepEqual([count, done], [times, times === 1], name);
    }
  });
});

describe('aside.setApiKey', () => {
  function rigFor(
    answers: readonly (ServiceErrorKind | 'models')[],
    ...words: readonly (string | undefined)[]
  ): ConnectionRig {
    const rig = new ConnectionRig(service(...answers).readModels, ...words);
    rig.settings.set({ baseUrl });
    return rig;
  }

  it('keeps the old key until a new one is accepted', async () => {
    for (const kind of ['unauthorized', 'forbidden'] as const) {
      const rig = rigFor([kind, 'models'], 'sk-wrong-0123456789', 'Set API Key', key);
      await rig.keys.store(origin, 'sk-old-0123456789');
      const done = rig.commands.setApiKey();
      assert.equal(await rig.keys.read(origin), 'sk-old-0123456789');
      assert.equal(await done, true);
      assert.equal(await rig.keys.read(origin), key);
      assert.match(rig.dialogs.refused[0] ?? '', /api\.example\.com/);
      assert.ok(!rig.dialogs.visibleTexts.includes('sk-wrong'));
    }
  });

  it('accepts a valid key, and reports other problems', async () => {
    for (const kind of ['insufficient-balance', 'rate-limited'] as const) {
      const rig = rigFor([kind], key);
      assert.equal(await rig.commands.setApiKey(), true);
      assert.equal(await rig.keys.read(origin), key);
      assert.match(rig.dialogs.messages.join(), /The key was accepted\. .*\(4\d\d\)/);
    }
  });

  it('lets the person decide about other errors', async () => {
    for (const kind of ['network', 'server-error', 'timeout', 'redirected', 'not-found'] as const) {
      const stored = rigFor([kind], key, 'Try Again', 'Store Without Checking');
      assert.equal(await stored.commands.setApiKey(), true);
      assert.equal(await stored.keys.read(origin), key);
      assert.deepEqual(stored.dialogs.chosen[0]?.buttons, ['Try Again', 'Store Without Checking']);

      const mended = rigFor([kind, 'models'], key, 'Try Again');
      assert.equal(await mended.commands.setApiKey(), true);

      const cancelled = rigFor([kind], key, undefined);
      assert.equal(await cancelled.commands.setApiKey(), false);
      assert.equal(await cancelled.keys.read(origin), undefined);
    }
  });

  it('leaves the demo, and stays in it when it is cancelled', async () => {
    const rig = rigFor(['models'], undefined, key);
    await rig.connection.useDemo();
    await rig.commands.setApiKey();
    assert.equal(rig.connection.isDemo, true);
    await rig.commands.setApiKey();
    assert.equal(rig.connection.isDemo, false);
  });

  it('reports that a key is stored for this session only', async () => {
    const rig = rigFor(['models'], key);
    rig.secrets.broken = true;
    const errors = await reportedErrors(async () =>
      assert.equal(await rig.commands.setApiKey(), true),
    );
    assert.ok(errors.length > 0);
    assert.match(rig.dialogs.messages.join(), /until this window closes/);
    assert.ok(!rig.stored.includes(key));
    assert.equal((await rig.connection.endpoint()).apiKey, key);
  });

  it('corrects the address of the settings too', async () => {
    const rig = new ConnectionRig(serviceAt(baseUrl, 'not-found').readModels, key);
    rig.settings.set({ baseUrl: origin });
    assert.equal(await rig.commands.setApiKey(), true);
    assert.equal(rig.settings.values.baseUrl, baseUrl);
  });
});

describe('aside.removeApiKey', () => {
  it('asks, and removes the key of the service in the settings', async () => {
    const rig = new ConnectionRig(service('models').readModels, undefined, 'Remove Key');
    rig.settings.set({ baseUrl });
    await rig.keys.store(origin, key);
    await rig.keys.store('https://other.example', key);
    await rig.commands.removeApiKey();
    assert.equal(await rig.keys.read(origin), key);
    await rig.commands.removeApiKey();
    assert.equal(await rig.keys.read(origin), undefined);
    assert.equal(await rig.keys.read('https://other.example'), key);
  });
});

describe('aside.openConsole', () => {
  const console = 'https://console.example.com/keys';
  const opened: string[] = [];
  const open = (address: string) => Promise.resolve(opened.push(address));
  beforeEach(() => opened.splice(0));

  it('asks for a missing address, and stores it', async () => {
    const rig = new ConnectionRig(service('models').readModels, undefined, ` ${console} `);
    await openConsole(rig.settings, rig.dialogs, open);
    assert.deepEqual(opened, []);
    assert.equal(rig.settings.values.consoleUrl, '');
    await openConsole(rig.settings, rig.dialogs, open);
    assert.deepEqual(opened, [console]);
    assert.equal(rig.settings.values.consoleUrl, console);
  });

  it('opens no address without https', async () => {
    const rig = new ConnectionRig(service('models').readModels, undefined);
    rig.settings.set({ consoleUrl: 'http://console.example.com' });
    await openConsole(rig.settings, rig.dialogs, open);
    assert.deepEqual(opened, []);
  });
});

/** Returns the offered items, and the commands that run after the answer. */
async function manage(rig: ConnectionRig) {
  const ran: string[] = [];
  const { dialogs } = rig;
  const run = (command: string) => Promise.resolve(ran.push(command));
  dialogs.pickItems.length = 0;
  await manageConnection(rig.parts, dialogs, run);
  return { offered: dialogs.pickItems.map((text) => text.trim()), ran };
}

describe('Manage Connection', () => {
  it('lists no command about a service, a key or the demo that would have no effect', async () => {
    const rig = new ConnectionRig(undefined, undefined, undefined);
    const connect = ['Connect to a Service…', 'Open Console'];
    assert.deepEqual(await manage(rig), { offered: [...connect, 'Try the Demo Service'], ran: [] });
    await rig.connection.useDemo();
    assert.deepEqual(await manage(rig), { offered: connect, ran: [] });
  });

  it('names the service whose key it sets or removes, and removes only one that is stored', async () => {
    const rig = new ConnectionRig(
      undefined,
      ...[baseUrl, 'sk-a', 'Set API Key…', 'Remove API Key', 'Select Service…'],
    );
    await rig.commands.connect();
    const all = [
      'Connect to a Service…',
      'Select Service…',
      'Set API Key… api.example.com',
      'Remove API Key api.example.com',
      'Open Console',
      'Try the Demo Service',
    ];
    assert.deepEqual(await manage(rig), { offered: all, ran: ['aside.setApiKey'] });
    assert.deepEqual(await manage(rig), { offered: all, ran: ['aside.removeApiKey'] });
    await rig.keys.remove(origin);
    const withoutKey = all.filter((label) => !label.startsWith('Remove'));
    assert.deepEqual(await manage(rig), { offered: withoutKey, ran: ['aside.selectService'] });
  });
});
