import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ThinkSplitter } from '../../../../src/core/turn/replyEvents.ts';

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const splitter = new ThinkSplitter();
  const parts = { text: '', reasoning: '' };
  for (const piece of pieces)
    for (const { type, text } of splitter.push(piece)) parts[type] += text;
  for (const { type, text } of splitter.end()) parts[type] += text;
  return parts;
}

describe('ThinkSplitter', () => {
  it('separates leading reasoning from the reply', () => {
    assert.deepEqual(split(['<think>hm</think>\n\nHello']), { text: 'Hello', reasoning: 'hm' });
    assert.deepEqual(split([' \n<think>hm']), { text: '', reasoning: 'hm' });
  });

  it("ignores the tag if the text doesn't start with it", () => {
    for (const text of ['Use <think>this</think>.', '<thinking>', '<b>', '  x', '<thin', '']) {
      assert.deepEqual(split([text]), { text, reasoning: '' });
    }
  });

  it('finds the same reasoning however the text is cut', () => {
    const thought = fc.string().filter((text) => !text.includes('</think>'));
    const cuts = fc.array(fc.nat(60), { maxLength: 12 });
    fc.assert(
      fc.property(thought, fc.string(), cuts, (inner, answer, places) => {
        const whole = `<think>${inner}</think>${answer}`;
        const ends = [...places, whole.length].sort((first, second) => first - second);
        const pieces = ends.map((end, index) =>
          whole.slice(index === 0 ? 0 : ends[index - 1], end),
        );
        const parts = split(pieces);
        assert.deepEqual(parts, split([whole]));
        assert.equal(parts.reasoning, inner);
        assert.equal(parts.text, answer.trimStart());
      }),
    );
  });

  it('holds back at most a possible tag', () => {
    const splitter = new ThinkSplitter();
    splitter.push('<think>');
    assert.deepEqual(splitter.push('a</thi'), [{ type: 'reasoning', text: 'a' }]);
    assert.deepEqual(splitter.push('s'), [{ type: 'reasoning', text: '</this' }]);
  });

  it('does not look for reasoning after a lot of white space', () => {
    const gap = '\n'.repeat(1001);
    const text = `${gap}<think>a</think>b`;
    for (const pieces of [[text], text.split('')])
      assert.deepEqual(split(pieces), { text, reasoning: '' });
    const splitter = new ThinkSplitter();
    const held = gap.split('').filter((piece) => splitter.push(piece).length === 0);
    assert.equal(held.length, 1000);
  });
});
