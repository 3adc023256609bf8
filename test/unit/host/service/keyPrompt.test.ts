import assert from 'node:assert/strict';
import {
  validateBaseUrl,
  validateConsoleUrl,
  validateKey,
} from '../../../../src/host/service/keyPrompt.ts';

describe('validateBaseUrl', () => {
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['', /base URL like/],
    ['me:secret@api.example.com/v1', /Leave out the user name/],
    ['http://api.example.com/v1', /Use https/],
    ['https://api.example.com/v1?key=1', /Leave out everything after the path/],
  ];
  it('refuses others and says why', () => {
    for (const [text, sentence] of refusals) {
      const objection = validateBaseUrl(text);
      assert.equal(objection?.severity, 'error', text);
      assert.match(objection.text, sentence);
    }
  });

  it('shows how an address without a scheme is completed', () => {
    const { severity, text } = validateBaseUrl('api.example.com/v1') ?? {};
    assert.deepEqual([severity, text], ['information', 'Connects to https://api.example.com/v1']);
  });

  it('accepts http on this machine with a warning', () => {
    for (const host of ['localhost:8080', '127.0.0.1:1', '[::1]:80']) {
      assert.equal(validateBaseUrl(`http://${host}/v1`)?.severity, 'warning');
    }
  });
});

describe('validateKey', () => {
  it('accepts a key with surrounding pasted text', () => {
    for (const text of [
      ' sk-0123456789\n',
      '"sk-0123456789"',
      "'sk-0123456789',",
      '`sk-0123456789`;',
    ])
      assert.equal(validateKey(text), undefined, text);
  });

  const refusals: readonly (readonly [string, RegExp])[] = [
    ['  ', /Paste the key/],
    ['Bearer sk-0123456789', /Leave out “Bearer”/],
    ['"Bearer sk-0123456789"', /Leave out “Bearer”/],
    ['""', /Paste the key/],
    ['OPENAI_API_KEY: sk-0123456789', /can't contain spaces/],
    ['bearer', /Leave out “Bearer”/],
    ['sk-0123 456789', /can't contain spaces/],
    ['sk-0123\n456789', /can't contain spaces/],
    ['sk-0123…6789', /ASCII/],
  ];
  it('refuses others and says why', () => {
    for (const [text, sentence] of refusals) assert.match(validateKey(text)?.text ?? '', sentence);
  });
});

describe('checkKey, of another form', () => {
  it('accepts it with a note that it is unusual', () => {
    for (const key of ['another-form', 'gsk_0123456789', 'AIzaSy0123456789']) {
      assert.equal(validateKey(key)?.severity, 'information');
      assert.match(validateKey(key)?.text ?? '', /doesn't start with sk-/);
    }
  });
});

describe('validateConsoleUrl', () => {
  it('accepts only https', () => {
    assert.equal(validateConsoleUrl('https://console.example.com/'), undefined);
    for (const text of ['', 'http://console.example.com', 'javascript:alert(1)', 'https://a@b.c']) {
      assert.equal(validateConsoleUrl(text)?.severity, 'error');
    }
  });
});
