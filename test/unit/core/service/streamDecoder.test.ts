import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isComplete, type Completion } from '../../../../src/core/service/completion.ts';
import { standardReason } from '../../../../src/core/service/replyEnd.ts';
import type { Chunk } from '../../../../src/core/service/replyAccumulator.ts';
import { StreamDecoder } from '../../../../src/core/service/streamDecoder.ts';

function chunk(delta: unknown, more: Record<string, unknown> = {}): string {
  const { finish_reason = null, ...fields } = more;
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], ...fields })}\n\n`;
}

const done = 'data: [DONE]\n\n';
const stop = chunk({}, { finish_reason: 'stop' });

interface Decoded extends Completion {
  readonly text: string;
  readonly reasoning: string;
}

function decode(bytes: Uint8Array, cuts: readonly number[] = []): Decoded {
  const decoder = new StreamDecoder();
  const places = [...cuts, bytes.length].map((cut) => Math.min(cut, bytes.length));
  const streamed = { text: '', reasoning: '' };
  const show = (chunks: readonly Chunk[]): void => {
    for (const { type, text } of chunks) streamed[type] += text;
  };
  let from = 0;
  for (const to of places.sort((first, second) => first - second)) {
    show(decoder.feed(bytes.subarray(from, to)));
    from = to;
  }
  show(decoder.end());
  return { ...decoder.finish(), ...streamed };
}

function textOf(chunks: readonly Chunk[]): string {
  return chunks.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}

function read(text: string): Decoded {
  return decode(new TextEncoder().encode(text));
}

describe('StreamDecoder', () => {
  it('reads the same events however the stream is sliced', () => {
    const stream = new TextEncoder().encode(
      `\u{feff}: hello\r\n\r\n${chunk({ role: 'assistant', content: 'Zoë ' })}data:${JSON.stringify(
        {
          choices: [{ delta: { content: '🦊 text' } }],
        },
      )}\r\n\r\n${chunk({ reasoning_content: 'hm' })}${stop}${done}`,
    );
    const cuts = fc.array(fc.nat(stream.length), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, (places) => {
        const completion = decode(stream, places);
        assert.equal(completion.text, 'Zoë 🦊 text');
        assert.equal(completion.reasoning, 'hm');
        assert.equal(completion.finishReason, 'stop');
        assert.equal(completion.malformedEvents, 0);
      }),
    );
  });

  const lineOf = (content: string): string => chunk({ content }).trimEnd();

  it('keeps the valid lines of an event, and counts the event if one is invalid', () => {
    const [first, last] = [lineOf('a'), lineOf('b')];
    for (const [between, malformed] of Object.entries({ 'data: {oops': 1, 'data: ': 0 })) {
      const completion = read(`${first}\n${between}\n${last}\n\n${stop}${done}`);
      assert.deepEqual([completion.text, completion.malformedEvents], ['ab', malformed]);
      assert.equal(isComplete(completion), malformed === 0);
    }
    assert.equal(read(`${first}\n${last}\ndata:\n\n`).text, 'ab');
  });

  it('keeps the lines before the one at which the stream was cut', () => {
    const completion = read(`${lineOf('a')}\n${lineOf('b')}\ndata: {"cho`);
    assert.deepEqual(
      [completion.text, completion.malformedEvents, completion.fault?.kind],
      ['ab', 0, 'cut'],
    );
    const damaged = read(`${lineOf('a')}\ndata: {oops\n${stop.trimEnd()}`);
    assert.deepEqual([damaged.text, damaged.malformedEvents], ['a', 1]);
    assert.equal(isComplete(damaged), false);
  });

  it('reads a whole message after the deltas only once', () => {
    const whole = { index: 0, message: { content: 'One two' }, finish_reason: 'stop' };
    const last = `data: ${JSON.stringify({ choices: [whole] })}\n\n`;
    const deltas =
      chunk({ role: 'assistant' }) + chunk({ content: 'One ' }) + chunk({ content: 'two' });
    assert.deepEqual(read(deltas + last + done).text, 'One two');
    assert.deepEqual(read(chunk({ role: 'assistant' }) + last + done).text, 'One two');
    assert.equal(read(deltas + last).finishReason, 'stop');
  });

  it('reads a reply in one piece that has an empty delta beside its message', () => {
    for (const delta of [{}, { role: 'assistant', content: '' }, { content: null }]) {
      const calls = [{ id: 'c1', function: { name: 'look', arguments: '{}' } }];
      const message = {
        role: 'assistant',
        content: 'One two',
        reasoning: 'Hm.',
        tool_calls: calls,
      };
      const choice = { index: 0, delta, message, finish_reason: 'tool_calls' };
      const completion = read(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
      assert.deepEqual([completion.text, completion.reasoning], ['One two', 'Hm.']);
      assert.deepEqual([completion.toolCalls.length, completion.finishReason], [1, 'tool_calls']);
    }
  });

  it('reads content that is a number as its digits', () => {
    const completion = read(chunk({ content: 4 }) + chunk({ content: 2 }) + stop + done);
    assert.deepEqual([completion.text, completion.fault], ['42', undefined]);
  });

  it('keeps the first error', () => {
    const errors = ['Full', 'Down'].map((error) => `data: ${JSON.stringify({ error })}\n\n`);
    assert.equal(read(chunk({ content: 'Part' }) + errors.join('') + done).fault?.detail, 'Full');
  });

  it('treats a finish reason "error" as an error', () => {
    const completion = read(chunk({ content: 'Part' }, { finish_reason: 'error' }) + done);
    assert.equal(completion.fault?.kind, 'in-stream');
  });

  it('finds each call of a whole message, even without index and id', () => {
    const tool_calls = [{ function: { name: 'now' } }, { function: { name: 'now' } }];
    const choices = [{ message: { tool_calls }, finish_reason: 'tool_calls' }];
    const names = read(`data: ${JSON.stringify({ choices })}\n\n`).toolCalls.map(
      ({ name }) => name,
    );
    assert.deepEqual(names, ['now', 'now']);
  });

  it('does not count anything after [DONE] as damage', () => {
    const completion = read(
      `${chunk({ content: 'a' })}${stop}${done}Data: x\n\n<html>\ndata: {oops\n\n`,
    );
    assert.deepEqual([completion.malformedEvents, isComplete(completion)], [0, true]);
  });

  it('treats an AWS exception as an error', () => {
    const message = 'The model could not be reached';
    const event = `data: ${JSON.stringify({ modelStreamErrorException: { message } })}\n\n`;
    const completion = read(chunk({ content: 'Part' }) + event + done);
    assert.deepEqual([completion.text, completion.fault?.detail], ['Part', message]);
  });

  it('ignores an empty error', () => {
    for (const error of ['', {}, false, null, { message: '', code: null }]) {
      const completion = read(chunk({ content: 'a' }, { error }) + stop + done);
      assert.deepEqual(
        [completion.text, completion.fault],
        ['a', undefined],
        JSON.stringify(error),
      );
    }
  });

  it('maps the finish reasons of other interfaces', () => {
    const reasons = {
      stop: 'stop STOP eos_token eos end_turn stop_sequence complete COMPLETE Completed',
      length: 'length max_tokens MAX_TOKENS model_length max_output_tokens',
      tool_calls: 'tool_calls tool-calls tool_use TOOL_CALL function_call',
      content_filter: 'content_filter content-filter SAFETY refusal RECITATION',
    };
    for (const [reason, others] of Object.entries(reasons)) {
      for (const other of others.split(' ')) {
        const text = chunk({ content: 'a' }) + chunk({}, { finish_reason: other }) + done;
        const { finishReason, fault } = read(text);
        assert.deepEqual([finishReason, fault], [other, undefined]);
        assert.equal(standardReason(finishReason), reason, other);
      }
    }
  });

  it('keeps the text of a reply that ended for any other reason, reports it, and runs no call', () => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
    const word = fc.stringMatching(/^[a-z]{1,4}(?:_[a-z]{3,9}){1,2}x$/);
    const known = fc.constantFrom('abort', 'network_error', 'insufficient_system_resource', '停止');
    fc.assert(
      fc.property(fc.oneof(known, word), fc.constantFrom('', done), (reason, end) => {
        const head = chunk({ content: 'Part', tool_calls: [call] });
        const completion = read(head + chunk({}, { finish_reason: reason }) + end);
        assert.deepEqual([completion.text, completion.fault?.kind], ['Part', 'in-stream']);
        assert.equal(completion.fault?.detail, reason);
        assert.equal(isComplete(completion), false);
      }),
    );
  });

  it('ignores finish reasons that mean none', () => {
    for (const reason of ['null', 'none', '']) {
      const completion = read(chunk({ content: 'a' }, { finish_reason: reason }) + stop + done);
      assert.deepEqual([completion.finishReason, completion.fault], ['stop', undefined], reason);
    }
  });

  it('uses the last usage, wherever it is, and ignores a later null', () => {
    const usage = (prompt_tokens: number): Record<string, unknown> => ({
      usage: { prompt_tokens, completion_tokens: 2, total_tokens: prompt_tokens + 2 },
    });
    const tail = chunk({}, { x_groq: usage(9), usage: null });
    const completion = read(
      chunk({ content: 'a' }, usage(1)) + chunk({}, usage(5)) + tail + stop + done,
    );
    assert.deepEqual(completion.usage, {
      prompt_tokens: 9,
      completion_tokens: 2,
      total_tokens: 11,
      cached_tokens: 0,
      requests: 1,
      estimated: false,
    });
  });

  it('never reads reasoning twice', () => {
    const completion = read(chunk({ reasoning_content: 'hm', reasoning: 'hm' }) + stop + done);
    assert.equal(completion.reasoning, 'hm');
  });

  const choice = (index: unknown, content: string): string =>
    `data: ${JSON.stringify({ choices: [{ index, delta: { content } }] })}\n\n`;

  it('reads only one choice: the first one', () => {
    const [yes, no] = [choice(0, 'yes'), choice(1, 'no')];
    assert.equal(read(yes + no + choice(0, '!') + stop + done).text, 'yes!');
    const both = { choices: [{ message: { content: 'yes' } }, { message: { content: 'no' } }] };
    assert.equal(read(`data: ${JSON.stringify(both)}\n\n`).text, 'yes');
  });

  it('reads the choice with index 0 wherever it is in the first two events with choices', () => {
    const signs = fc.array(fc.constantFrom(': ping\n\n', 'data: {"choices":[]}\n\n'));
    const finish = fc.boolean();
    const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, texts, signs, finish, fc.constantFrom(1, 2, '1'), (...parts) => {
        const [zero, other, between, isWhole, index] = parts;
        const finished = { finish_reason: isWhole ? 'stop' : null };
        const [first = '', ...continuation] = other.map(
          (content) =>
            `data: ${JSON.stringify({ choices: [{ index, delta: { content }, ...finished }] })}\n\n`,
        );
        const [begin = '', ...more] = zero.map((content) => choice(0, content));
        const stream = [first, ...between, begin, ...continuation, ...more, stop, done].join('');
        const completion = read(stream);
        assert.equal(completion.text, zero.join(''));
        assert.equal(completion.finishReason, 'stop');
        assert.equal(completion.fault, undefined);
      }),
    );
  });

  it('reads a single other index with at most one event of delay, and loses nothing', () => {
    const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 7, '1'), fc.boolean(), (contents, index, isDone) => {
        const decoder = new StreamDecoder();
        let text = '';
        contents.forEach((content, position) => {
          text += textOf(decoder.feed(new TextEncoder().encode(choice(index, content))));
          const least = position === 0 ? 0 : position + 1;
          assert.ok(text.length >= contents.slice(0, least).join('').length, 'delay');
        });
        if (isDone) text += textOf(decoder.feed(new TextEncoder().encode(done)));
        if (isDone) assert.equal(text, contents.join(''));
        text += textOf(decoder.end());
        assert.equal(text, contents.join(''));
      }),
    );
  });

  it('reads another index whose only event has all of the reply', () => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } };
    const delta = { content: 'yes', tool_calls: [call] };
    const only = { index: 1, delta, finish_reason: 'stop', usage: { prompt_tokens: 7 } };
    const decoder = new StreamDecoder();
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify({ choices: [only] })}\n\n`);
    const text = textOf(decoder.feed(bytes));
    assert.equal(decoder.awaits, 'usage', 'nobody waits for more of it');
    assert.equal(text + textOf(decoder.end()), 'yes');
    const completion = decoder.finish();
    assert.equal(completion.finishReason, 'stop');
    assert.equal(completion.toolCalls.length, 1);
    assert.equal(completion.usage?.prompt_tokens, 7);
  });

  it('treats an error after another index as the end of the reply', () => {
    const error = 'data: {"error":{"message":"The model is gone"}}\n\n';
    const completion = read(choice(1, 'a') + error);
    assert.equal(completion.text, 'a');
    assert.ok(completion.fault !== undefined);
    assert.deepEqual(completion.fault, read(choice(0, 'a') + error).fault);
  });

  it('reads the choice whatever its index is, and even without one', () => {
    for (const index of ['0', 0, 1, '1'])
      assert.equal(read(choice(index, 'a') + choice(null, 'b') + choice(index, 'c')).text, 'abc');
  });

  it('survives JSON that is nested as deeply as it fits', () => {
    const levels = 200_000;
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const nested = '[{"text":'.repeat(levels) + '"x"' + '}]'.repeat(levels);
    const places: readonly ((json: string) => string)[] = [
      (json) => `{"choices":[{"delta":{"content":${json}}}]}`,
      (json) => `{"choices":[{"delta":{"reasoning_details":${json}}}]}`,
      (json) => `{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":${json}}}]}}]}`,
      (json) => `{"choices":[{"delta":{"tool_calls":${json}}}]}`,
      (json) => `{"error":${json}}`,
      (json) => `{"detail":${json}}`,
      (json) => `{"usage":${json}}`,
      (json) => json,
    ];
    for (const nest of places)
      for (const json of [deep, nested]) {
        const completion = read(`data: ${nest(json)}\n\n${chunk({ content: 'a' })}${stop}${done}`);
        assert.ok(completion.text.endsWith('a') || completion.fault !== undefined);
        for (const { arguments: text } of completion.toolCalls)
          assert.ok(text === '' || text === '…');
      }
  });

  const damage: Readonly<Record<string, string>> = {
    'a byte order mark': '\u{feff}data: ',
    'a blank': ' data: ',
    'a tab': '\tdata: ',
    'a space that does not break': '\u{a0}data: ',
    'a capital': 'Data: ',
    capitals: 'DATA:',
    'a blank before the colon': 'data : ',
    'no colon': 'data ',
    'a prefix': '> data: ',
    'no field name': '',
    'another field name': 'json: ',
  };
  for (const [name, field] of Object.entries(damage)) {
    it(`counts a line with ${name} as damage, and runs no incomplete call`, () => {
      const call = (text: string): string =>
        chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: text } }] });
      const lost = call('"x":1,').replace('data: ', field);
      for (const end of ['\n', '\r\n']) {
        const completion = read(
          `${call('{')}${lost}${call('"y":2}')}${stop}${done}`.replaceAll('\n', end),
        );
        assert.equal(completion.toolCalls[0]?.arguments, '{"y":2}');
        assert.equal(completion.malformedEvents, 1);
        assert.equal(isComplete(completion), false);
      }
      assert.equal(read(`${chunk({ content: 'a' })}${lost.trimEnd()}`).text, 'a');
    });
  }

  it('does not count keep-alives, other fields or a lowercase end marker as damage', () => {
    const noise = [
      'data: ping',
      'data: PONG',
      'data: heartbeat',
      'data: keep-alive',
      'data:',
      'data: ""',
    ];
    const fields = [
      'foo: bar',
      'baz',
      'id: 1',
      'retry: x',
      'X-Trace: 1',
      ' : indented',
      '\u{feff}',
      ':',
    ];
    for (const line of [...noise, ...fields]) {
      for (const end of ['data: [DONE]', 'data: [done]', 'data:[Done]', 'data:  [DONE] ']) {
        const completion = read(
          `${line}\n\n${chunk({ content: 'a' })}${line}\n\n${stop}${line}\n\n${end}\n\n`,
        );
        assert.deepEqual([completion.text, completion.malformedEvents], ['a', 0], line);
        assert.deepEqual([completion.doneSeen, isComplete(completion)], [true, true], end);
      }
    }
  });

  it('never throws, whatever the bytes are', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((json) => new TextEncoder().encode(`data: ${json}\n\n`)),
      fc.json().map((json) => new TextEncoder().encode(`data: {"choices":[${json}]}\n\n`)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const decoder = new StreamDecoder();
        for (const bytes of pieces) decoder.feed(bytes);
        decoder.end();
        decoder.finish();
      }),
    );
  });
});
