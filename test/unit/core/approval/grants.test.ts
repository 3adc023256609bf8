import assert from 'node:assert/strict';
import {
  ChatTaint,
  type GrantHolder,
  type GrantOffer,
  Grants,
  isTaintedChat,
} from '../../../../src/core/approval/grants.ts';
import {
  emptyConversation,
  type ToolCallPart,
  type Turn,
  type UserMessage,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import {
  type ChatChange,
  LiveConversation,
} from '../../../../src/core/conversation/liveConversation.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import type { Clock } from '../../../../src/core/support/clock.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { workspaceIdentity } from '../../../../src/core/files/disk.ts';
import { turnStart, turnWith } from '../../../support/turns.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../../host/fakes.ts';
import { FakeDisk } from '../files/fakeDisk.ts';
import { fileAt } from './policyRig.ts';

const { grantStore } = await withoutVsCode(
  () => import('../../../../src/host/approval/windowGate.ts'),
);

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const command = {
  type: 'command',
  command: 'npm test',
  folder: fileAt('/ws'),
  shell: 'bash',
} as const;
const always: GrantOffer = { lifetime: 'workspace', scope: command };
const inChat: GrantOffer = { lifetime: 'chat', scope: command };
const edits: GrantOffer = { lifetime: 'chat', scope: { type: 'edits' } };

/** Holder of grants: a conversation in a workspace. */
const inWorkspace = (workspace: string, conversation: string | undefined = 'c'): GrantHolder => ({
  workspace,
  conversation,
});

interface Rig {
  readonly state: FakeMemento;
  readonly clock: Clock;
  /** Milliseconds of both clocks, which tests advance independently. */
  readonly time: { wall: number; monotonic: number };
  /** Creates the grants as another window, or the same one after a reload, does. */
  readonly createGrants: (major?: string) => Grants;
}

function rig(): Rig {
  const state = new FakeMemento();
  const time = { wall: 1_900_000_000_000, monotonic: 0 };
  const clock: Clock = {
    wall: () => time.wall,
    monotonic: () => time.monotonic,
    after: () => ({ dispose: () => undefined }),
  };
  const store = grantStore(state, () => time.wall);
  return { state, clock, time, createGrants: (major = '0') => new Grants(store, clock, major) };
}

describe('grants of a chat', () => {
  it('apply to their scope, count their uses, and exist only in memory', async () => {
    const { createGrants, state } = rig();
    const grants = createGrants();
    await grants.add(edits, inWorkspace('w', 'a'));
    await grants.add(edits, inWorkspace('w', 'b'));
    const grant = grants.find(edits, inWorkspace('w', 'b'));
    assert.ok(grant);
    assert.equal(grants.find(inChat, inWorkspace('w', 'b')), undefined);
    await grants.use(grant, 'w');
    await grants.use(grant, 'w');
    assert.deepEqual(
      grants.list('w').map(({ uses }) => uses),
      [0, 2],
    );
    assert.deepEqual(state.keys(), []);
    assert.equal(createGrants().find(edits, inWorkspace('w', 'b')), undefined);
  });

  it('apply to no other conversation, and to no caller without one', async () => {
    const grants = rig().createGrants();
    const callers = ['a', 'b', '', '["a"]', undefined];
    for (const offer of [edits, inChat, always]) {
      for (const holder of callers) {
        await grants.add(offer, { workspace: 'w', conversation: holder });
        for (const caller of callers) {
          const grant = grants.find(offer, { workspace: 'w', conversation: caller });
          const isStored = offer.lifetime === 'workspace' && holder !== undefined;
          const isOwn = caller !== undefined && (isStored || caller === holder);
          assert.equal(grant !== undefined, isOwn, JSON.stringify([offer, holder, caller]));
        }
        grants.endAll();
        for (const grant of grants.list('w')) await grants.revoke(grant, 'w');
      }
    }
  });

  it('apply to no other chat, and end independently', async () => {
    const grants = rig().createGrants();
    const [first, second] = [inWorkspace('w', 'one'), inWorkspace('w', 'other')];
    await grants.add(edits, first);
    assert.equal(grants.find(edits, second), undefined);
    assert.deepEqual([grants.hasOfChat('one'), grants.hasOfChat('other')], [true, false]);
    await grants.add(edits, second);
    const lives = [grants.lifeOf('one'), grants.lifeOf('other')];
    grants.endChat('one');
    assert.equal(grants.find(edits, first), undefined);
    assert.notEqual(grants.find(edits, second), undefined);
    assert.deepEqual([grants.hasOfChat('one'), grants.hasOfChat('other')], [false, true]);
    assert.notEqual(grants.lifeOf('one'), lives[0]);
    assert.equal(grants.lifeOf('other'), lives[1]);
    grants.endAll();
    assert.equal(grants.find(edits, second), undefined);
    assert.notEqual(grants.lifeOf('other'), lives[1]);
  });

  for (const clock of ['wall', 'monotonic'] as const) {
    it(`end after 8 hours of the ${clock} clock`, async () => {
      const { createGrants, time } = rig();
      const grants = createGrants();
      await grants.add(edits, inWorkspace('w'));
      time[clock] += 8 * hour - 1;
      assert.ok(grants.find(edits, inWorkspace('w')));
      time[clock] += 1;
      assert.equal(grants.find(edits, inWorkspace('w')), undefined);
      assert.deepEqual(grants.list('w'), []);
    });
  }

  it('can be revoked', async () => {
    const grants = rig().createGrants();
    await grants.add(edits, inWorkspace('w'));
    await grants.add(inChat, inWorkspace('w'));
    const [first] = grants.list('w');
    assert.ok(first);
    await grants.revoke(first, 'w');
    assert.equal(grants.find(edits, inWorkspace('w')), undefined);
    assert.ok(grants.find(inChat, inWorkspace('w')));
  });
});

describe('grants of a workspace', () => {
  it('survive the chat and the window, with their number of uses, but no other major version', async () => {
    const { createGrants } = rig();
    const grants = createGrants();
    await grants.add(always, inWorkspace('w'));
    await grants.add(always, inWorkspace('w'));
    grants.endAll();
    assert.equal(createGrants().list('w').length, 1);
    assert.equal(createGrants('1').find(always, inWorkspace('w')), undefined);
    assert.deepEqual(createGrants('1').list('w'), []);
    const grant = createGrants().find(always, inWorkspace('w'));
    assert.ok(grant);
    await createGrants().use(grant, 'w');
    assert.equal(createGrants().list('w')[0]?.uses, 1);
  });

  it('expire after 90 days, and are invalid if they were granted in the future', async () => {
    const { createGrants, time } = rig();
    await createGrants().add(always, inWorkspace('w'));
    time.wall += 90 * day - 1;
    assert.ok(createGrants().find(always, inWorkspace('w')));
    time.wall += 1;
    assert.equal(createGrants().find(always, inWorkspace('w')), undefined);
    time.wall -= 91 * day;
    assert.equal(createGrants().find(always, inWorkspace('w')), undefined);
  });

  it('are stored one by one, so that a window overwrites no grant of another', async () => {
    const { createGrants, state } = rig();
    await createGrants().add(always, inWorkspace('w'));
    const [key = ''] = state.keys();
    const stored = state.get(key);
    const other: GrantOffer = { lifetime: 'workspace', scope: { ...command, command: 'ls' } };
    await createGrants().add(other, inWorkspace('w'));
    const grant = createGrants().find(other, inWorkspace('w'));
    assert.ok(grant);
    await createGrants().use(grant, 'w');
    assert.deepEqual([state.get(key), state.keys().length], [stored, 2]);
    await createGrants().revoke(grant, 'w');
    assert.deepEqual([state.get(key), state.keys().length], [stored, 1]);
  });

  it('apply to no other workspace, such as one with the same beginning, or without an identity', async () => {
    const { createGrants, state } = rig();
    await createGrants().add(always, inWorkspace(''));
    assert.deepEqual(state.keys(), []);
    await createGrants().add(always, inWorkspace('w x'));
    for (const other of ['', 'w', 'w ', 'w x ', '"w x"', 'other'])
      assert.equal(createGrants().find(always, inWorkspace(other)), undefined);
    assert.ok(createGrants().find(always, inWorkspace('w x')));
  });

  it('are dropped if the record is damaged, of another kind or of another version', async () => {
    const { createGrants, state } = rig();
    const [key] = await createGrants()
      .add(always, inWorkspace('w'))
      .then(() => state.keys());
    assert.ok(key !== undefined);
    const good = state.get(key);
    const text = JSON.stringify(good);
    const others = [
      null,
      7,
      [],
      {},
      '*',
      ['*'],
      { version: 1, grants: [] },
      { version: 2, grant: '*' },
    ];
    const changed: readonly unknown[] = [
      JSON.parse(text.replace('"version":2', '"version":3')),
      JSON.parse(text.replace('"npm test"', '7')),
      JSON.parse(text.replace('"uses":0', '"uses":"many"')),
      JSON.parse(text.replace(/"since":\d+/, '"since":null')),
    ];
    for (const damaged of [...others, ...changed]) {
      await state.update(key, damaged);
      assert.deepEqual(createGrants().list('w'), [], JSON.stringify(damaged));
      assert.equal(createGrants().find(always, inWorkspace('w')), undefined);
    }
    await state.update(key, good);
    assert.equal(createGrants().list('w').length, 1);
  });

  it('are removed from the store when they are old', async () => {
    const { createGrants, state, time } = rig();
    await createGrants().add(always, inWorkspace('old'));
    time.wall += 91 * day;
    await state.update('another', 1);
    await createGrants().add(always, inWorkspace('new'));
    const [other, grant, ...more] = state.keys().toSorted();
    assert.equal(other, 'another');
    assert.ok(grant?.startsWith('aside.approvals "new" '));
    assert.deepEqual(more, []);
  });
});

describe('the identity of a workspace', () => {
  const folders = [{ name: 'ws', location: fileAt('/ws') }];

  it('changes when another folder replaces the workspace folder', async () => {
    const disk = new FakeDisk().folder('/ws');
    const before = await workspaceIdentity(folders, disk);
    assert.notEqual(before, '');
    assert.equal(await workspaceIdentity(folders, disk), before);
    assert.notEqual(await workspaceIdentity(folders, disk.remove('/ws').folder('/ws')), before);
    disk.folder('/elsewhere').link('/ws', '/elsewhere');
    assert.notEqual(await workspaceIdentity(folders, disk), before);
  });

  it("is empty if it can't be determined", async () => {
    const disk = new FakeDisk();
    assert.equal(await workspaceIdentity(folders, undefined), '');
    assert.equal(await workspaceIdentity([], disk), '');
    assert.equal(await workspaceIdentity(folders, disk), '');
    const virtual = { name: 'v', location: { ...fileAt('/ws'), scheme: 'vscode-vfs' } };
    assert.equal(await workspaceIdentity([virtual], disk.folder('/ws')), '');
  });
});

function call(name: string, more: Partial<ToolCallPart> = {}): ToolCallPart {
  const made = { id: name, name, arguments: '{}', round: 1, status: 'done', startedAt: 1 } as const;
  return { type: 'tool-call', ...made, ...more };
}

const turn = (...parts: readonly ToolCallPart[]): Turn => turnWith({ parts });

const isOwn = (name: string): boolean => name === 'read_file';

describe('ChatTaint', () => {
  it('follows an external call, the open chat, and each chat opened later', () => {
    const changed = new Emitter<ChatChange>();
    const replaced = { type: 'replace', isShown: false } as const;
    const tainted = { ...emptyConversation('a'), turns: [turn(call('sample_echo'))] };
    const chat = { conversation: emptyConversation('a'), onDidChange: changed.event };
    chat.conversation = tainted;
    const taint = new ChatTaint();
    const following = taint.follow(chat, isOwn);
    assert.equal(taint.isTainted, true);
    chat.conversation = emptyConversation('b');
    changed.fire(replaced);
    assert.equal(taint.isTainted, false);
    taint.noteExternalCall();
    assert.equal(taint.isTainted, true);
    changed.fire(replaced);
    assert.equal(taint.isTainted, false);
    following.dispose();
    chat.conversation = tainted;
    changed.fire(replaced);
    assert.equal(taint.isTainted, false);
  });

  it('comes along with the attached text of a tainted chat once that is sent, and stays', () => {
    const copy = {
      id: 'a',
      kind: 'chat',
      name: 'Chat: A',
      path: '',
      language: '',
      text: '',
    } as const;
    const attached = (tainted?: true): UserMessage => ({
      text: 'Why?',
      attachments: [{ ...copy, tainted }],
    });
    const clean = turnStart({ question: attached() });
    const ways: readonly (readonly ConversationEvent[])[] = [
      [turnStart({ question: attached(true) })],
      [turnStart(), { type: 'turn-message', id: 'm', message: attached(true), at: 1 }],
      [{ type: 'turn-import', turn: turnWith({ question: attached(true), endedAt: 0 }) }],
      [{ type: 'turn-import', turn: { ...turn(call('sample_echo')), endedAt: 0 } }],
      [{ type: 'chat-import', usage: {} }],
    ];
    for (const events of [[clean], ...ways]) {
      const live = new LiveConversation(emptyConversation('a'));
      const chat = {
        get conversation() {
          return live.current;
        },
        onDidChange: live.onDidChange,
      };
      const taint = new ChatTaint();
      taint.follow(chat, isOwn);
      for (const event of events) live.apply(event);
      const expected = events[0] !== clean;
      assert.equal(taint.isTainted, expected, JSON.stringify(events));
      live.apply({ type: 'turn-remove', id: 't' });
      live.apply(turnStart({ id: 'next' }));
      assert.equal(taint.isTainted, expected, 'Removing it is not enough.');
      // Read again, as after a reload, it is the same.
      const journal = events.map((event, index) => writeEvent(event, index + 1)).join('');
      const header = writeHeader({ conversation: 'a', workspace: '', at: 1 });
      live.replace(readJournal('a', header + journal).conversation);
      assert.equal(taint.isTainted, expected, `after a reload: ${JSON.stringify(events)}`);
    }
  });
});

describe('isTaintedChat', () => {
  it('finds calls of external tools that ran, also in the running turn', () => {
    const isTainted = (turns: readonly Turn[], running?: Turn): boolean =>
      isTaintedChat({ ...emptyConversation('c'), turns, running }, isOwn);
    const waiting = call('sample_echo', { startedAt: undefined, status: 'stopped' });
    const clean = turn(call('read_file'), call('sample_echo', { status: 'denied' }), waiting);
    const tainted = turn(call('read_file'), call('sample_echo', { status: 'failed' }));
    assert.equal(isTainted([]), false);
    assert.equal(isTainted([clean], clean), false);
    assert.equal(isTainted([clean, tainted]), true);
    assert.equal(isTainted([clean], tainted), true);
  });
});
