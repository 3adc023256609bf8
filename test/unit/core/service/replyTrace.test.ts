import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ReplyTrace, traceIn } from '../../../../src/core/service/replyTrace.ts';
import { ReplyAccumulator } from '../../../../src/core/service/replyAccumulator.ts';
import type { ToolCall } from '../../../../src/core/service/toolCallAssembler.ts';
import { isObject, type JsonObject } from '../../../../src/core/support/json.ts';

function merged(...fragments: readonly JsonObject[]): JsonObject | undefined {
  const trace = new ReplyTrace();
  for (const fragment of fragments) trace.add(fragment);
  return trace.value;
}

function callsOf(...deltas: readonly object[]): readonly ToolCall[] {
  const reply = new ReplyAccumulator();
  for (const delta of deltas) reply.add({ choices: [{ index: 0, delta }] });
  return reply.finish(true, 0).toolCalls;
}

const call = (more: object = {}): object => ({
  index: 0,
  id: 'c1',
  function: { name: 'look', arguments: '{}' },
  ...more,
});

describe('the trace of a reply', () => {
  it('contains only the fields that a service may need back', () => {
    assert.deepEqual(
      traceIn({ role: 'assistant', content: 'Hello', reasoning: null, reasoning_content: 'Hm.' }),
      { reasoning_content: 'Hm.' },
    );
    assert.equal(traceIn({ role: 'assistant', content: 'Hello', reasoning: '' }), undefined);
  });

  it('joins strings that arrive in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (pieces) => {
        const fragments = pieces.map((reasoning_content) => ({ reasoning_content }));
        assert.deepEqual(merged(...fragments), { reasoning_content: pieces.join('') });
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it('joins details by index and type, and repeats neither type nor format', () => {
    const text = (part: string, index = 0): JsonObject => ({
      reasoning_details: [{ type: 'reasoning.text', format: 'v1', index, text: part }],
    });
    const encrypted = { type: 'reasoning.encrypted', index: 0, data: 'AA==', id: 'r1' };
    assert.deepEqual(
      merged(text('One, '), text('two.'), { reasoning_details: [encrypted] }, text('Three.', 1)),
      {
        reasoning_details: [
          { type: 'reasoning.text', format: 'v1', index: 0, text: 'One, two.' },
          encrypted,
          { type: 'reasoning.text', format: 'v1', index: 1, text: 'Three.' },
        ],
      },
    );
  });

  it('joins blocks without an index until their signature arrives', () => {
    const block = (fields: object): JsonObject => ({
      thinking_blocks: [{ type: 'thinking', ...fields }],
    });
    assert.deepEqual(
      merged(
        block({ thinking: 'One, ' }),
        block({ thinking: 'two.', signature: null }),
        block({ signature: 'c2ln' }),
        block({ thinking: 'Three.' }),
      ),
      {
        thinking_blocks: [
          { type: 'thinking', thinking: 'One, two.', signature: 'c2ln' },
          { type: 'thinking', thinking: 'Three.' },
        ],
      },
    );
  });

  it('is stored with the first call, and the trace of a call with that call', () => {
    const extra = { google: { thought_signature: 'AbC+/9==' } };
    const [first, second] = callsOf(
      { reasoning_content: 'Think' },
      { reasoning_content: 'ing.' },
      { tool_calls: [call({ extra_content: extra })] },
      { tool_calls: [call({ index: 1, id: 'c2' })] },
      { content: '', signature: 'late' },
    );
    assert.deepEqual(first?.trace, {
      message: { reasoning_content: 'Thinking.', signature: 'late' },
      call: { extra_content: extra },
    });
    assert.equal(second?.trace, undefined);
  });

  it('keeps an opaque value once if it is repeated with each piece', () => {
    const extra = { extra_content: { google: { thought_signature: 'AbC+/9==' } } };
    const [first] = callsOf(
      { tool_calls: [call({ ...extra, function: { name: 'look', arguments: '{"a' } })] },
      { tool_calls: [{ index: 0, function: { arguments: '":1}' }, ...extra }] },
    );
    assert.deepEqual(first?.trace?.call, extra);
  });

  it('is left out if it is too long or nested too deep', () => {
    assert.equal(
      merged({ signature: 'x'.repeat(600_000) }, { signature: 'y'.repeat(600_000) }),
      undefined,
    );
    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
    ] as const) {
      const deep: unknown = JSON.parse(open.repeat(100) + '1' + close.repeat(100));
      assert.equal(merged({ reasoning: 'Hm.' }, { extra_content: deep }), undefined);
    }
    const repeated = { extra_content: { google: { thought_signature: 'x'.repeat(1000) } } };
    assert.deepEqual(merged(...Array.from({ length: 2000 }, () => repeated)), repeated);
  });

  it('has the room of one trace for all calls of a reply, whatever takes it', () => {
    const calls = (count: number, extra: (index: number) => unknown): readonly ToolCall[] =>
      callsOf(
        ...Array.from({ length: count }, (_, index) => ({
          tool_calls: [call({ index, id: `c${index}`, extra_content: extra(index) })],
        })),
      );
    const part = { signature: 'x'.repeat(90_000) };
    assert.ok(calls(10, () => part).every(({ trace }) => trace !== undefined));
    const list = (length: number, value: unknown): unknown => Array.from({ length }, () => value);
    const shapes = [part, list(30_000, 0.123456789), list(30_000, null)];
    for (const shape of shapes) {
      const reply = calls(128, () => shape);
      assert.equal(reply.length, 128);
      assert.ok(reply.every(({ trace }) => trace === undefined));
    }
  });

  it('takes linear time, however many details there are', () => {
    const details = Array.from({ length: 20_000 }, (_, index) => ({
      reasoning_details: [{ type: 'reasoning.text', index, text: 'a' }],
    }));
    const start = performance.now();
    assert.ok(merged(...details) !== undefined);
    // The quadratic time of 20,000 copied lists was minutes.
    assert.ok(performance.now() - start < 10_000);
  });

  it('is an object or undefined, whatever the fields are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ reasoning: fc.json(), extra_content: fc.jsonValue() })),
        (list) => {
          const trace = merged(...list);
          assert.ok(trace === undefined || isObject(trace));
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });
});
