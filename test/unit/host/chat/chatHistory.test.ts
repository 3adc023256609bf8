import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { ChatSearch } from '../../../../src/host/chat/chatSearch.ts';
import { ChatHeads } from '../../../../src/host/chat/chatHeads.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { chatOf, MemoryJournals, MemoryText } from './memoryJournals.ts';
import type { ChosenChat } from '../../../../src/host/chat/chatHistory.ts';

const { ChatHistory } = await withFakeVsCode(
  'export const l10n = { t: (text) => text };',
  () => import('../../../../src/host/chat/chatHistory.ts'),
);

describe('the history of chats', () => {
  const here = 'file:///here';
  const fail = (what: string): never => assert.fail(what);

  function create(journals: MemoryJournals) {
    const opened: [string, ChosenChat['hit']][] = [];
    const history = new ChatHistory({
      chats: new ChatHeads({ journals, cache: new MemoryText(), onError: fail }),
      search: new ChatSearch({ journals, clock: systemClock, onError: fail }),
      journals,
      opening: {
        show(id, hit) {
          opened.push([id, hit]);
          return Promise.resolve();
        },
        isRunning: (id) => id === 'running',
      },
      workspace: here,
      machine: '',
      onError: fail,
    });
    return { history, opened };
  }

  it('offers the three latest chats, those of this workspace before others', async () => {
    const journals = new MemoryJournals();
    journals.write('old', chatOf('old', 'Old', 1, 'x', here));
    journals.write('new', chatOf('new', 'New', 5, 'x', here));
    for (const at of [7, 8, 9]) journals.write(`e${at}`, chatOf(`e${at}`, `Else ${at}`, at));
    const pin = { number: 9, writer: 'w', event: { type: 'pin-change', pinned: true } };
    journals.write('old', `${journals.textOf('old')}${JSON.stringify(pin)}\n`);
    journals.write('untitled', chatOf('untitled', '  ', 10, 'x', here));
    assert.deepEqual(await create(journals).history.recent(), [
      { id: 'new', title: 'New', at: 5 },
      { id: 'old', title: 'Old', at: 1 },
      { id: 'e9', title: 'Else 9', at: 9 },
    ]);
    assert.deepEqual(await create(new MemoryJournals()).history.recent(), []);
  });

  it('opens a chat by its id, and nothing that is not saved', async () => {
    const journals = new MemoryJournals();
    journals.write('a', chatOf('a', 'Why?'));
    const { history, opened } = create(journals);
    await history.open('a');
    assert.deepEqual(opened, [['a', undefined]]);
    for (const id of ['', 'b', '../a', 'a/'])
      await assert.rejects(history.open(id), /^UserError: This chat is no longer saved/, id);
    assert.equal(opened.length, 1);
    await history.open('running');
    assert.equal(opened.length, 2, 'it may be that nothing could be saved yet');
  });
});
