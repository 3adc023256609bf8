import assert from 'node:assert/strict';
import { setImmediate as nextTask } from 'node:timers/promises';
import { Emitter } from '../../../../src/core/support/event.ts';
import { withFacts, readSettings } from '../../../../src/host/platform/settingValues.ts';
import type { EstimateSend } from '../../../../src/host/service/modelPicker.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { FakeQuickPick, showIn, vsCodeOfPicks } from './quickPickRig.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';

const { ModelPicker } = await withFakeVsCode(
  vsCodeOfPicks,
  () => import('../../../../src/host/service/modelPicker.ts'),
);

const chosen = 'a/2';

const effortModel = 'a/3';

/** Settings with an effort for one model. */
function settingsWith(reasoningEffort: string | undefined) {
  const models = { [effortModel]: { reasoningEffort } };
  const values = readSettings(
    (id) => ({ globalValue: { 'aside.models': models }[id] }),
    (id) => assert.fail(id),
  );
  return withFacts(values, new Map([[effortModel, { takesEffort: true }]]));
}

interface PickerOptions {
  /** True if no service is connected. */
  readonly isNew?: boolean;
  readonly pick?: FakeQuickPick;
  readonly models?: readonly string[];
  /** Those of the models that can't chat. */
  readonly others?: readonly string[];
  readonly current?: string;
}

/** A picker. The test says when its settings are saved and its models read. */
async function rig(options: PickerOptions) {
  const { pick = new FakeQuickPick(), models = [chosen], others = [], current = '' } = options;
  showIn(pick);
  const list = models.map((id) => ({
    id,
    ownedBy: 'a',
    facts: others.includes(id) ? { chat: false as const } : {},
  }));
  const [read, saved, connected] = [
    new Emitter<undefined>(),
    new Emitter<undefined>(),
    new Emitter<boolean>(),
  ];
  const { catalog, keys, parts, settings, errors } = new ConnectionRig(
    () => new Promise((resolve) => void read.event(() => resolve(list))),
  );
  if (options.isNew !== true) {
    settings.set({ baseUrl, model: current });
    await keys.store(origin, 'sk-k');
    await catalog.remember(origin, list);
  }
  const events: string[] = [];
  let effort: string | undefined = 'low';
  const picker = new ModelPicker(
    {
      connect: (leadOn) =>
        new Promise((resolve) => {
          connected.event((isConnected) => {
            if (isConnected) leadOn?.();
            resolve(isConnected);
          });
        }),
      setApiKey: () => Promise.resolve(false),
    },
    parts,
    {
      current: () => settingsWith(effort),
      ofPerson: () => ({}),
      effortOf: () => ({ effort }),
      setEffort(model, choice) {
        events.push(`${model} thinks: ${choice}`);
        effort = choice;
        return Promise.resolve();
      },
      setModel: (model) =>
        new Promise((resolve) => {
          events.push(`saves ${model}`);
          saved.event(() => resolve(void events.push('saved')));
        }),
    },
    errors,
  );
  const readAgain = async (): Promise<void> => {
    read.fire(undefined);
    await nextTask();
  };
  return { picker, events, connected, readAgain };
}

/** Opens the list of models. */
async function open(options: PickerOptions, estimateSend?: EstimateSend) {
  const { picker, ...opened } = await rig(options);
  const done = picker.selectModel(() => opened.events.push('leads on'), estimateSend);
  await nextTask();
  return { ...opened, done };
}

