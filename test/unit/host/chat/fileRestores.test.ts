import assert from 'node:assert/strict';
import type { FileChange, FileRestore } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { turnStart } from '../../../support/turns.ts';
import { openChat } from './openChatRig.ts';

const change: FileChange = {
  id: '1',
  path: 'a.ts',
  kind: 'edit',
  addedLines: 1,
  removedLines: 1,
  status: 'changed',
};
const restore: FileRestore = {
  id: 'r',
  turns: ['two', 'three'],
  files: ['a.ts'],
  left: [],
  status: 'restored',
};

function started(id: string): ConversationEvent[] {
  const question = { text: id, attachments: [] };
  return [turnStart({ id, question }), { type: 'turn-end', status: 'finished', at: 2 }];
}

/** A chat with three turns, the last of which changed a file, and a record of the calls. */
async function rig(...more: ConversationEvent[]) {
  const requests: unknown[] = [];
  const note = (what: string) => (scope: unknown, restored?: FileRestore) => {
    requests.push([what, scope, ...(restored === undefined ? [] : [restored.id])]);
    return Promise.resolve(restore);
  };
  const undone = { ...restore, status: 'undone' } as const;
  const chat = openChat(
    { id: 'chat', origin: 'new' },
    {
      restores: {
        find: note('find'),
        review: async (scope) => {
          await note('review')(scope);
        },
        restore: note('restore'),
        undo: async (...parameters) => ({ ...(await note('undo')(...parameters)), ...undone }),
        redo: note('redo'),
      },
    },
  );
  chat.show([
    ...['one', 'two', 'three'].flatMap(started),
    { type: 'files-change', turn: 'three', changes: [change] },
    ...more,
  ]);
  await chat.store.flush();
  const find = (turn: string) => chat.request({ name: 'find-restorable', parameters: { turn } });
  const act = (turn: string, action: 'review' | 'undo' | 'redo') =>
    chat.request({ name: 'restore-files', parameters: { turn, action } });
  return { chat, requests, find, act };
}

describe('restoring the files of a chat', () => {
  for (const [turn, turns] of [
    ['one', ['one', 'two', 'three']],
    ['two', ['two', 'three']],
    ['three', ['three']],
  ] as const) {
    it(`affects ${turn} and every later turn`, async () => {
      const { chat, requests, find, act } = await rig();
      await find(turn);
      await act(turn, 'review');
      await chat.request({ name: 'resend', parameters: { turn, text: 'x', restoreFiles: true } });
      const scope = { chat: 'chat', turns };
      assert.deepEqual(requests, [
        ['find', scope],
        ['review', scope],
        ['restore', scope],
      ]);
    });
  }

  it('affects no turn of another version', async () => {
    const { find, requests } = await rig({ type: 'turn-remove', id: 'two' }, ...started('other'), {
      type: 'files-change',
      turn: 'other',
      changes: [change],
    });
    await find('one');
    assert.deepEqual(requests, [['find', { chat: 'chat', turns: ['one', 'other'] }]]);
  });

  for (const [when, changes] of [
    ['all changes are undone', [{ ...change, status: 'undone' }]],
    ['nothing was changed', []],
  ] as const) {
    it(`is not offered if ${when}`, async () => {
      const { find, requests } = await rig({ type: 'files-change', turn: 'three', changes });
      assert.deepEqual(await find('one'), { files: [], left: [] });
      assert.deepEqual(requests, []);
    });
  }

  it('is neither offered nor possible if another window writes the chat', async () => {
    const { chat, find, act, requests } = await rig();
    chat.access.set('read');
    Object.defineProperty(chat.store, 'isWriter', { value: false });
    assert.deepEqual(await find('one'), { files: [], left: [] });
    const parameters = { turn: 'one', text: 'x', restoreFiles: true };
    await assert.rejects(chat.request({ name: 'resend', parameters }), /another window/);
    await assert.rejects(act('one', 'undo'), /another window/);
    assert.deepEqual(requests, []);
  });

  it('can be undone and redone, and its turns are updated', async () => {
    const { act, requests, chat } = await rig(
      { type: 'turn-remove', id: 'two' },
      ...started('other'),
      {
        type: 'files-restore',
        turn: 'other',
        restore,
      },
    );
    const status = (): unknown =>
      turnsOfAllPaths(chat.conversation).find(({ id }) => id === 'other')?.fileRestore?.status;
    await act('other', 'undo');
    assert.equal(status(), 'undone');
    await act('other', 'redo');
    assert.equal(status(), 'restored');
    assert.deepEqual(requests, [
      ['undo', 'chat', 'r'],
      ['redo', 'chat', 'r'],
    ]);
    await assert.rejects(act('one', 'undo'), /no longer exists/);
  });
});
