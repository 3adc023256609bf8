import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ThinkSplitter, type ReplySegment } from '../../../../src/core/service/thinkSplitter.ts';

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const splitter = new ThinkSplitter();
  const parts = { text: '', reasoning: '' };
  const add = (segment: ReplySegment): void => {
    if (segment.type !== 'thought-end') parts[segment.type] += segment.text;
    else {
      parts.reasoning += parts.text;
      parts.text = '';
    }
  };
  for (const piece of pieces) splitter.push(piece).forEach(add);
  splitter.end().forEach(add);
  return parts;
}

const final = '<|channel|>final<|message|>';

const marks: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<seed:think>', '</seed:think>'],
  ['<longcat_think>', '</longcat_think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|begin_of_thought|>', '<|end_of_thought|><|begin_of_solution|>'],
  ['<|START_THINKING|>', '<|END_THINKING|><|START_RESPONSE|>'],
  ['<|channel>thought', '<channel|>'],
  ['<|channel|>analysis<|message|>', `<|end|><|start|>assistant${final}`],
  ['<|start|>assistant<|channel|>analysis<|message|>', final],
];

/** Replies with an end mark only, and their text. */
const lone: readonly (readonly [name: string, reply: string, text: string])[] = [
  ['on its own line', 'Okay, the user asks.\n</think>\n\nHello', 'Hello'],
  ['touching both sides', 'I should answer.</think>The **J**.', 'The **J**.'],
  ['before a blank', 'I should answer.</think> The J.', 'The J.'],
  ['before a fence', 'Code it is.</think>```ts\na();\n```', '```ts\na();\n```'],
  ['in Chinese', '用户在问好。</think>你好', '你好'],
  ['of another model', 'Hm.\n[/THINK]Hello', 'Hello'],
  ['at the very beginning', '</think>\n\nHello', 'Hello'],
  ['at the very end', 'Hm.\n</think>', ''],
  ['behind code of the thought', 'Or:\n```ts\na();\n```\nNo.\n</think>\n\nb();', 'b();'],
  ['in inline code', 'Write `</think>` at the end.', 'Write `</think>` at the end.'],
  ['in a sentence', 'The </think> tag ends it.', 'The </think> tag ends it.'],
  ['in quotes', 'It ends with "</think>" here.', 'It ends with "</think>" here.'],
  ['in a fence', 'So:\n```\nhm\n</think>\nHello\n```\n', 'So:\n```\nhm\n</think>\nHello\n```\n'],
  ['after its beginning', 'Like <think>hm</think>\nthis.', 'Like <think>hm</think>\nthis.'],
  ['after it was named', 'Use `</think>`:\n</think>\nHello', 'Use `</think>`:\n</think>\nHello'],
];

describe('ThinkSplitter', () => {
  it('separates leading reasoning from the reply', () => {
    assert.deepEqual(split(['<think>hm</think>\n\nHello']), { text: 'Hello', reasoning: 'hm' });
    assert.deepEqual(split([' \n<think>hm']), { text: '', reasoning: 'hm' });
  });

  it('knows the marks that models write at the beginning', () => {
    for (const [open, close] of marks) {
      const expected = { text: 'Hello', reasoning: 'hm' };
      assert.deepEqual(split([`${open}hm${close}Hello`]), expected, open);
      assert.deepEqual(split(Array.from(`\n${open}hm${close}\n\nHello`)), expected, open);
    }
  });

  it('separates several thoughts from each other', () => {
    const reply = '<think>a</think>\n\n<think>b</think>\n\nHello';
    assert.deepEqual(split([reply]), { text: 'Hello', reasoning: 'a\n\nb' });
    assert.equal(split(['<think>a</think>\n\n</think>\n\nHello']).text, 'Hello');
  });

  for (const [name, reply, text] of lone) {
    const isThought = text !== reply;
    it(`${isThought ? 'ends' : 'does not end'} a thought without a beginning: ${name}`, () => {
      for (const pieces of [[reply], Array.from(reply), reply.match(/[^]{1,5}/g) ?? []]) {
        const parts = split(pieces);
        assert.equal(parts.text, text);
        assert.equal(parts.reasoning !== '', isThought && !reply.startsWith('</'));
      }
    });
  }

  it('passes text on at once, though it may prove to be a thought', () => {
    const splitter = new ThinkSplitter();
    assert.deepEqual(splitter.push('Okay, 1 < 2'), [{ type: 'text', text: 'Okay, 1 < 2' }]);
    assert.deepEqual(splitter.push('.</thi'), [{ type: 'text', text: '.' }]);
    assert.deepEqual(splitter.push('nk>\n'), [{ type: 'thought-end' }]);
    assert.deepEqual(splitter.push('Yes'), [{ type: 'text', text: 'Yes' }]);
  });

  it('is fast for long replies in small pieces', () => {
    for (const text of ['<', '`', '</think', '\n</', 'word ', '◁', '</think>', '<think></think>']) {
      const splitter = new ThinkSplitter();
      const pieces = 200_000 / text.length;
      let length = 0;
      for (let index = 0; index < pieces; index++)
        for (const segment of splitter.push(text))
          if ('text' in segment) length += segment.text.length;
      splitter.end();
      assert.ok(length > 199_000 || text.includes('>'));
    }
  });

  it("ignores the tag if the text doesn't start with it", () => {
    for (const text of ['Use <think>this</think>.', '<thinker>', '<b>', '  x', '<thin', '']) {
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