describe('ModelPicker', () => {
  for (const isConnected of [true, false]) {
    it(`connects first, and then calls leadOn only with a service: ${isConnected}`, async () => {
      const { done, events, connected } = await open({ isNew: true });
      assert.deepEqual(events, []);
      connected.fire(isConnected);
      assert.equal(await done, isConnected);
      assert.deepEqual(events, isConnected ? ['leads on'] : []);
    });
  }

  it('accepts text typed during a refresh on Enter', async () => {
    const pick = new FakeQuickPick();
    const { events, readAgain } = await open({ pick, models: ['a/1', chosen] });
    pick.notifyExtension();
    pick.type('2');
    await readAgain();
    pick.notifyExtension();
    pick.enter();
    await nextTask();
    assert.deepEqual(events, ['leads on', `saves ${chosen}`]);
  });

  it('sets the effort of a model that supports it, and returns to the list', async () => {
    const pick = new FakeQuickPick();
    const { events } = await open({ pick, models: [chosen, effortModel] });
    const described = (): readonly (string | undefined)[] =>
      pick.items.filter(({ model }) => model === effortModel).map(({ description }) => description);
    assert.equal(pick.press(chosen, 'Set Effort…'), false);
    assert.match(String(described()), /effort/);
    for (const [label, effort] of [
      ['High', 'high'],
      ['Default', undefined],
    ] as const) {
      Reflect.set(globalThis, 'effortOfTest', label);
      assert.equal(pick.press(effortModel, 'Set Effort…'), true);
      await nextTask();
      assert.equal(events.at(-1), `${effortModel} thinks: ${effort}`);
    }
    assert.doesNotMatch(String(described()), /effort/);
    Reflect.set(globalThis, 'effortOfTest', 'cancelled');
    pick.press(effortModel, 'Set Effort…');
    await nextTask();
    assert.equal(events.length, 2);
  });

  it('keeps the active model when the list was read again', async () => {
    const pick = new FakeQuickPick();
    const models = ['a/1', 'a/21', chosen, 'a/23'];
    const { events, readAgain } = await open({ pick, models });
    pick.type('2');
    pick.moveTo(chosen);
    pick.notifyExtension();
    await readAgain();
    pick.enter();
    await nextTask();
    assert.deepEqual(events, ['leads on', `saves ${chosen}`]);
  });

  describe('with models that cannot chat', () => {
    const models = ['a/1', 'a/draws', 'a/embeds'];
    const others = ['a/draws', 'a/embeds'];

    it('omits them until all are shown', async () => {
      const pick = new FakeQuickPick();
      await open({ pick, models, others });
      assert.deepEqual(pick.models, ['a/1']);
      assert.equal(pick.items.at(-1)?.description, "2 models that can't chat");
      pick.choose('Show All');
      assert.deepEqual(pick.models, models);
      assert.ok(!pick.items.some(({ label }) => label === 'Show All'));
    });

    it('lists the one in use', async () => {
      const pick = new FakeQuickPick();
      await open({ pick, models, others, current: 'a/draws' });
      assert.deepEqual(pick.models, ['a/draws', 'a/1']);
      assert.equal(pick.items.at(-1)?.description, "1 model that can't chat");
    });

    it('accepts the one whose id is typed', async () => {
      const pick = new FakeQuickPick();
      const { events } = await open({ pick, models, others });
      pick.type('a/embeds');
      pick.notifyExtension();
      assert.deepEqual(pick.models, ['a/1', 'a/embeds']);
      pick.enter();
      await nextTask();
      assert.deepEqual(events, ['leads on', 'saves a/embeds']);
    });

    it('compares none of them', async () => {
      const pick = new FakeQuickPick();
      const { picker } = await rig({ pick, models, others });
      const done = picker.pickFurther('none', () => ({ tokens: 0 }));
      await nextTask();
      assert.deepEqual(pick.models, ['a/1']);
      pick.hide();
      assert.equal(await done, undefined);
    });
  });

  it('tells what the next message costs with each model but the one in use', async () => {
    const pick = new FakeQuickPick();
    const models = ['a/1', chosen, 'a/unpriced'];
    await open({ pick, models, current: 'a/1' }, (model) => ({
      tokens: 12_345,
      cost: model === 'a/unpriced' ? undefined : 0.0424,
    }));
    const details = pick.items.flatMap(({ model, detail }) =>
      model === undefined ? [] : [[model, detail]],
    );
    assert.deepEqual(details, [
      ['a/1', undefined],
      [chosen, '≈12.3k tokens to send, ≈$0.042'],
      ['a/unpriced', '≈12.3k tokens to send'],
    ]);
  });

  it('takes one or two models besides the one in use, and tells what sending costs', async () => {
    const pick = new FakeQuickPick();
    const models = ['a/1', chosen, 'a/4', 'a/5'];
    const { picker } = await rig({ pick, models });
    const done = picker.pickFurther(chosen, (further) => ({
      tokens: 1000 * (further.length + 1),
      cost: further.includes('a/5') ? undefined : 0.5,
    }));
    await nextTask();
    const offered = pick.items.flatMap(({ model }) => model ?? []);
    assert.deepEqual(offered, ['a/1', 'a/4', 'a/5']);
    const titles = [[], ['a/1'], ['a/1', 'a/5'], offered].map((selected) => {
      pick.select(...selected);
      return pick.title;
    });
    assert.deepEqual(titles, [
      'Compare Models',
      'Compare Models: ≈2k tokens to send, ≈$0.50',
      'Compare Models: ≈3k tokens to send',
      'Compare Models',
    ]);
    pick.enter();
    pick.select('a/1', 'a/5');
    pick.enter();
    assert.deepEqual(await done, ['a/1', 'a/5']);
  });
});
