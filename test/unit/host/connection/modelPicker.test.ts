import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/core/support/event.ts';
import { readSettings } from '../../../../src/host/settingValues.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';

/** Every quick pick is accepted as soon as it is shown, with this model. */
const chosen = 'a/2';
const { ModelPicker } = await withFakeVsCode(
  `
  export const l10n = { t: (text) => text };
  export const env = { language: 'en' };
  export class ThemeIcon {}
  export const QuickPickItemKind = { Separator: -1 };
  const nothing = () => ({ dispose() {} });
  export const window = {
    createQuickPick: () => ({
      activeItems: [], items: [], selectedItems: [{ model: '${chosen}' }],
      onDidAccept(listener) { this.accept = listener; return nothing(); },
      onDidHide(listener) { this.hidden = listener; return nothing(); },
      onDidTriggerButton: nothing, onDidTriggerItemButton: nothing,
      show() { queueMicrotask(this.accept); },
      hide() { this.hidden(); },
      dispose() {},
    }),
  };`,
  () => import('../../../../src/host/connection/modelPicker.ts'),
);

const settings = readSettings(
  () => undefined,
  () => undefined,
);

/** A picker whose settings are saved when the test says so. */
async function open(state: { readonly kind: 'none' | 'demo' }) {
  const { catalog, connection } = new ConnectionRig(() => Promise.resolve([]));
  await catalog.remember(origin, [{ id: chosen, ownedBy: 'a' }]);
  const events: string[] = [];
  const saved = new Emitter<undefined>();
  const connected = new Emitter<boolean>();
  const picker = new ModelPicker({
    settings: {
      current: () => settings,
      setModel: (model) =>
        new Promise((resolve) => {
          events.push(`saves ${model}`);
          saved.event(() => resolve(void events.push('saved')));
        }),
    },
    connection: {
      state,
      services: connection.services,
      place: (model) => connection.place(model),
      otherEndpoints: () => connection.otherEndpoints(),
      endpoint: () =>
        Promise.resolve({
          baseUrl,
          origin,
          host: 'api.example.com',
          apiKey: 'k',
          demo: false,
          fetch,
        }),
    },
    catalog,
    choice: { current: () => ({ id: '', fromWorkspace: false, missing: false }) },
    connect: (leadOn) =>
      new Promise((resolve) => {
        connected.event((isConnected) => {
          if (isConnected) leadOn?.();
          resolve(isConnected);
        });
      }),
    setApiKey: () => Promise.resolve(false),
    describe: String,
    showDetails: () => Promise.resolve(false),
    showError: () => Promise.resolve(),
  });
  const done = picker.selectModel(() => events.push('leads on'));
  await new Promise(setImmediate);
  return { done, events, save: () => saved.fire(undefined), connected, catalog };
}

describe('ModelPicker', () => {
  it('leads on as soon as a model is chosen, and not once it is saved', async () => {
    const { done, events, save, catalog } = await open({ kind: 'demo' });
    assert.deepEqual(events, ['leads on', `saves ${chosen}`]);
    save();
    assert.equal(await done, true);
    assert.deepEqual(events, ['leads on', `saves ${chosen}`, 'saved']);
    assert.deepEqual(catalog.recent(), [chosen]);
  });

  for (const isConnected of [true, false]) {
    it(`connects first, and then leads on only where there is a service: ${isConnected}`, async () => {
      const { done, events, connected } = await open({ kind: 'none' });
      assert.deepEqual(events, []);
      connected.fire(isConnected);
      assert.equal(await done, isConnected);
      assert.deepEqual(events, isConnected ? ['leads on'] : []);
    });
  }
});
