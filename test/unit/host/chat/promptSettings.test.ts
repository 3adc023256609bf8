import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {
  ChosenPreset,
  RequestOptions,
} from '../../../../src/core/conversation/conversation.ts';
import { limitOfTurn, promptSettings } from '../../../../src/host/chat/chatHost.ts';
import { ChatPreset } from '../../../../src/host/context/chatPreset.ts';
import {
  refusedOptions,
  requestOptions,
  readSettings,
} from '../../../../src/host/platform/settingValues.ts';
import { only } from '../../../support/only.ts';
import { noEvents } from '../../../support/noEvents.ts';

const chosen: ChosenPreset = {
  isOwn: false,
  workspace: 'here',
  path: 'a.agent.md',
  name: 'A',
  text: 'x',
  instead: 'm',
};

/**
 * A preset with these options and one file. Undefined options stand for a chat without a preset.
 */
function presetWith(options: RequestOptions | undefined): ChatPreset {
  const presets = {
    onDidChange: noEvents,
    current: () => undefined,
    accepted: () => ({ options }),
    instructions: () => [{ path: 'a.agent.md', text: 'Be strict.' }],
  };
  return new ChatPreset(() => (options === undefined ? undefined : chosen), only(presets), {
    onDidChange: noEvents,
    current: () => ({ id: 'm', fromWorkspace: false, missing: false }),
  });
}

function settingsOf(preset: RequestOptions | undefined, settings: Record<string, unknown> = {}) {
  const values = readSettings(
    (id) => ({ globalValue: settings[id] }),
    (id) => assert.fail(id),
  );
  // A refused option, as learned from an error of the service.
  const refusing = {
    ...values,
    models: { ...values.models, m: { ...values.models['m'], refused: ['top_p'] as const } },
  };
  return promptSettings('m', {
    settings: {
      current: () => refusing,
      requestOptions: () => requestOptions(refusing, 'm'),
      refusedOptions: () => refusedOptions(refusing, 'm'),
      effortOf: () => undefined,
    },
    preset: presetWith(preset),
    instructions: [{ path: 'AGENTS.md', text: 'Be brief.' }],
    skills: [],
    mode: 'ask',
  });
}

const options = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1),
    topP: fc.constantFrom(0.1, 0.9),
    maxTokens: fc.constantFrom(10, 1000),
  },
  { requiredKeys: [] },
);

describe('promptSettings', () => {
  it("takes each option from the preset, else from the person's settings, and the mode from the chat", () => {
    fc.assert(
      fc.property(fc.option(options, { nil: undefined }), options, (ofPreset, ofPerson) => {
        const ids = Object.entries(ofPerson).map(
          ([name, value]) => [`aside.${name}`, value] as const,
        );
        const { options: sent } = settingsOf(ofPreset, Object.fromEntries(ids));
        const { temperature, maxTokens } = { ...ofPerson, ...ofPreset };
        // The model refuses `top_p`, so a preset can't set it.
        const { topP } = ofPerson;
        assert.deepEqual(sent, { temperature, topP, maxTokens, stop: undefined, mode: 'ask' });
      }),
    );
  });

  it('sends the files of the workspace before the one of the preset', () => {
    const paths = (preset: RequestOptions | undefined): readonly string[] =>
      (settingsOf(preset).files ?? []).map(({ path }) => path);
    assert.deepEqual(paths(undefined), ['AGENTS.md']);
    assert.deepEqual(paths({}), ['AGENTS.md', 'a.agent.md']);
  });

  it('has images and a context window only where they are known of the model', () => {
    const known = settingsOf(undefined, {
      'aside.models': { m: { images: true, contextWindow: 9 } },
    });
    assert.equal(known.contextWindow, 9);
    assert.ok(known.images !== undefined);
    for (const images of [false, undefined]) {
      const unknown = settingsOf(undefined, { 'aside.models': { m: { images } } });
      assert.equal(unknown.images, undefined);
      assert.equal(unknown.contextWindow, undefined);
    }
  });
});

describe('limitOfTurn', () => {
  const models = { m: { price: { input: 2, output: 10 } } };
  const limitWith = (budget: unknown, model = 'm', isDemo = false): unknown => {
    const settings: Record<string, unknown> = { 'aside.budget': budget, 'aside.models': models };
    const values = readSettings(
      (id) => ({ globalValue: settings[id] }),
      () => undefined,
    );
    const { unit, amount } = limitOfTurn(model, values, isDemo);
    return [unit, amount];
  };

  it('is that of the budget, in its unit', () => {
    assert.deepEqual(limitWith({ turn: 5000 }), ['tokens', 5000]);
    assert.deepEqual(limitWith({ turn: 0.5, unit: 'money' }), ['money', 0.5]);
  });

  it('is one million tokens without a valid one, without a price, and in the demo', () => {
    const usual = ['tokens', 1_000_000];
    for (const budget of [undefined, 'much', { day: 5, unit: 'money' }])
      assert.deepEqual(limitWith(budget), usual);
    assert.deepEqual(limitWith({ turn: 0.5, unit: 'money' }, 'other'), usual);
    assert.deepEqual(limitWith({ turn: 5000 }, 'm', true), usual);
  });
});
