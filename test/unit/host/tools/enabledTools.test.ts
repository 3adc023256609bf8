import assert from 'node:assert/strict';
import { EnabledTools } from '../../../../src/host/tools/enabledTools.ts';
import { FakeMemento } from '../fakes.ts';

describe('EnabledTools', () => {
  it('stores the selection', async () => {
    const state = new FakeMemento();
    const ticked = new EnabledTools(state);
    await ticked.setOwnEnabled(['read_file', 'run_command'], ['read_file']);
    await ticked.setExternalEnabled(['echo#1', 'add#2'], ['echo#1']);
    const later = new EnabledTools(state);
    assert.deepEqual(
      [later.isOwnEnabled('read_file'), later.isOwnEnabled('run_command')],
      [true, false],
    );
    assert.deepEqual(
      [later.isExternalEnabled('echo#1'), later.isExternalEnabled('add#2')],
      [true, false],
    );
    await later.setOwnEnabled(['read_file', 'run_command'], ['read_file', 'run_command']);
    await later.setExternalEnabled(['echo#1'], []);
    assert.equal(ticked.isOwnEnabled('run_command'), true);
    assert.equal(ticked.isExternalEnabled('echo#1'), false);
  });

  it('treats a changed tool as another one, and drops the previous entry', async () => {
    const ticked = new EnabledTools(new FakeMemento());
    await ticked.setExternalEnabled(['echo#1'], ['echo#1']);
    assert.equal(ticked.isExternalEnabled('echo#2'), false);
    assert.equal(ticked.wasExternalEnabled('echo'), true);
    await ticked.setExternalEnabled(['echo#2'], []);
    assert.equal(ticked.isExternalEnabled('echo#1'), false);
    assert.equal(ticked.wasExternalEnabled('echo'), false);
  });

  it('keeps the state of tools that are not listed', async () => {
    const ticked = new EnabledTools(new FakeMemento());
    await ticked.setExternalEnabled(['a#b#1'], ['a#b#1']);
    await ticked.setOwnEnabled(['run_command'], []);
    await ticked.setExternalEnabled(['a#2'], ['a#2']);
    await ticked.setOwnEnabled(['read_file'], ['read_file']);
    assert.deepEqual(
      [ticked.isExternalEnabled('a#b#1'), ticked.isExternalEnabled('a#2')],
      [true, true],
    );
    assert.equal(ticked.isOwnEnabled('run_command'), false);
  });

  it('enables no external tool if the record is damaged', () => {
    const state = new FakeMemento();
    state.stored.set('aside.tickedTools', '{"echo#1":true}');
    state.stored.set('aside.unusedTools', '7');
    assert.equal(new EnabledTools(state).isExternalEnabled('echo#1'), false);
    assert.equal(new EnabledTools(state).isOwnEnabled('read_file'), true);
  });
});
