import assert from 'node:assert/strict';
import fc from 'fast-check';
import { usageCsv } from '../../../../src/host/usage/usageCsv.ts';
import type { StoredUsage } from '../../../../src/host/usage/usageRecord.ts';
import { noon, usageOf, usedRecord } from './usageRig.ts';

/** Parses CSV as in RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, field = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy)) {
    rows.at(-1)?.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}

const foreign = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.stringMatching(/^[ \t\r\n]{0,3}[=+\-@|%＝＋－＠"',;]{1,3}[A-Z(),"';!\r\n]{0,9}$/),
);

function request(more: Partial<StoredUsage>): StoredUsage {
  return { ...usedRecord('i'), ...more };
}

describe('the usage as CSV', () => {
  it('has each field unchanged, and none that a spreadsheet runs', () => {
    fc.assert(
      fc.property(foreign, foreign, (model, workspace) => {
        const [heading, row = [], ...others] = parse(
          usageCsv([request({ model, workspace }), request({})]),
        );
        assert.equal(others.length, 1);
        for (const { length } of [row, ...others]) assert.equal(length, heading?.length);
        for (const [field = '', text] of [
          [row[3], model],
          [row[4], workspace],
        ] as const) {
          assert.ok(field === text || field === `'${text}`);
          assert.doesNotMatch(field, /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('quotes a semicolon, at which spreadsheets in many languages split', () => {
    assert.match(usageCsv([request({ model: 'a;b' })]), /,"a;b",/);
  });

  it('has a line for each request, with its price at the time', () => {
    const price = { input: 1, output: 2, cachedInput: 0.5, currency: '€' };
    const usage = usageOf(1000, 500, { cached_tokens: 400, reasoning_tokens: 100 });
    const purpose = 'provider:a.b';
    const record = request({ price, usage, purpose, outcome: 'cut', duration: 1200 });
    assert.deepEqual(usageCsv([record]).split('\r\n'), [
      '\ufefftime,day,service,model,workspace,chat,turn,purpose,prompt_tokens,cached_tokens,' +
        'cache_write_tokens,completion_tokens,reasoning_tokens,retried_tokens,total_tokens,requests,' +
        'estimated,input_price_per_million,cached_input_price_per_million,output_price_per_million,' +
        'currency,cost,billed_usd,duration_ms,outcome,tokens_over_reserve,demo',
      `${new Date(noon).toISOString()},2030-01-31,s,m,w,c,,provider:a.b,1000,400,` +
        '0,500,100,0,1500,1,false,1,0.5,2,€,0.0018,,1200,cut,,false',
      '',
    ]);
  });
});
