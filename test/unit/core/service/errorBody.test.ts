import assert from 'node:assert/strict';
import fc from 'fast-check';
import { errorShapes, readErrorBody } from '../../../../src/core/service/errorBody.ts';
import { runs } from '../../../support/sample.ts';

/** Nested objects with the value at a dotted path. */
function nestedAt(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function held(path: string, holds: string, words: string): unknown {
  if (holds === 'words') return nestedAt(path, words);
  return nestedAt(path, holds === 'report' ? { message: words } : { name: [words] });
}

describe('readErrorBody', () => {
  for (const [path, holds] of errorShapes) {
    it(`finds ${holds} in ${path}, in a list, and as JSON in a string`, () => {
      const value = held(path, holds, 'No way');
      const forms = [
        value,
        [value],
        { error: value },
        { errors: [value] },
        { message: JSON.stringify(value) },
        { error: { message: JSON.stringify(JSON.stringify(value)) } },
        { message: 'Provider returned error', metadata: { raw: JSON.stringify(value) } },
      ];
      for (const form of forms) {
        assert.equal(readErrorBody(JSON.stringify(form)).message, 'No way', JSON.stringify(form));
      }
    });
  }

  it('finds the message in the shapes that services use', () => {
    const bodies = {
      '{"error":{"message":"No","code":"x"}}': 'No',
      '{"detail":[{"loc":["body"],"msg":"No"}]}': 'No',
      '{"errors":[{"message":"No"}]}': 'No',
      '{"errors":{"model":["No"]}}': 'No',
      '{"statusCode":429,"error":"Too Many Requests","message":"No"}': 'No',
      '{"error":"invalid_grant","error_description":"No"}': 'No',
      '{"Response":{"Error":{"Code":"Denied","Message":"No"}}}': 'No',
      '{"fault":{"faultstring":"No","detail":{"errorcode":"x"}}}': 'No',
      '{"title":"Bad Request","status":400,"detail":"No"}': 'No',
      '{"success":false,"errors":[{"code":10000,"message":"No"}],"messages":[]}': 'No',
      '"No"': 'No',
      'data: {"error":{"message":"No"}}\n\ndata: [DONE]\n\n': 'No',
      'event: error\ndata: {"message":"No"}\n\n': 'No',
      '{"error":{"message":"No"}}\n{"done":true}': 'No',
      '<html><head><title>502 Bad\nGateway</title></head></html>': '502 Bad Gateway',
      '<HTML><TITLE lang="en">No</TITLE>': 'No',
      '<?xml version="1.0"?><Error><Code>x</Code><Message>No</Message></Error>': 'No',
      '<!doctype html><p>nothing that a person needs': '',
      'plain words': 'plain words',
      '': '',
      ' \n': '',
    };
    for (const [body, message] of Object.entries(bodies)) {
      assert.equal(readErrorBody(body).message, message, body);
    }
  });

  it("prefers a provider's message to the gateway's", () => {
    const raws = ['{"error":{"message":"Full"}}', '{"detail":"Full"}', 'Full', { message: 'Full' }];
    for (const raw of raws) {
      const error = { message: 'Provider returned error', code: 502, metadata: { raw } };
      const errorBody = readErrorBody(JSON.stringify({ error }));
      assert.deepEqual([errorBody.message, errorBody.code], ['Full', 502]);
    }
    const page = { message: 'Upstream failed', metadata: { raw: '', provider_name: 'x' } };
    assert.equal(readErrorBody(JSON.stringify({ error: page })).message, 'Upstream failed');
  });

  it('finds the code next to the message, or around it', () => {
    const codes: Readonly<Record<string, unknown>> = {
      '{"error":{"message":"No","code":"x"}}': 'x',
      '{"error":"No","code":7}': 7,
      '{"code":7,"error":{"message":"No","code":"x"}}': 'x',
      '{"error_code":17,"error_msg":"No"}': 17,
      '{"statusCode":429,"message":"No"}': 429,
      '{"message":"No","code":null}': undefined,
    };
    for (const [body, code] of Object.entries(codes)) {
      assert.equal(readErrorBody(body).code, code, body);
    }
  });

  it('keeps the text of a truncated body', () => {
    const body = '{"id":1,"error":{"message":"The wallet is empty","code":"x"}}';
    const start = body.indexOf('The wallet') + 'The'.length;
    for (let end = start; end <= body.length; end += 1) {
      assert.match(readErrorBody(body.slice(0, end)).message, /^The( w| |$)/, body.slice(0, end));
    }
  });

  it('distinguishes a page from text', () => {
    assert.equal(readErrorBody('<html><title>Not Found</title>').isPage, true);
    assert.equal(readErrorBody('Not Found').isPage, false);
    const numbered = '<400> InternalError.Algo: No';
    assert.equal(readErrorBody(JSON.stringify({ message: numbered })).message, numbered);
    assert.equal(readErrorBody('{"error":"<b>Not Found</b>"}').isPage, true);
  });

  it('quotes a limited text, on one line, without splitting characters', () => {
    const { message } = readErrorBody(`a\u0007\u202eb\n\n${'x'.repeat(1000)}`);
    assert.ok(message.startsWith('a b xxx'));
    assert.equal(message.length, 301);
    for (const sign of ['🦊', '👍🏽', '🇩🇪', 'e\u0301', '3\ufe0f\u20e3']) {
      for (let before = 295; before <= 301; before += 1) {
        const text = readErrorBody('x'.repeat(before) + sign.repeat(9)).message;
        const visible = text.slice(before, -1);
        assert.equal(visible, sign.repeat(visible.length / sign.length), `${before} ${sign}`);
        assert.ok(text.length <= 301);
      }
    }
  });

  it('never throws, and always quotes something unless the body is blank', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        assert.equal(typeof readErrorBody(body).message, 'string');
      }),
    );
  });

  const megabyte = runs(1024 * 1024);
  const long: Readonly<Record<string, string>> = {
    'titles that never end': '<title'.repeat(3 * megabyte),
    'titles that are never closed': '<title>'.repeat(2 * megabyte),
    blanks: ' '.repeat(16 * megabyte),
    'blanks in a title': `<title>${' '.repeat(16 * megabyte)}`,
    'control characters': '\u0001'.repeat(4 * megabyte),
    'open brackets': '['.repeat(8 * megabyte),
    'open objects': '{"error":'.repeat(megabyte),
    'nested lists': '['.repeat(megabyte) + ']'.repeat(megabyte),
    'nested reports': `${'{"error":'.repeat(100_000)}"No"${'}'.repeat(100_000)}`,
    backslashes: `{"error":"${'\\'.repeat(8 * megabyte)}`,
    events: 'data:'.repeat(3 * megabyte),
    'lines of events': 'data: x\n'.repeat(2 * megabyte),
    quotes: '"'.repeat(8 * megabyte),
    entries: `[${'{},'.repeat(megabyte)}{}]`,
  };
  for (const [name, body] of Object.entries(long)) {
    it(`terminates for a body of ${name}`, () => {
      assert.ok(readErrorBody(body).message.length <= 301);
    });
  }
});
