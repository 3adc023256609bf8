import assert from 'node:assert/strict';
import { readErrorBody } from '../../../../src/core/service/errorBody.ts';

describe('readErrorBody', () => {
  it('finds the message in the shapes that services use', () => {
    const bodies = {
      '{"error":{"message":"No","code":"x"}}': 'No',
      '{"error":"No"}': 'No',
      '{"message":"No"}': 'No',
      '{"detail":"No"}': 'No',
      '{"detail":[{"loc":["body"],"msg":"No"}]}': 'No',
      '{"errors":[{"message":"No"}]}': 'No',
      '{"error":{"error":{"message":"No"}}}': 'No',
      '[{"error":{"message":"No"}}]': 'No',
      '<html><head><title>502 Bad\nGateway</title></head></html>': '502 Bad Gateway',
      'plain words': 'plain words',
      '': '',
    };
    for (const [body, message] of Object.entries(bodies)) {
      assert.equal(readErrorBody(body).message, message, body);
    }
  });

  it('quotes no more than fits a message, on one line', () => {
    const { message } = readErrorBody(`a\u0007\u202eb\n\n${'x'.repeat(1000)}`);
    assert.ok(message.startsWith('a b xxx'));
    assert.equal(message.length, 301);
  });
});
