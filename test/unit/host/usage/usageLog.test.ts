import assert from 'node:assert/strict';
import { daysLater } from '../../../../src/host/usage/usageRecord.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { fillMonths, ledgerOf, line, MemoryLog, today } from './usageRig.ts';

describe('the log of all months', () => {
  it('deletes whole months, except those that may count in a budget', async () => {
    const log = new MemoryLog();
    fillMonths(log, 4, 2);
    log.add('2029-11-05.jsonl', line('old', '2029-11-05'));
    const all = await ledgerOf(log).log.read('');
    assert.equal(
      all.reduce((sum, { usage }) => sum + usage.requests, 0),
      9,
    );
    log.add('2029-11.sums.json', '{}');
    assert.deepEqual(await ledgerOf(log).log.deletable(), ['2029-10', '2029-11', '2029-12']);
    // It can still be the month before, in another time zone or after the clock was corrected.
    const first = new ManualClock(new Date(2030, 0, 1, 0, 30).getTime());
    assert.deepEqual(await ledgerOf(log, first).log.deletable(), ['2029-10', '2029-11']);
    const others = new Map([...log.files].filter(([name]) => !name.startsWith('2029-1')));
    const december = log.files.get('2029-12.jsonl');
    await ledgerOf(log).log.remove(['2029-10', '2029-11']);
    const left = [...log.files.keys()].filter((name) => name.startsWith('2029'));
    assert.deepEqual(left, ['2029-12.jsonl']);
    assert.equal(log.files.get('2029-12.jsonl'), december);
    for (const [name, text] of others) assert.equal(log.files.get(name), text);
  });

  it('lists each request once, with its last record', async () => {
    const log = new MemoryLog();
    const later = daysLater(today, -1);
    log.add('2030-01.jsonl', line('b', today, { state: 'sent' }), 'damaged', line('a', later));
    log.add(
      '2030-01.jsonl',
      line('b', today, { outcome: 'stopped' }),
      line('c', today, { state: 'sent' }),
    );
    const requests = await ledgerOf(log).log.requests('2030-01');
    assert.deepEqual(
      requests.map(({ id, state, outcome }) => [id, state, outcome]),
      [
        ['a', 'used', undefined],
        ['b', 'used', 'stopped'],
        ['c', 'sent', undefined],
      ],
    );
  });
});
