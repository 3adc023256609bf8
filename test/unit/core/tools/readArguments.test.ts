import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readArguments } from '../../../../src/core/tools/toolbox.ts';
import { knownToolName } from '../../../../src/core/support/toolName.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    start: { type: 'number' },
    regex: { type: 'boolean' },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: { search: { type: 'string' }, replace: { type: 'string' } },
        required: ['search', 'replace'],
      },
    },
  },
  required: ['path'],
};
const edit = { search: 'a', replace: 'b' };

describe('the arguments of a call', () => {
  for (const [what, json, expected] of [
    ['no text', '', {}],
    ['null for an optional field', '{"path":"a","start":null}', { path: 'a' }],
    ['null for a required field', '{"path":null}', { path: null }],
    ['numbers as text', '{"path":"a","start":"10"}', { path: 'a', start: 10 }],
    ['text that is no number', '{"path":"a","start":"ten"}', { path: 'a', start: 'ten' }],
    ['booleans as text', '{"path":"a","regex":"true"}', { path: 'a', regex: true }],
    ['a number where a text is wanted', '{"path":7}', { path: '7' }],
    [
      'a list as text',
      `{"path":"a","edits":${JSON.stringify(JSON.stringify([edit]))}}`,
      { path: 'a', edits: [edit] },
    ],
    [
      'an object for a list of one',
      `{"path":"a","edits":${JSON.stringify(edit)}}`,
      { path: 'a', edits: [edit] },
    ],
    [
      'an object as text for a list of one',
      `{"path":"a","edits":${JSON.stringify(JSON.stringify(edit))}}`,
      { path: 'a', edits: [edit] },
    ],
    ['all of it as text', JSON.stringify('{"path":"a"}'), { path: 'a' }],
    ['line breaks in a text', '{"path":"a\n\tb"}', { path: 'a\n\tb' }],
    ['unknown fields', '{"path":"a","other":null}', { path: 'a', other: null }],
    ['text that looks like JSON where text is wanted', '{"path":"{}"}', { path: '{}' }],
    ['a list', '[1]', undefined],
    ['no JSON', '{"path":', undefined],
  ] as const) {
    it(`are read: ${what}`, () => assert.deepEqual(readArguments(json, schema), expected));
  }

  it('stay as they are if they are right', () => {
    const right = fc.record(
      {
        path: fc.string(),
        start: fc.integer(),
        regex: fc.boolean(),
        edits: fc.array(
          fc.record({ search: fc.string(), replace: fc.string() }, { noNullPrototype: true }),
        ),
      },
      { requiredKeys: ['path'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(right, (value) => {
        assert.deepEqual(readArguments(JSON.stringify(value), schema), value);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe('the name of a called tool', () => {
  it('is known with what models write around it', () => {
    const names = ['read_file', 'tools.own'];
    for (const written of [
      'read_file',
      'functions.read_file',
      'functions.read_file:0',
      'default_api.read_file',
      'read_file<|channel|>commentary',
      ' read_file ',
    ])
      assert.equal(knownToolName(written, names), 'read_file', written);
    assert.equal(knownToolName('tools.own', names), 'tools.own');
    for (const other of ['write_file', 'read_file_now', 'my.read_file', ''])
      assert.equal(knownToolName(other, names), other);
  });
});
