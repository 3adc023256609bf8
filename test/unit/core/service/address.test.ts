import assert from 'node:assert/strict';
import { addressProblem, parseAddress } from '../../../../src/core/service/address.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';

describe('parseAddress', () => {
  it('takes off what people paste along', () => {
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
    ];
    for (const text of pasted) assert.deepEqual(parseAddress(text), expected, text);
  });

  it('takes plain http from this machine only', () => {
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

  it('tells what is wrong with an address', () => {
    const problems = {
      '': 'not-a-url',
      'api.test/v1': 'not-a-url',
      'ftp://api.test': 'not-a-url',
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
