import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countTokens, splitTokens } from '../../../src/local/completionsEndpoint.ts';
import { createService } from '../../../src/local/service.ts';
import { imageBytes, urlOf } from '../../support/images.ts';
import { complete, post } from './serviceRequests.ts';

describe('tokens', () => {
  it('can be joined to the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(splitTokens(text).join(''), text);
      }),
    );
  });

  it('are empty for an empty text, and at most one for each character', () => {
    assert.equal(countTokens(''), 0);
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const count = countTokens(text);
        assert.ok(count >= 1 && count <= text.length);
      }),
    );
  });

  it('have about four characters in English text and in code', () => {
    const texts = [
      'The service accepts a list of conversation messages and returns the reply of the model.',
      'export function add(first: number, second: number): number {\n  return first + second;\n}\n',
    ];
    for (const text of texts) {
      const ratio = text.length / countTokens(text);
      assert.ok(ratio > 3 && ratio < 5, `${ratio} characters a token`);
    }
  });
});

const model = 'mistral/mistral-large';
const png = urlOf({ type: 'image/png' }, imageBytes.png(1500, 1000));
const jpeg = urlOf({ type: 'image/jpeg' }, imageBytes.jpeg(40, 30));

function bodyWith(...urls: readonly unknown[]): object {
  const images = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  const content = [...images, { type: 'text', text: 'What is this?' }];
  return { model, messages: [{ role: 'user', content }] };
}

describe('images of the local service', () => {
  it('are named in the reply, and count by their pixels', async () => {
    const { content, usage } = await complete(createService({ pace: 0 }), bodyWith(png, jpeg));
    assert.match(content, /I see 2 images:\n\n- PNG, 1500 × 1000 pixels\n- JPEG, 40 × 30 pixels/);
    assert.equal(usage?.prompt_tokens, 4 + countTokens('What is this?') + 1600 + 85);
  });

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['an address that it would have to load', bodyWith('https://a.test/x.png'), /as a data URL/],
    ['another format', bodyWith('data:image/svg+xml;base64,PHN2Zy8+'), /as a data URL/],
    ['what is no image', bodyWith(`data:image/png;base64,${btoa('no image')}`), /as a data URL/],
    ['no address', bodyWith(7), /Invalid/],
    [
      'a model that takes none',
      { ...bodyWith(png), model: 'meta/llama-70b' },
      /not support images/,
    ],
  ];
  for (const [name, body, message] of refused)
    it(`are refused: ${name}`, async () => {
      const response = await post(createService({ pace: 0 }), body);
      assert.equal(response.status, 400);
      assert.match(await response.text(), message);
    });
});
