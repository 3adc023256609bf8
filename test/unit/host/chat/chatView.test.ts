import assert from 'node:assert/strict';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { openChats } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';

/** VS Code with a command that ends when the test says so. */
const vscode = `
  const pending = [];
  export const commands = {
    executeCommand: () => new Promise((resolve) => pending.push(resolve)),
  };
  export const reveal = () => pending.splice(0).forEach((resolve) => resolve());
`;

const { ChatView, revealed } = await withFakeVsCode(vscode, async () => {
  const loaded = await import('../../../../src/host/chat/chatViews.ts');
  const reveal: unknown = Reflect.get(await import('vscode'), 'reveal');
  assert.ok(reveal instanceof Function);
  return { ...loaded, revealed: () => void Reflect.apply(reveal, undefined, []) };
});

/** A view, with the messages that its page receives. */
function rig(visible = true) {
  const { chats } = openChats();
  const view = new ChatView({
    chats,
    keepDraft: () => Promise.resolve(),
    references: () => Promise.resolve([]),
    refusal: String,
  });
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
