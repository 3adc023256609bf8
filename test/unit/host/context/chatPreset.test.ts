import assert from 'node:assert/strict';
import type { ChosenPreset } from '../../../../src/core/conversation/conversation.ts';
import type { Preset } from '../../../../src/host/context/presets.ts';
import type { AcceptedOffer } from '../../../../src/host/context/fileOffers.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { noEvents } from '../../../support/noEvents.ts';

const { ChatPreset } = await withoutVsCode(
  () => import('../../../../src/host/context/chatPreset.ts'),
);

type ReadPreset = Omit<Preset, 'uri'>;

const file = { isOwn: false, workspace: 'here', path: 'a.agent.md', name: 'A', text: 'x' };
const chosen: ChosenPreset = { ...file, instead: 'small' };
const current: ReadPreset = {
  ...file,
  detail: '',
  description: '',
  options: {},
  body: 'Be strict.',
  tools: ['read_file', 'nothing'],
};

interface PresetOptions {
  readonly chosen?: ChosenPreset | undefined;
  readonly current?: ReadPreset | undefined;
  readonly accepted?: AcceptedOffer;
  readonly selected?: string;
  readonly answer?: boolean;
}

function rig({ accepted = {}, selected = 'small', answer = true, ...rigOptions }: PresetOptions) {
  const requests: unknown[] = [];
  const presets = {
    onDidChange: noEvents,
    current: () => rigOptions.current,
    accepted: () => accepted,
    instructions: () =>
      rigOptions.current === undefined
        ? []
        : [{ path: 'a.agent.md', text: rigOptions.current.body }],
    refresh: () => Promise.resolve(rigOptions.current),
    accept(of: unknown, beside: string) {
      requests.push([of, beside]);
      return Promise.resolve(answer);
    },
  };
  const preset = new ChatPreset(
    () => ('chosen' in rigOptions ? rigOptions.chosen : chosen),
    presets,
    {
      onDidChange: noEvents,
      current: () => ({ id: selected, fromWorkspace: true, missing: false }),
    },
  );
  return { preset, requests };
}

describe('the preset of a chat', () => {
  it('applies its model until another one is selected', async () => {
    const accepted = { model: 'large' };
    const { preset, requests } = rig({ current, accepted });
    assert.equal(preset.model.current().id, 'large');
    assert.equal(await preset.requireModel('small'), 'large');
    assert.deepEqual(requests, [[chosen, 'small']]);
    const { preset: other } = rig({ current, accepted, selected: 'tiny' });
    assert.equal(other.model.current().id, 'tiny');
    assert.equal(await other.requireModel('tiny'), 'tiny');
  });

  it('applies no model that was not accepted, and sends nothing if the person cancels', async () => {
    const { preset } = rig({ current });
    assert.equal(preset.model.current().id, 'small');
    assert.equal(await preset.requireModel('small'), 'small');
    const { preset: cancelled } = rig({ current, answer: false });
    await assert.rejects(cancelled.requireModel('small'), { name: 'UserError' });
  });

  it('sends its instructions as those of a file', () => {
    assert.deepEqual(rig({ current }).preset.files, [{ path: 'a.agent.md', text: 'Be strict.' }]);
    assert.deepEqual(rig({}).preset.files, []);
  });

  it('sets the accepted options, except those that the model refuses', () => {
    const { preset } = rig({ current, accepted: { options: { temperature: 0.2, topP: 0.9 } } });
    assert.deepEqual(preset.options([]), { temperature: 0.2, topP: 0.9 });
    assert.deepEqual(preset.options(['temperature']), { topP: 0.9 });
  });

  it('does not affect a chat without one', async () => {
    const { preset, requests } = rig({ chosen: undefined });
    assert.equal(await preset.requireModel('small'), 'small');
    await preset.refresh();
    assert.deepEqual(
      [preset.files, preset.options([]), preset.current, requests],
      [[], {}, undefined, []],
    );
    assert.equal(preset.model.current().fromWorkspace, true);
  });
});
