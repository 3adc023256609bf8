import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRedactor, redactionMark } from '../../../../src/core/support/redact.ts';

const printable = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 12, maxLength: 80 })
  .map((codes) => String.fromCharCode(...codes));
const key = printable.map((text) => `sk-${text}`);
const around = fc.string({ maxLength: 30 });

function redactorFor(...keys: string[]): ReturnType<typeof createRedactor> {
  const redactor = createRedactor();
  redactor.setKeys(keys);
  return redactor;
}

describe('redact', () => {
  it('removes keys, and prefixes of at least 12 characters, from any text', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 3 }), around, around, (keys, a, b) => {
        const redactor = redactorFor(...keys);
        for (const key of keys) {
          const text = redactor.redact(a + key + b + key.slice(0, 15) + a);
          for (const other of keys) assert.ok(!text.includes(other.slice(0, 12)));
        }
      }),
    );
  });

  it('finds base64 of a key at any alignment, in both alphabets', () => {
    fc.assert(
      fc.property(
        key,
        fc.uint8Array({ maxLength: 5 }),
        fc.uint8Array({ maxLength: 5 }),
        (k, a, b) => {
          const bytes = Buffer.concat([a, Buffer.from(k), b]);
          for (const alphabet of ['base64', 'base64url'] as const) {
            const text = redactorFor(k).redact(`<${bytes.toString(alphabet)}>`);
            assert.ok(text.includes(redactionMark));
            assert.ok(
              text.length <= redactionMark.length + '<>'.length + 2 * '12345678'.length + 4,
              text,
            );
          }
        },
      ),
    );
  });

  it('finds a key in an address and in JSON', () => {
    fc.assert(
      fc.property(key, (k) => {
        const redactor = redactorFor(k);
        assert.equal(redactor.redact(`a=${encodeURIComponent(k)}&`), `a=${redactionMark}&`);
        assert.equal(redactor.redact(JSON.stringify({ k })), JSON.stringify({ k: redactionMark }));
        const small = encodeURIComponent(k).replace(/%../g, (escape) => escape.toLowerCase());
        assert.equal(redactor.redact(`a=${small}&`), `a=${redactionMark}&`);
        const escaped = JSON.stringify({ k }).replaceAll('/', String.raw`\/`);
        assert.equal(redactor.redact(escaped), JSON.stringify({ k: redactionMark }));
      }),
    );
  });

  it('removes the longer of two keys with the same prefix completely', () => {
    const redactor = redactorFor('sk-project-one-aaaa', 'sk-project-one-bbbbbbbb');
    assert.equal(redactor.redact('x sk-project-one-bbbbbbbb y'), `x ${redactionMark} y`);
  });

  it('does not change text without a key', () => {
    fc.assert(
      fc.property(fc.string(), key, (text, k) => {
        fc.pre(!text.includes(k.slice(0, 12)));
        assert.equal(redactorFor(k).redact(text), text);
      }),
    );
    const written = 'Authorization: Bearer sk-0123456789abcdef0123';
    assert.equal(redactorFor('sk-another-key-9999').redact(written), written);
  });

  it('removes text that looks like a key from errors', () => {
    const { redactError } = createRedactor();
    assert.equal(redactError('got sk-0123456789abcdef0123.'), `got ${redactionMark}.`);
    assert.equal(redactError('Bearer abcdefgh12345'), `Bearer ${redactionMark}`);
    assert.equal(
      redactError('the bearer of news, task-0123456789abcdef01'),
      'the bearer of news, task-0123456789abcdef01',
    );
  });

  it('removes every part of a known key from errors, in any spelling', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9_-]{3}[A-Za-z0-9]{20,30}$/);
    const between = fc.constantFrom('\u200b', '\u00ad', '\u2060', '\u202e', ' ', '\n', '-', '');
    const spell = fc.constantFrom<((key: string) => string)[]>(
      (key) => key,
      (key) => key.toUpperCase(),
      (key) => key.toLowerCase(),
      (key) => Buffer.from(key).toString('hex'),
      (key) => Buffer.from(key).toString('hex').toUpperCase(),
      (key) =>
        key.replace(/[a-z]/gi, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
    );
    const around = fc.constantFrom('', 'Wrong key: ', '"', 'x=', '\u200b');
    fc.assert(
      fc.property(secret, between, spell, around, fc.nat(5), fc.nat(5), (...values) => {
        const [key, sign, write, text, first, last] = values;
        const part = Array.from(write(key.slice(first, key.length - last)));
        const error = redactorFor(key).redactError(`${text}${part.join(sign)}, and so on`);
        const letters = error.replace(redactionMark, '').replace(/[^\p{L}\p{N}]/gu, '');
        const remaining = letters.length - `${text}and so on`.replace(/[^\p{L}\p{N}]/gu, '').length;
        assert.ok(remaining <= 0, error);
      }),
    );
    const key = 'sk-proj-AbCdEf0123456789GhIj';
    for (const text of [
      key.slice(-16),
      `…${key.slice(4, 20)}…`,
      Array.from(key.slice(-16)).join('\u200b'),
    ])
      assert.equal(redactorFor(key).redactError(text).replace(/[…]/g, ''), redactionMark);
  });

  it('does not change other text of errors', () => {
    const { redactError } = redactorFor('sk-proj-AbCdEf0123456789GhIj');
    for (const text of [
      'sk-proj- is how a key begins',
      'model 0123456789 not found',
      'a b c d e f 0 1',
    ])
      assert.equal(redactError(text), text);
    assert.equal(redactorFor('________').redactError('a_b ________'), `a_b ${redactionMark}`);
  });

  it('does not treat a short placeholder as a secret', () => {
    assert.equal(redactorFor('local').redact('a local server'), 'a local server');
  });

  it('only removes the keys of the latest call of `setKeys`', () => {
    const redactor = redactorFor('sk-first-key-0000');
    redactor.setKeys(['sk-other-key-1111']);
    assert.equal(redactor.redact('sk-first-key-0000'), 'sk-first-key-0000');
  });
});
