import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ToolCallAssembler,
  type ToolCall,
} from '../../../../src/core/service/toolCallAssembler.ts';

function assemble(...fragments: readonly unknown[]): readonly ToolCall[] {
  const assembler = new ToolCallAssembler();
  for (const fragment of fragments) assembler.add(fragment);
  return assembler.finish();
}

const call = (name: string, text: unknown, more: Record<string, unknown> = {}): object => ({
  ...more,
  function: { name, arguments: text },
});

describe('ToolCallAssembler', () => {
  it('keeps the first 128 calls of a reply', () => {
    const calls = Array.from({ length: 1000 }, (_, index) =>
      call('look', '{}', { index, id: `c${index}` }),
    );
    assert.deepEqual(
      assemble(...calls).map(({ id }) => id),
      Array.from({ length: 128 }, (_, index) => `c${index}`),
    );
  });

  it('joins fragments of calls that arrive alternately', () => {
    const calls = fc.array(fc.array(fc.string(), { minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(calls, fc.infiniteStream(fc.nat()), (texts, picks) => {
        const assembler = new ToolCallAssembler();
        const pending = texts.map((fragments, index) => ({ index, fragments: [...fragments] }));
        for (const { index } of pending)
          assembler.add(call(`f${index}`, '', { index, id: `c${index}` }));
        for (
          let open = pending;
          open.length > 0;
          open = pending.filter((candidate) => candidate.fragments.length > 0)
        ) {
          const chosen = open[(picks.next().value ?? 0) % open.length];
          const text = chosen?.fragments.shift();
          if (chosen !== undefined && text !== undefined) {
            assembler.add({ index: chosen.index, function: { arguments: text } });
          }
        }
        const expected = texts.map((fragments, index) => ({
          id: `c${index}`,
          name: `f${index}`,
          arguments: fragments.join(''),
        }));
        assert.deepEqual(assembler.finish(), expected);
      }),
    );
  });

  it('treats a new id and name at the same index as a new call', () => {
    const calls = assemble(
      call('f', '{}', { index: 0, id: 'a' }),
      call('g', '[]', { index: 0, id: 'b' }),
    );
    assert.deepEqual(
      calls.map(({ id, name }) => [id, name]),
      [
        ['a', 'f'],
        ['b', 'g'],
      ],
    );
  });

  it('keeps the first id if a later fragment has another id but no name', () => {
    const later = { index: 0, id: 'other', function: { arguments: '1}' } };
    assert.deepEqual(assemble(call('f', '{"x":', { index: 0, id: 'a' }), later), [
      { id: 'a', name: 'f', arguments: '{"x":1}' },
    ]);
  });

  it('matches by id, otherwise by the previous call, if there is no index', () => {
    const calls = assemble(
      call('f', '{', { id: 'a' }),
      { function: { arguments: '}' } },
      call('g', '{', { id: 'b', index: null }),
      { id: 'a', function: { arguments: ' ' } },
    );
    assert.deepEqual(
      calls.map((call) => call.arguments),
      ['{} ', '{'],
    );
  });

  const both = [
    ['f', '{"x":1}'],
    ['g', '{"y":2}'],
  ];
  const namesAndArguments = (calls: readonly ToolCall[]): readonly (readonly string[])[] =>
    calls.map((call) => [call.name, call.arguments]);

  it('treats a name after arguments as a new call, whatever is missing or repeated', () => {
    for (const more of [{}, { id: 'a' }, { index: 0 }, { index: 0, id: 'a' }]) {
      const calls = assemble(call('f', '{"x":1}', more), call('g', '{"y":2}', more));
      assert.deepEqual(namesAndArguments(calls), both, JSON.stringify(more));
      const again = assemble(call('f', '{"x":1}', more), call('f', '{"x":2}', more));
      assert.equal(again.length, 2, JSON.stringify(more));
    }
  });

  it('treats the same name as a repetition while its arguments are incomplete', () => {
    for (const more of [{}, { id: 'a' }, { index: 0 }]) {
      const pieces = ['', '{"x"', ':{}', ',"y":1}'].map((text) => call('f', text, more));
      assert.deepEqual(
        namesAndArguments(assemble(...pieces)),
        [['f', '{"x":{},"y":1}']],
        JSON.stringify(more),
      );
    }
    const closed = assemble(call('f', '{}', { index: 0 }), call('f', '', { index: 0 }));
    assert.deepEqual(namesAndArguments(closed), [['f', '{}']]);
  });

  it('starts a call with a name alone if the call before is complete', () => {
    const fragment = { function: { arguments: '{"x":2}' } };
    assert.deepEqual(namesAndArguments(assemble(call('f', '{"x":1}'), call('f', ''), fragment)), [
      ['f', '{"x":1}'],
      ['f', '{"x":2}'],
    ]);
  });

  const twoNames = ['foo', 'bar'];
  it('separates two calls that share an index and have no ids', () => {
    for (const text of ['', null, undefined, '{}', {}]) {
      const [first, second] = twoNames.map((name) => call(name, text, { index: 0 }));
      const together = new ToolCallAssembler();
      together.addAll([first, second]);
      const known = new ToolCallAssembler(['foo', 'bar', 'foo_bar']);
      for (const fragment of [first, second]) known.add(fragment);
      for (const calls of [assemble(first, second), together.finish(), known.finish()]) {
        assert.deepEqual(
          calls.map(({ name }) => name),
          twoNames,
          JSON.stringify(text),
        );
      }
    }
    const same = new ToolCallAssembler();
    same.addAll([call('now', '', { index: 0 }), call('now', '', { index: 0 })]);
    assert.equal(same.finish().length, 2);
  });

  it('joins pieces of a name to the name of a function in the request', () => {
    const pieces = ['re', 'ad', '_file'].map((name) => call(name, '', { index: 0 }));
    const assembler = new ToolCallAssembler(['read_file', 'list_files']);
    for (const piece of pieces) assembler.add(piece);
    assert.deepEqual(namesAndArguments(assembler.finish()), [['read_file', '']]);
  });

  it('joins a name that arrives in pieces', () => {
    const pieces = [call('re', '', { index: 0, id: 'a' }), call('ad_file', null, { index: 0 })];
    assert.deepEqual(namesAndArguments(assemble(...pieces, call('', '{}', { index: 0 }))), [
      ['read_file', '{}'],
    ]);
  });

  it('reads an index that is a string', () => {
    const pieces = [call('f', '{"x"', { index: '0' }), call('g', '{"y"', { index: '1' })];
    const ends = [call('', ':1}', { index: '0' }), call('', ':2}', { index: 1 })];
    assert.deepEqual(namesAndArguments(assemble(...pieces, ...ends)), both);
  });

  it('generates an id if none was sent', () => {
    const [first, second] = assemble(call('f', '{}', { index: 0 }), call('g', '{}', { index: 1 }));
    assert.ok(first !== undefined && second !== undefined);
    assert.notEqual(first.id, '');
    assert.notEqual(first.id, second.id);
  });

  it('reads null as missing, and an object as JSON text', () => {
    assert.equal(assemble(call('f', null, { id: 'a' }))[0]?.arguments, '');
    assert.equal(assemble(call('f', { x: 1 }, { id: 'a' }))[0]?.arguments, '{"x":1}');
  });

  it("ignores values that aren't fragments", () => {
    assert.deepEqual(assemble(null, 1, 'text', []), []);
  });
});
