import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parsePartialJson } from '../../../../src/core/support/json.ts';

describe('parsePartialJson', () => {
  it('reads the received part of a string, wherever it is cut', () => {
    const content = 'Zoë said: "no \\ \n 🦊 {yes}, [or] no"';
    const whole = JSON.stringify({ id: 1, list: [{ message: { role: 'x', content } }], end: true });
    const [before = ''] = whole.split('Zoë');
    for (let end = before.length; end < whole.length; end++) {
      const parsed: unknown = parsePartialJson(whole.slice(0, end));
      const [head = '', tail = ''] = JSON.stringify(parsed).split(`"content":"`);
      assert.notEqual(tail, '', whole.slice(0, end));
      const cut = /^((?:\\.|[^"\\])*)"/.exec(tail)?.[1] ?? '';
      const text = String(JSON.parse(`"${cut}"`));
      // Half of a surrogate pair at the end is dropped.
      assert.ok(content.startsWith(text), `${text} of ${head}`);
      assert.ok(content.length - text.length <= whole.length - end, 'too little is left');
    }
  });

  it("drops incomplete values, and finds nothing in text that isn't JSON", () => {
    const cases: [string, unknown][] = [
      ['{"a":1,"b":tr', { a: 1 }],
      ['{"a":[1,2', { a: [1] }],
      ['{"a":"b"', { a: 'b' }],
      ['{"a":[1,2],"b', { a: [1, 2] }],
      ['{"a":1,"b":', { a: 1 }],
      ['[{"a":1},', [{ a: 1 }]],
      ['{', {}],
      ['<html>', undefined],
      ['', undefined],
      ['}', undefined],
    ];
    for (const [text, value] of cases) assert.deepEqual(parsePartialJson(text), value, text);
  });

  it('never throws, and reads every beginning of an object or a list', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
        fc.nat(),
        (value, cut) => {
          const text = JSON.stringify(value);
          const end = 1 + (cut % text.length);
          assert.notEqual(parsePartialJson(text.slice(0, end)), undefined);
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => void parsePartialJson(text)));
  });
});
