import assert from 'node:assert/strict';
import {
  addressProblem,
  completeAddress,
  parseAddress,
  withVersion,
} from '../../../../src/core/service/address.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';

describe('parseAddress', () => {
  it('removes characters around a pasted address', () => {
    const expected = {
      baseUrl: 'https://api.test/v1',
      origin: 'https://api.test',
      host: 'api.test',
    };
    const pasted = [
      'https://api.test/v1',
      ' https://api.test/v1/ ',
      'https://api.test/v1/chat/completions',
      'https://api.test/v1/chat/completions/',
      'https://api.test/v1/models',
      'HTTPS://API.test:443/v1//',
      '"https://api.test/v1",',
      "'https://api.test/v1/'",
      '`https://api.test/v1`;',
      '<https://api.test/v1>',
      '“https://api.test/v1”\n',
      '\u200bhttps://api.test/v1\ufeff',
      'https://api.test/v1?',
      'https://api.test/v1/#',
      'https://api.test/v1/completions',
      'https://api.test/v1/responses/',
      'https://api.test/v1/embeddings',
      'https://api.test/v1/Chat/Completions',
    ];
    for (const text of pasted) assert.deepEqual(parseAddress(text), expected, text);
  });

  it('accepts plain http only for this machine', () => {
    for (const host of ['localhost', '127.0.0.1:8080', '127.9.9.9', '[::1]:1']) {
      assert.equal(addressProblem(`http://${host}/v1`), undefined, host);
    }
    for (const host of [
      'api.test',
      '127.0.0.1.evil.test',
      'localhost.evil.test',
      'app.localhost',
      '0.0.0.0',
      '10.0.0.1',
    ]) {
      assert.equal(addressProblem(`http://${host}/v1`), 'insecure', host);
    }
  });

  it('reports the problem of an address', () => {
    const problems = {
      '': 'not-a-url',
      'api.test/v1': 'not-a-url',
      'ftp://api.test': 'not-a-url',
      'https://https://api.test/v1': 'not-a-url',
      'https://http://api.test/v1': 'not-a-url',
      'https//api.test': 'not-a-url',
      'https://api. test/v1': 'not-a-url',
      'https://api.test:99999/v1': 'not-a-url',
      'http://[::ffff:127.0.0.1]/v1': 'insecure',
      'http://127.0.0.1.nip.test': 'insecure',
      '"https://me@api.test"': 'credentials',
      'javascript:alert(1)': 'not-a-url',
      'https://me:secret@api.test/v1': 'credentials',
      'https://api.test/v1?key=1': 'query',
      'https://api.test/v1#x': 'query',
    };
    for (const [text, problem] of Object.entries(problems)) {
      assert.equal(addressProblem(text), problem, text);
      assert.throws(() => parseAddress(text), ServiceError);
    }
  });
});

describe('completeAddress', () => {
  const completed: readonly (readonly [string, string])[] = [
    ['api.example.com/v1', 'https://api.example.com/v1'],
    [' api.example.com ', 'https://api.example.com'],
    ['API.example.com:8443/x/v1', 'https://API.example.com:8443/x/v1'],
    ['10.0.0.1/v1', 'https://10.0.0.1/v1'],
    ['gpu:8000/v1', 'https://gpu:8000/v1'],
    ['localhost/v1', 'http://localhost/v1'],
    ['LOCALHOST', 'http://LOCALHOST'],
    ['localhost:11434/v1', 'http://localhost:11434/v1'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
    ['"localhost:1234/v1"', 'http://localhost:1234/v1'],
    ['[2001:db8::1]:8443/v1', 'https://[2001:db8::1]:8443/v1'],
    ['`api.example.com/v1`,', 'https://api.example.com/v1'],
    ['localhost.evil.test/v1', 'https://localhost.evil.test/v1'],
    ['127.0.0.1.evil.test/v1', 'https://127.0.0.1.evil.test/v1'],
  ];
  for (const [typed, address] of completed) {
    it(`completes ${typed} to ${address}`, () => {
      assert.equal(completeAddress(typed), address);
      assert.equal(addressProblem(address), undefined);
      assert.equal(completeAddress(address), address);
    });
  }

  const models = [
    '',
    'service',
    'sk-0123',
    'ftp://a.test',
    'https://a.test/v1',
    'http://a.test/v1',
    'https:a.test/v1',
  ];
  for (const typed of models) {
    it(`does not change “${typed}”`, () => assert.equal(completeAddress(typed), typed));
  }

  it("does not complete text with a user name, or that isn't an address", () => {
    for (const typed of [
      'me:secret@api.test/v1',
      'me@api.test',
      'javascript:alert(1)',
      'a b.test',
      '/v1.0',
    ])
      assert.notEqual(addressProblem(completeAddress(typed)), undefined, typed);
  });
});

describe('withVersion', () => {
  it('adds a missing version', () => {
    const versions: Readonly<Record<string, string | undefined>> = {
      'https://api.test': 'https://api.test/v1',
      'https://api.test/openai': 'https://api.test/openai/v1',
      'https://api.test/v1': undefined,
      'https://api.test/api/v1beta': undefined,
      'https://api.test/v2/x': 'https://api.test/v2/x/v1',
    };
    for (const [typed, expected] of Object.entries(versions))
      assert.equal(withVersion(parseAddress(typed))?.baseUrl, expected);
  });
});
