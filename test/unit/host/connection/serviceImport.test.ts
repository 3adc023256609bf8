import assert from 'node:assert/strict';
import type { Model } from '../../../../src/core/service/wire.ts';
import type { Endpoint } from '../../../../src/host/connection/connection.ts';
import type { FoundService } from '../../../../src/host/connection/servicesOfOthers.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';

const key = 'sk-canary-0123456789';
const foundService: FoundService = {
  baseUrl,
  model: 'mistral/small',
  key,
  owner: 'Continue',
  source: '~/.continue/config.yaml',
};
const models: readonly Model[] = [
  { id: 'mistral/small', ownedBy: 'mistral' },
  { id: 'mistral/large', ownedBy: 'mistral' },
];

/** A rig in which the person presses the import button of the address box, then answers. */
function importing(
  settings: readonly FoundService[],
  ...answers: readonly (string | undefined)[]
): { rig: ConnectionRig; keys: string[] } {
  const keys: string[] = [];
  const readModels = ({ apiKey }: Endpoint): Promise<readonly Model[]> => {
    keys.push(apiKey);
    return Promise.resolve(models);
  };
  const press = (): undefined => {
    rig.dialogs.inputs.at(-1)?.button?.press();
    return undefined;
  };
  const rig = new ConnectionRig(readModels, press, ...answers);
  rig.foundServices = settings;
  return { rig, keys };
}

describe('connecting with the settings of another extension', () => {
  it('imports the address, the key and the model after showing all three', async () => {
    const { rig, keys } = importing([foundService], baseUrl, 'Connect');
    assert.equal(await rig.commands.connect(), true);
    const [choice] = rig.dialogs.chosen;
    assert.match(choice?.message ?? '', /Continue/);
    for (const part of [baseUrl, 'mistral/small', 'sk-…6789', '~/.continue/config.yaml'])
      assert.ok(choice?.detail?.includes(part), part);
    assert.deepEqual(keys, [key]);
    assert.deepEqual([...rig.secrets.stored], [[`aside.key:${origin}`, key]]);
    assert.deepEqual(
      [rig.settings.values.baseUrl, rig.settings.values.model, rig.offered],
      [baseUrl, 'mistral/small', 0],
    );
  });

  it('shows each text from outside on one line, with invisible characters visible', async () => {
    const sly = 'a\nAddress: https://good.test\u202e\u2028\u{e0041}';
    const service = { ...foundService, model: sly, source: sly, owner: sly, key: `\n${key}\u202e` };
    const { rig } = importing([service], baseUrl, undefined, undefined);
    await rig.commands.connect();
    const [dialog] = rig.dialogs.chosen;
    const text = `${dialog?.message ?? ''}\n${dialog?.detail ?? ''}`;
    assert.equal(text.split('\n').length, 5);
    assert.match(text, /^Model: a\\u\{a\}Address: https:\/\/good\.test\\u\{202e\}/m);
    assert.doesNotMatch(rig.dialogs.visibleTexts, /[\u202e\u2028\u{e0041}]/u);
  });

  it('shows no whole key, and redacts it in logs from then on', async () => {
    const { rig } = importing([foundService], baseUrl, undefined, undefined);
    await rig.commands.connect();
    assert.ok(!rig.dialogs.visibleTexts.includes(key));
    assert.ok(!rig.redactor.redact(`the ${key}`).includes(key));
  });

  it('asks for an unreadable key, and offers the models if the imported one is missing', async () => {
    const other = { ...foundService, model: 'gone', key: undefined };
    const { rig, keys } = importing([other], baseUrl, 'Connect', key);
    assert.equal(await rig.commands.connect(), true);
    assert.match(rig.dialogs.chosen[0]?.detail ?? '', /can't be read/);
    assert.deepEqual([keys, rig.offered, rig.settings.values.model], [[key], 1, '']);
  });

  for (const [when, answers] of [
    ['at the list', [undefined]],
    ['when it showed what it would take', [baseUrl, undefined]],
  ] as const) {
    it(`returns to the address, and imports nothing, if the person cancels ${when}`, async () => {
      const { rig, keys } = importing([foundService], ...answers, undefined);
      const before = rig.stored;
      assert.equal(await rig.commands.connect(), false);
      assert.deepEqual([rig.stored, keys, rig.dialogs.unused], [before, [], 0]);
      assert.equal(rig.dialogs.inputs.length, 2);
    });
  }

  it('reports if there is nothing', async () => {
    const { rig } = importing([], undefined);
    assert.equal(await rig.commands.connect(), false);
    assert.match(rig.dialogs.messages.join(), /No service was found/);
  });

  it('reads nothing before the button is pressed', async () => {
    const rig = new ConnectionRig(() => Promise.resolve(models), baseUrl, key);
    Object.defineProperty(rig, 'found', {
      get: () => assert.fail('It was read without being asked for.'),
    });
    assert.equal(await rig.commands.connect(), true);
  });
});
