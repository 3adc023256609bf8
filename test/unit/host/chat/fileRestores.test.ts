import assert from 'node:assert/strict';
import type { FileChange, FileRestore } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { turnStart } from '../../../support/turns.ts';

const { FileRestores } = await withoutVsCode(
  () => import('../../../../src/host/chat/fileRestores.ts'),
);

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
function rig(...more: ConversationEvent[]) {
  const events: ConversationEvent[] = [
    ...['one', 'two', 'three'].flatMap(started),
    { type: 'files-change', turn: 'three', changes: [change] },
    ...more,
  ];
  let conversation = events.reduce(reduce, emptyConversation('chat'));
  const requests: unknown[] = [];
  const state = { isWriter: true };
  const note = (what: string) => (scope: unknown, restored?: FileRestore) => {
    requests.push([what, scope, ...(restored === undefined ? [] : [restored.id])]);
    return Promise.resolve(restore);
  };
  const chat = {
    get conversation() {
      return conversation;
    },
    get isRunning() {
      return conversation.running !== undefined;
    },
    setFileRestore(turn: string, restored: FileRestore) {
      conversation = reduce(conversation, { type: 'files-restore', turn, restore: restored });
    },
  };
  const undone = { ...restore, status: 'undone' } as const;
  const restores = new FileRestores({
    chat,
    isWriter: () => state.isWriter,
    restores: {
      find: note('find'),
      review: async (scope) => {
        await note('review')(scope);
      },
      restore: note('restore'),
      undo: async (...parameters) => ({ ...(await note('undo')(...parameters)), ...undone }),
      redo: note('redo'),
    },
  });
  return { restores, requests, state, chat };
}

describe('restoring the files of a chat', () => {
  for (const [turn, turns] of [
    ['one', ['one', 'two', 'three']],
    ['two', ['two', 'three']],
    ['three', ['three']],
  ] as const) {
    it(`affects ${turn} and every later turn`, async () => {
      const { restores, requests } = rig();
      await restores.find(turn);
      await restores.review(turn);
      await restores.restore(turn);
      const scope = { chat: 'chat', turns };
      assert.deepEqual(requests, [
        ['find', scope],
        ['review', scope],
        ['restore', scope],
      ]);
    });
  }

  it('affects no turn of another version', async () => {
    const { restores, requests } = rig({ type: 'turn-remove', id: 'two' }, ...started('other'), {
      type: 'files-change',
      turn: 'other',
      changes: [change],
    });
    await restores.find('one');
    assert.deepEqual(requests, [['find', { chat: 'chat', turns: ['one', 'other'] }]]);
  });

  for (const [when, changes, isWriter] of [
    ['all changes are undone', [{ ...change, status: 'undone' }], true],
    ['nothing was changed', [], true],
    ['another window writes the chat', [change], false],
  ] as const) {
    it(`is not offered if ${when}`, async () => {
      const filesChange = { type: 'files-change', turn: 'three', changes } as const;
      const { restores, requests, state } = rig(filesChange);
      state.isWriter = isWriter;
      assert.deepEqual(await restores.find('one'), { files: [], left: [] });
      assert.deepEqual(requests, []);
    });
  }

  it('is refused if another window writes the chat', async () => {
    const { restores, requests, state } = rig();
    state.isWriter = false;
    await assert.rejects(restores.restore('one'), /another window/);
    await assert.rejects(restores.change('one', 'undo'), /another window/);
    assert.deepEqual(requests, []);
  });

  it('can be undone and redone, and its turns are updated', async () => {
    const { restores, requests, chat } = rig(
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
    await restores.change('other', 'undo');
    assert.equal(status(), 'undone');
    await restores.change('other', 'redo');
    assert.equal(status(), 'restored');
    assert.deepEqual(requests, [
      ['undo', 'chat', 'r'],
      ['redo', 'chat', 'r'],
    ]);
    await assert.rejects(restores.change('one', 'undo'), /no longer exists/);
  });
});
