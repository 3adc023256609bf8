import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  readCopiedService,
  readPastedService,
} from '../../../../src/core/service/pastedService.ts';

const baseUrl = 'https://api.example.com/v1';
const key = 'sk-canary_0123456789-AB';

describe('a pasted service', () => {
  const texts: Readonly<Record<string, string>> = {
    'two lines of a console': `Base URL: ${baseUrl}\nKey: ${key}`,
    Python: `client = OpenAI(base_url="${baseUrl}", api_key="${key}")`,
    'environment variables': `export OPENAI_BASE_URL=${baseUrl}\nexport OPENAI_API_KEY=${key}`,
    JSON: JSON.stringify({ baseURL: baseUrl, apiKey: key }),
    'a curl command': `curl ${baseUrl}/chat/completions -H "Authorization: Bearer ${key}" -d '{}'`,
    'one line, as a box of one line makes it': `base_url ${baseUrl} ${key}`,
    'the key in front': `${key} ${baseUrl}/`,
  };
  for (const [name, text] of Object.entries(texts))
    it(`has the address and the key of ${name}`, () => {
      assert.deepEqual(readPastedService(text), { baseUrl, key });
    });

  it('has a key with another prefix if the text labels it', () => {
    const text = `base_url=${baseUrl} api_key=0123456789abcdef`;
    assert.deepEqual(readPastedService(text), { baseUrl, key: '0123456789abcdef' });
  });

  it('has no key if there is only an address', () => {
    assert.deepEqual(readPastedService(` "${baseUrl}/models" `), { baseUrl, key: undefined });
  });

  it('is undefined without an address, or with an unencrypted one', () => {
    assert.equal(readPastedService(key), undefined);
    assert.equal(readPastedService(`http://api.example.com/v1 ${key}`), undefined);
    assert.equal(readPastedService(`https://user:secret@api.example.com/v1 ${key}`), undefined);
  });

  it('has the first valid address of the text', () => {
    const text = `See https://example.com/docs?page=1#keys for ${baseUrl} and ${key}`;
    assert.deepEqual(readPastedService(text), { baseUrl, key });
  });

  it('contains only parts of the text, whatever that is', () => {
    const piece = fc.constantFrom(
      'https://',
      'a.example',
      '/v1',
      ' ',
      '"',
      'sk-',
      '0123456789',
      '\n',
      '€',
      'Bearer ',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        (text) => {
          const service = readPastedService(text);
          assert.ok(service?.key === undefined || text.includes(service.key));
        },
      ),
      { numRuns: 300, seed: 31 },
    );
  });

  it('is read in linear time', () => {
    assert.equal(readPastedService('https:'.repeat(2_000_000)), undefined);
  });
});

describe('a service in the clipboard', () => {
  it('is proposed if the text has a key, or is only the base URL of an API', () => {
    assert.deepEqual(readCopiedService(`${baseUrl}\n${key}`), { baseUrl, key });
    assert.deepEqual(readCopiedService(` ${baseUrl}/\n`), { baseUrl, key: undefined });
  });

  it('is not proposed for a web page, a text about one or a path without a version', () => {
    for (const text of [
      'https://example.com/pricing',
      `See ${baseUrl} for more.`,
      'https://a.example',
    ])
      assert.equal(readCopiedService(text), undefined, text);
  });
});
