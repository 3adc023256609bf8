import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { withoutSent } from '../../../../src/protocol/draftText.ts';
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
    assert.deepEqual(saved, ['Why?\nAnd']);
    draft.settle('Why?', true);
    // The host takes the message out of its draft by itself.
    assert.deepEqual(saved, ['Why?\nAnd']);
    assert.equal(withoutSent('Why?\nAnd', 'Why?'), draft.text.value);
  });

  it('restores a refused message before the text typed since', () => {
    draft.load('Why?', false);
    draft.clearForSend();
    draft.replace('And');
    draft.settle('Why?', false);
    assert.equal(draft.text.value, 'Why?\nAnd');
    assert.deepEqual(saved, ['Why?\nAnd']);
  });

  it('is somewhere at any time, whenever the host or the view ends', () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant('type'), text: fc.string({ minLength: 1, maxLength: 3 }) }),
      fc.record({
        act: fc.constantFrom('send', 'accept', 'refuse', 'store'),
        text: fc.constant(''),
      }),
      fc.record({ act: fc.constant('wait'), text: fc.constantFrom('x', 'xx'.repeat(40)) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let host = '';
        let kept: string | undefined;
        let posted = 0;
        const sent: string[] = [];
        const keeper = { read: () => kept, write: (text: string | undefined) => (kept = text) };
        const tested = new Draft((text) => ([host, posted] = [text, posted + 1]), keeper);
        for (const { act, text } of steps) {
          if (act === 'type') tested.replace(tested.text.value + text);
          if (act === 'wait') mock.timers.tick(text.length);
          if (act === 'store') tested.confirm(posted);
          if (act === 'send' && tested.text.value !== '') {
            sent.push(tested.text.value);
            tested.clearForSend();
          }
          const message = act === 'accept' || act === 'refuse' ? sent.shift() : undefined;
          if (act === 'accept' && message !== undefined) host = withoutSent(host, message);
          if (message !== undefined) tested.settle(message, act === 'accept');
          const unsent = [...sent, tested.text.value].filter((one) => one !== '').join('\n');
          // A crash of either leaves the other.
          assert.equal(kept ?? host, unsent);
        }
      }),
    );
  });

  it('is not replaced by an older draft when another chat is opened during typing', () => {
    draft.replace('Hel');
    draft.replace('Hello');
    draft.flush();
    draft.load('Hel', false);
    assert.equal(draft.text.value, 'Hello');
    draft.confirm(2);
    draft.load('Another draft', false);
    assert.equal(draft.text.value, 'Another draft');
  });

  it('is loaded from the view where the host had not stored it', () => {
    const keeper = { read: () => 'Hello there', write: () => undefined };
    draft = new Draft((text) => saved.push(text), keeper);
    draft.load('Hel', false);
    draft.recover('An earlier message');
    assert.equal(draft.text.value, 'Hello there');
    assert.deepEqual(saved, ['Hello there']);
    draft = new Draft((text) => saved.push(text), keeper);
    draft.load('', false);
    draft.recover('Hello there');
    assert.equal(draft.text.value, '');
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
