import assert from 'node:assert/strict';
import { settled } from '../../../support/settled.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { chatOf, MemoryJournals } from './memoryJournals.ts';
import { openChats, pagesOf } from './openChatRig.ts';

/** VS Code with tabs, and a command that ends when the test says so. */
const vscode = `
  const pending = [];
  export const commands = {
    executeCommand: () => new Promise((resolve) => pending.push(resolve)),
  };
  export const reveal = () => pending.splice(0).forEach((resolve) => resolve());
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

const { ChatView, ChatTabs, revealed, Uri, window, ViewColumn } = await withFakeVsCode(
  vscode,
  async () => {
    const loaded = await import('../../../../src/host/chat/chatViews.ts');
    const fake = await import('vscode');
    const reveal: unknown = Reflect.get(fake, 'reveal');
    assert.ok(reveal instanceof Function);
    return { ...fake, ...loaded, revealed: () => void Reflect.apply(reveal, undefined, []) };
  },
);

/** A view, with the messages that its page receives. */
function rig(visible = true) {
  const { chats } = openChats();
  const view = new ChatView(pagesOf(chats));
  const posted: object[] = [];
  const none = { dispose: () => undefined };
  const webviewView = {
    visible,
    onDidChangeVisibility: () => none,
    onDidDispose: () => none,
  };
  const post = (message: object): unknown => posted.push(message);
  const show = async (): Promise<void> => {
    webviewView.visible = true;
    const listen = (hear: (message: unknown) => void): typeof none => {
      queueMicrotask(() => hear({ type: 'ready' }));
      return none;
    };
    Reflect.apply(view.showIn.bind(view), undefined, [webviewView, { post, listen }]);
    await settled();
  };
  const focusing = (): readonly object[] =>
    posted.filter((message) => Reflect.get(message, 'type') === 'focus');
  const focuses = (): number => focusing().length;
  const grabs = (): unknown => focusing().map((message): unknown => Reflect.get(message, 'grabs'));
  return { view, show, focuses, grabs };
}

describe('the view of the chat', () => {
  it('takes the focus when it is revealed, unless the editor keeps it', async () => {
    const { view, show, focuses, grabs } = rig();
    await show();
    for (const preserveFocus of [true, false]) {
      const revealing = view.reveal(preserveFocus);
      revealed();
      await revealing;
      assert.equal(focuses(), preserveFocus ? 0 : 1);
    }
    assert.deepEqual(grabs(), [true], 'VS Code may focus a tab instead');
  });

  it('takes the focus when its page has loaded and VS Code focuses it', async () => {
    const { view, show, focuses, grabs } = rig(false);
    const revealing = view.reveal(false);
    await show();
    revealed();
    await revealing;
    assert.equal(focuses(), 1);
    assert.deepEqual(grabs(), [false], 'the person may have moved on');
  });

  for (const isLoaded of [true, false])
    it(`does not take the focus from a quick pick that was opened meanwhile: ${isLoaded ? 'visible' : 'hidden'}`, async () => {
      const { view, show, focuses } = rig(isLoaded);
      if (isLoaded) await show();
      const revealing = view.reveal(false);
      view.releaseFocus();
      if (!isLoaded) await show();
      revealed();
      await revealing;
      assert.equal(focuses(), 0);
      const again = view.reveal(false);
      revealed();
      await again;
      assert.equal(focuses(), 1, 'the next time it is taken');
    });
});

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
      pagesOf(chats),
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
