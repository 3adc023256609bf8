import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { sniffContent } from '../../../../src/core/workspace/fileText.ts';

const seed = Number(process.env['SEED'] ?? 7);
const words = 'Grüße, 東京\n';
const utf8 = new TextEncoder().encode(words);
const utf16 = new Uint8Array(Buffer.from('const a = 1;\n', 'utf16le'));

function swapped(bytes: Uint8Array): Uint8Array {
  return bytes.map((_, index) => bytes[index % 2 === 0 ? index + 1 : index - 1] ?? 0);
}

describe('sniffContent', () => {
  it('detects UTF-8, with and without a mark', () => {
    assert.equal(sniffContent(utf8), 'utf-8');
    assert.equal(sniffContent(Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8)), 'utf-8');
    assert.equal(sniffContent(new Uint8Array()), 'utf-8');
  });

  it('detects UTF-16 as text, with and without a mark', () => {
    assert.equal(sniffContent(Uint8Array.of(0xff, 0xfe, ...utf16)), 'other-text');
    assert.equal(sniffContent(Uint8Array.of(0xfe, 0xff, ...swapped(utf16))), 'other-text');
    assert.equal(sniffContent(utf16), 'other-text');
    assert.equal(sniffContent(swapped(utf16)), 'other-text');
  });

  it('detects Latin-1 as text', () => {
    assert.equal(
      sniffContent(new Uint8Array(Buffer.from('Grüße, Ångström\n', 'latin1'))),
      'other-text',
    );
  });

  it('detects content with a NUL, or with many control characters, as binary', () => {
    assert.equal(sniffContent(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2)), 'binary');
    assert.equal(sniffContent(new Uint8Array(1000)), 'binary');
    assert.equal(sniffContent(Uint8Array.of(0, 1, 2, 3, 0, 5)), 'binary');
    assert.equal(sniffContent(Uint8Array.of(0, 1, 0, 2, 0, 3, 0, 4)), 'binary');
    const random = Array.from({ length: 9000 }, (_, index) => String(Math.sin(index)));
    assert.equal(sniffContent(deflateSync(random.join())), 'binary');
  });

  it('detects every UTF-8 text', () => {
    const text = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(text, (text) => {
        assert.equal(sniffContent(new TextEncoder().encode(text)), 'utf-8');
      }),
      { seed },
    );
  });
});
