import fc from 'fast-check';
import assert from 'node:assert/strict';
import {
  base64Of,
  bytesOfBase64,
  imageTokens,
  outlineUrl,
  readImageHeader,
  readImageUrl,
} from '../../../../src/core/support/image.ts';
import { imageBytes, urlOf } from '../../../support/images.ts';
import { runs } from '../../../support/sample.ts';

const side = fc.integer({ min: 1, max: 8_000 });
const formats = [
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['lossyWebp', 'image/webp'],
  ['losslessWebp', 'image/webp'],
  ['extendedWebp', 'image/webp'],
  ['jpeg', 'image/jpeg'],
] as const;

describe('readImageHeader', () => {
  for (const [name, type] of formats)
    it(`reads format and size of ${name}`, () => {
      fc.assert(
        fc.property(side, side, (width, height) => {
          const expected = { type, width, height };
          const bytes = imageBytes[name](width, height);
          assert.deepEqual(readImageHeader(bytes), expected);
          assert.deepEqual(readImageUrl(urlOf({ type }, bytes)), expected);
        }),
        { numRuns: runs(100) },
      );
    });

  for (const [name] of formats)
    it(`rejects ${name} that ends within its header, or has no pixels`, () => {
      const bytes = imageBytes[name](300, 200);
      for (let length = 0; length < bytes.length; length += 1) {
        const header = readImageHeader(bytes.subarray(0, length));
        // Some headers have more fields after the size.
        assert.ok(header === undefined || (header.width === 300 && header.height === 200), name);
      }
      assert.equal(readImageHeader(bytes.subarray(0, 9)), undefined);
      if (!name.endsWith('sWebp') && name !== 'extendedWebp')
        assert.equal(readImageHeader(imageBytes[name](0, 200)), undefined);
    });

  it('rejects images with more pixels than can be drawn, whatever their sides are', () => {
    const large = fc
      .tuple(fc.integer({ min: 3_907, max: 16_383 }), fc.integer({ min: 3_907, max: 16_383 }))
      .filter(([width, height]) => width * height > 64_000_000);
    fc.assert(
      fc.property(fc.constantFrom(...formats), large, ([name, type], [width, height]) => {
        const bytes = imageBytes[name](width, height);
        assert.equal(readImageHeader(bytes), undefined);
        assert.equal(readImageUrl(urlOf({ type }, bytes)), undefined);
      }),
      { numRuns: runs(100) },
    );
    assert.equal(readImageHeader(imageBytes.png(20_000, 20_000)), undefined);
    assert.equal(readImageHeader(imageBytes.png(100_000, 640))?.width, 100_000);
  });

  it('reads the size of a photo after long metadata, from the beginning of its data URL', () => {
    const bytes = imageBytes.jpeg(4032, 3024, 65_000);
    assert.deepEqual(readImageUrl(urlOf({ type: 'image/jpeg' }, bytes)), {
      type: 'image/jpeg',
      width: 4032,
      height: 3024,
    });
  });

  it('never throws and never hangs, whatever the bytes are', () => {
    const start = fc.constantFrom<readonly number[]>(
      [],
      [0xff, 0xd8],
      [0xff, 0xd8, 0xff, 0xe0, 0, 0],
      ...formats.map(([name]) => [...imageBytes[name](1, 1)].slice(0, 20)),
    );
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (head, body) => {
        const header = readImageHeader(Uint8Array.from([...head, ...body]));
        assert.ok(header === undefined || (header.width >= 1 && header.width <= 100_000));
      }),
      { numRuns: runs(500) },
    );
  });

  it('refuses data URLs with a wrong type or invalid data, and other addresses', () => {
    const png = base64Of(imageBytes.png(10, 10));
    const addresses = [
      `data:image/jpeg;base64,${png}`,
      `data:text/html;base64,${png}`,
      `https://evil.test/a.png`,
      'data:image/png;base64,!!!!',
      `data:image/svg+xml;base64,${btoa('<svg width="1" height="1"/>')}`,
      '',
    ];
    for (const address of addresses) assert.equal(readImageUrl(address), undefined, address);
  });
});

describe('an image', () => {
  it('has tokens by its scaled pixels, within limits', () => {
    const table = [
      [1, 1, 85],
      [200, 200, 85],
      [750, 100, 100],
      [1000, 1000, 1334],
      [1568, 784, 1600],
      [10_000, 10_000, 1600],
      [3136, 300, 314],
    ] as const;
    for (const [width, height, tokens] of table)
      assert.equal(imageTokens({ width, height }), tokens, `${width} × ${height}`);
  });

  it('has as many tokens as its placeholder', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const image = readImageUrl(outlineUrl({ width, height }));
        assert.ok(image);
        assert.equal(imageTokens(image), imageTokens({ width, height }));
      }),
      { numRuns: runs(100) },
    );
  });

  it('has the same bytes after encoding as base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const whole = Uint8Array.from([...bytes, ...new Uint8Array(40_000), ...bytes]);
        assert.deepEqual(bytesOfBase64(base64Of(whole)), whole);
      }),
      { numRuns: runs(20) },
    );
  });
});
