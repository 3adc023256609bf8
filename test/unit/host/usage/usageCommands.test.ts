import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import { deleteUsage, exportUsage, usageCsv } from '../../../../src/host/usage/usageCommands.ts';
import type { UsageRecord } from '../../../../src/host/usage/usageRecord.ts';
import {
  fillMonths,
  ledgerOf,
  line,
  MemoryLog,
  noon,
  today,
  usageOf,
  usedRecord,
} from './usageRig.ts';
import fc from 'fast-check';

/** What the person is told and offered, and a person who gives these answers. */
function dialogsOf(answers: { month?: string; isSure?: boolean } = {}) {
  const said: string[] = [];
  const dialogs = dialogsWith({
    pick: (choices) => {
      said.push(...choices.map(({ label, description }) => `${label}: ${description}`));
      return Promise.resolve(choices.find(({ label }) => label === answers.month)?.value);
    },
    confirm: (message) => {
      said.push(message);
      return Promise.resolve(answers.isSure ?? true);
    },
    showInformation: (message) => said.push(message),
  });
  return { said, dialogs };
}

describe('aside.deleteUsage', () => {
  it('offers months, asks for confirmation, and deletes everything before', async () => {
    const log = new MemoryLog();
    fillMonths(log, 3, 1);
    const { said, dialogs } = dialogsOf({ month: 'December 2029' });
    await deleteUsage(ledgerOf(log).log, dialogs);
    assert.deepEqual(said, [
      'January 2030: deletes 2 months',
      'December 2029: deletes 1 month',
      'Delete the token usage from before December 2029?',
      'The token usage from before December 2029 was deleted.',
    ]);
    assert.deepEqual([...log.files.keys()].toSorted(), ['2029-12.jsonl', '2030-01.jsonl']);
  });

  it('deletes nothing if the person cancels, and reports if there is nothing', async () => {
    const log = new MemoryLog();
    fillMonths(log, 3, 1);
    await deleteUsage(ledgerOf(log).log, dialogsOf().dialogs);
    await deleteUsage(
      ledgerOf(log).log,
      dialogsOf({ month: 'January 2030', isSure: false }).dialogs,
    );
    assert.equal(log.files.size, 3);
    const { said, dialogs } = dialogsOf();
    await deleteUsage(ledgerOf(new MemoryLog()).log, dialogs);
    assert.deepEqual(said, ['There is no token usage from before this month to delete.']);
  });
});

describe('aside.exportUsage', () => {
  it('asks for no file if there is nothing to export', async () => {
    const { said, dialogs } = dialogsOf();
    await exportUsage(ledgerOf(new MemoryLog()).log, dialogs, () => assert.fail());
    assert.deepEqual(said, ['There is no token usage to export yet.']);
  });

  it('writes all requests, or those of the visible range', async () => {
    const log = new MemoryLog();
    fillMonths(log, 14, 1);
    log.add('2030-01.jsonl', line('new', today, { model: '=1+1' }));
    for (const [range, count] of [
      [undefined, 15],
      ['all', 15],
      ['anything', 15],
      ['12months', 13],
      ['7days', 1],
    ] as const) {
      const { said, dialogs } = dialogsOf();
      let text = '';
      const save = async (name: string, read: () => Promise<string>): Promise<string> => {
        text = await read();
        return `/${name}`;
      };
      await exportUsage(ledgerOf(log).log, dialogs, save, range);
      assert.equal(text.trimEnd().split('\r\n').length, count + 1, range);
      assert.ok(text.includes(",'=1+1,"));
      assert.deepEqual(said, ['The token usage was exported to /token-usage-2030-01-31.csv.']);
    }
  });
});

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

const request = (more: Partial<UsageRecord>): UsageRecord => usedRecord('i', more);

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

  it('has a line for each request, with its price at the time, and quotes semicolons', () => {
    const price = { input: 1, output: 2, cachedInput: 0.5, currency: '€' };
    const usage = usageOf(1000, 500, { cached_tokens: 400, reasoning_tokens: 100 });
    const purpose = 'provider:a.b';
    const model = 'a;b';
    const record = request({ model, price, usage, purpose, outcome: 'cut', duration: 1200 });
    assert.deepEqual(usageCsv([record]).split('\r\n'), [
      '\ufefftime,day,service,model,workspace,chat,turn,purpose,prompt_tokens,cached_tokens,' +
        'cache_write_tokens,completion_tokens,reasoning_tokens,retried_tokens,total_tokens,requests,' +
        'estimated,input_price_per_million,cached_input_price_per_million,output_price_per_million,' +
        'currency,cost,billed_usd,duration_ms,outcome,tokens_over_reserve,demo',
      `${new Date(noon).toISOString()},2030-01-31,s,"a;b",w,c,,provider:a.b,1000,400,` +
        '0,500,100,0,1500,1,false,1,0.5,2,€,0.0018,,1200,cut,,false',
      '',
    ]);
  });
});
