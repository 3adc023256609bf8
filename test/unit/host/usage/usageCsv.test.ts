import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvHeading, csvLines } from '../../../../src/host/usage/usageCsv.ts';
import type { StoredUsage } from '../../../../src/host/usage/usageRecord.ts';
import { noon, usageOf } from './usageRig.ts';

/** Parses CSV as in RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  let field = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[index + 1] === '"') field += text[++index] ?? '';
      else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ',' || text.startsWith('\r\n', index)) {
      rows.at(-1)?.push(field);
      field = '';
      if (character === '\r') {
        rows.push([]);
        index++;
      }
    } else field += character;
  }
  assert.ok(!isQuoted && field === '');
  return rows.slice(0, -1);
}

const foreign = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.stringMatching(/^[ \t\r\n]{0,3}[=+\-@|%＝＋－＠"',;]{1,3}[A-Z(),"';!\r\n]{0,9}$/),
);

function request(more: Partial<StoredUsage>): StoredUsage {
  return {
    id: 'i',
    state: 'used',
    at: noon,
    day: '2030-01-31',
    service: 's',
    model: 'm',
    workspace: 'w',
    chat: 'c',
    purpose: 'chat',
    usage: usageOf(10, 5),
    demo: false,
    reserve: { prompt: 0, reply: 0 },
    ...more,
  };
}

describe('the usage as CSV', () => {
  it('has each field unchanged, and none that a spreadsheet runs', () => {
    fc.assert(
      fc.property(foreign, foreign, (model, workspace) => {
        const text = csvLines([request({ model, workspace }), request({})]);
        const rows = parse(text);
        assert.equal(rows.length, 2);
        for (const row of rows) assert.equal(row.length, parse(csvHeading())[0]?.length);
        for (const [column, text] of [
          [3, model],
          [4, workspace],
        ] as const) {
          const field = rows[0]?.[column] ?? '';
          assert.ok(field === text || field === `'${text}`);
          assert.doesNotMatch(field, /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('quotes a semicolon, at which spreadsheets in many languages split', () => {
    assert.match(csvLines([request({ model: 'a;b' })]), /,"a;b",/);
  });

  it('has a line for each request, with its price at the time', () => {
    const price = { input: 1, output: 2, cachedInput: 0.5, currency: '€' };
    const usage = usageOf(1000, 500, { cached_tokens: 400, reasoning_tokens: 100 });
    const record = request({
      price,
      usage,
      purpose: 'provider:a.b',
      outcome: 'cut',
      duration: 1200,
    });
    const [names = [], values = []] = parse(csvHeading() + csvLines([record]));
    const row = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    assert.deepEqual(row, {
      '\ufefftime': new Date(noon).toISOString(),
      day: '2030-01-31',
      service: 's',
      model: 'm',
      workspace: 'w',
      chat: 'c',
      purpose: 'provider:a.b',
      prompt_tokens: '1000',
      cache_write_tokens: '0',
      billed_usd: '',
      retried_tokens: '0',
      turn: '',
      cached_tokens: '400',
      completion_tokens: '500',
      reasoning_tokens: '100',
      total_tokens: '1500',
      requests: '1',
      estimated: 'false',
      input_price_per_million: '1',
      cached_input_price_per_million: '0.5',
      output_price_per_million: '2',
      currency: '€',
      cost: '0.0018',
      duration_ms: '1200',
      outcome: 'cut',
      tokens_over_reserve: '',
      demo: 'false',
    });
  });
});
