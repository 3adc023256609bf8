import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Draft } from '../../../../src/webview/state/draft.ts';

describe('Draft', () => {
  let saved: string[];
  let draft: Draft;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    saved = [];
    draft = new Draft((text) => saved.push(text));
  });
  afterEach(() => mock.timers.reset());

  it('is saved as it changes, once for changes that follow at once', () => {
    draft.replace('a');
    assert.deepEqual(saved, ['a']);
    draft.replace('ab');
    draft.replace('abc');
    assert.deepEqual(saved, ['a']);
    mock.timers.tick(50);
    assert.deepEqual(saved, ['a', 'abc']);
    mock.timers.tick(5000);
    assert.deepEqual(saved, ['a', 'abc']);
  });

  it('is saved less often when it is long', () => {
    const pasted = 'x'.repeat(200_000);
    draft.replace(pasted);
    draft.replace(`${pasted}y`);
    mock.timers.tick(900);
    assert.equal(saved.length, 1);
    mock.timers.tick(100);
    assert.equal(saved.at(-1), `${pasted}y`);
  });

  it('is saved at once when flushed', () => {
    draft.replace('a');
    draft.replace('ab');
    draft.flush();
    draft.flush();
    assert.deepEqual(saved, ['a', 'ab']);
  });

  it('is kept by the host until the message was accepted', () => {
    draft.load('Why?', false);
    draft.clearForSend();
    assert.equal(draft.text.value, '');
    draft.flush();
    draft.settle('Why?', true);
    assert.deepEqual(saved, []);
    assert.equal(draft.text.value, '');
  });

  it('keeps text typed while the message is being sent', () => {
    draft.load('Why?', false);
    draft.clearForSend();
    draft.replace('And');
    mock.timers.tick(1000);
    assert.deepEqual(saved, []);
    draft.settle('Why?', true);
    assert.deepEqual(saved, ['And']);
  });

  it('restores a refused message before the text typed since', () => {
    draft.load('Why?', false);
    draft.clearForSend();
    draft.replace('And');
    draft.settle('Why?', false);
    assert.equal(draft.text.value, 'Why?\nAnd');
    assert.deepEqual(saved, ['Why?\nAnd']);
  });

  it('is not replaced by an older draft of the same chat', () => {
    draft.load('first', false);
    draft.replace('newer');
    draft.load('first', true);
    assert.equal(draft.text.value, 'newer');
    assert.deepEqual(saved, ['newer']);
  });

  it('is replaced by the draft of another chat', () => {
    draft.load('first', false);
    draft.load('second', false);
    assert.equal(draft.text.value, 'second');
    mock.timers.tick(1000);
    assert.deepEqual(saved, []);
  });
});
