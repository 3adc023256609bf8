import assert from 'node:assert/strict';
import { TickedTools } from '../../../../src/host/tools/enabledTools.ts';
import { FakeMemento } from '../fakes.ts';

describe('TickedTools', () => {
  it('uses our own tools and none of others, until the person says otherwise', () => {
    const ticked = new TickedTools(new FakeMemento());
    assert.equal(ticked.isUsed('read_file'), true);
    assert.equal(ticked.isTicked('echo#1'), false);
  });

  it('remembers what was chosen', async () => {
    const state = new FakeMemento();
    const ticked = new TickedTools(state);
    await ticked.setUsed(['read_file', 'run_command'], ['read_file']);
    await ticked.setTicked(['echo#1', 'add#2'], ['echo#1']);
    const later = new TickedTools(state);
    assert.deepEqual([later.isUsed('read_file'), later.isUsed('run_command')], [true, false]);
    assert.deepEqual([later.isTicked('echo#1'), later.isTicked('add#2')], [true, false]);
    await later.setUsed(['read_file', 'run_command'], ['read_file', 'run_command']);
    await later.setTicked(['echo#1'], []);
    assert.equal(ticked.isUsed('run_command'), true);
    assert.equal(ticked.isTicked('echo#1'), false);
  });

  it('takes a tool that changed for another one, and forgets the one before', async () => {
    const ticked = new TickedTools(new FakeMemento());
    await ticked.setTicked(['echo#1'], ['echo#1']);
    assert.equal(ticked.isTicked('echo#2'), false);
    assert.equal(ticked.wasTicked('echo'), true);
    await ticked.setTicked(['echo#2'], []);
    assert.equal(ticked.isTicked('echo#1'), false);
    assert.equal(ticked.wasTicked('echo'), false);
  });

  it('keeps what is not there now', async () => {
    const ticked = new TickedTools(new FakeMemento());
    await ticked.setTicked(['a#b#1'], ['a#b#1']);
    await ticked.setUsed(['run_command'], []);
    await ticked.setTicked(['a#2'], ['a#2']);
    await ticked.setUsed(['read_file'], ['read_file']);
    assert.deepEqual([ticked.isTicked('a#b#1'), ticked.isTicked('a#2')], [true, true]);
    assert.equal(ticked.isUsed('run_command'), false);
  });

  it('ticks nothing where the record is damaged', () => {
    const state = new FakeMemento();
    state.stored.set('aside.tickedTools', '{"echo#1":true}');
    state.stored.set('aside.unusedTools', '7');
    assert.equal(new TickedTools(state).isTicked('echo#1'), false);
    assert.equal(new TickedTools(state).isUsed('read_file'), true);
  });
});
