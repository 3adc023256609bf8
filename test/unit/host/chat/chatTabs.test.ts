import assert from 'node:assert/strict';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { chatOf, MemoryJournals } from './memoryJournals.ts';
import { openChats } from './openChatRig.ts';

const vscode = `
  const event = () => ({ dispose() {} });
  export const ViewColumn = { Active: -1 };
  export const Uri = { file: (path) => ({ path }), joinPath: ({ path }) => ({ path }) };
  export const l10n = { t: (text) => text };
  export const window = {
    createWebviewPanel: () => {
      const closing = [];
      return {
        webview: { postMessage() {} },
        visible: true,
        active: true,
        onDidChangeViewState: event,
        onDidDispose: (listener) => closing.push(listener),
        dispose: () => closing.forEach((listener) => listener()),
        reveal() {},
      };
    },
  };
`;

const { ChatTabs, Uri, window, ViewColumn } = await withFakeVsCode(vscode, async () => ({
  ...(await import('../../../../src/host/chat/chatViews.ts')),
  ...(await import('vscode')),
}));

/** The channel to a page that says nothing. */
const port = { post: () => undefined, listen: () => ({ dispose: () => undefined }) };

describe('chats in tabs', () => {
  let journals: MemoryJournals;

  beforeEach(() => {
    journals = new MemoryJournals();
    journals.write('saved', chatOf('saved', 'Why?'));
  });

  function create() {
    const storage = Object.assign(journals, { append: () => Promise.resolve() });
    const { chats } = openChats({ storage });
    const tabs = new ChatTabs(
      {
        chats,
        keepDraft: () => Promise.resolve(),
        references: () => Promise.resolve([]),
        refusal: String,
      },
      Uri.file('/extension'),
      () => port,
      async (id) => (await journals.list()).includes(id),
    );
    return { chats, tabs };
  }

  it('report that a chat no longer exists, instead of showing an empty one', async () => {
    const { chats, tabs } = create();
    for (const id of ['gone', '../saved', 'saved/../saved', ' '])
      await assert.rejects(tabs.open(id), /no longer saved/);
    assert.equal(chats.all.length, 1);
    chats.dispose();
  });

  it('are restored with the chat that the page stored', () => {
    const { chats, tabs } = create();
    const states = [{ chat: '../saved' }, { chat: 7 }, { chat: 'a/b' }, undefined, 'saved', {}];
    for (const state of [{ chat: 'saved' }, ...states]) {
      const panel = window.createWebviewPanel('chat', '', ViewColumn.Active);
      tabs.restore(panel, port, state);
    }
    const ids = chats.all.map(({ id }) => id).slice(1);
    assert.equal(ids[0], 'saved');
    assert.equal(new Set(ids).size, states.length + 1);
    for (const id of ids) assert.match(id, /^[\w-]+$/);
    chats.dispose();
  });

  it('open a saved chat, and one that is open and not saved yet', async () => {
    const { chats, tabs } = create();
    await tabs.open('saved');
    await chats.focused.allRead();
    assert.equal(chats.focused.conversation.turns[0]?.question.text, 'Why?');
    const added = chats.create();
    await tabs.open(added.id);
    assert.ok(chats.tabOf(added) !== undefined);
    chats.dispose();
  });

  it('no longer show their chat once they are closed', () => {
    const { chats, tabs } = create();
    const panel = window.createWebviewPanel('chat', '', ViewColumn.Active);
    tabs.restore(panel, port, { chat: 'saved' });
    const open = chats.open('saved');
    assert.ok(chats.tabOf(open) !== undefined);
    panel.dispose();
    assert.equal(chats.tabOf(open), undefined);
    chats.dispose();
  });
});
