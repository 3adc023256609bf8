import assert from 'node:assert/strict';
import { RunningRequests } from '../../../../src/host/usage/runningRequests.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { FakePlace, openChats, SlowModel } from '../chat/openChatRig.ts';
import { settled } from '../../../support/settled.ts';

const [{ CommandContext }, vscode] = await withFakeVsCode(
  `
  export const calls = [];
  export const commands = {
    executeCommand: (command, key, value) => Promise.resolve(calls.push([command, key, value])),
  };`,
  () => Promise.all([import('../../../../src/host/platform/commands.ts'), import('vscode')]),
);

/** Values of context keys, and how often one was set. */
function keys(): { readonly values: Readonly<Record<string, unknown>>; readonly count: number } {
  const calls: unknown = Reflect.get(vscode, 'calls');
  assert.ok(Array.isArray(calls));
  const set = new Map<string, unknown>(
    calls.map((call: readonly unknown[]) => [String(call[1]), call[2]]),
  );
  return { values: Object.fromEntries(set.entries()), count: calls.length };
}

const state = (running: boolean, hasChat: boolean, requestsRunning: boolean) => ({
  'aside.running': running,
  'aside.hasChat': hasChat,
  'aside.requestsRunning': requestsRunning,
});

describe('the context of the palette', () => {
  it('reports if the focused chat has a message, and if it or another one runs', async () => {
    const model = new SlowModel();
    const running = new RunningRequests();
    const { chats, sidebar } = openChats({ client: model.client });
    const context = new CommandContext(chats, running);
    assert.deepEqual(keys().values, state(false, false, false));
    void sidebar.chat.send({ text: 'Hello', attachments: [] }, 'm').catch(() => undefined);
    await settled();
    assert.deepEqual(keys().values, state(true, true, true));
    const tab = new FakePlace(chats, chats.create());
    chats.addPlace(tab);
    tab.isInFront = true;
    chats.notePlaces();
    assert.deepEqual(keys().values, state(false, false, true));
    tab.isInFront = false;
    chats.notePlaces();
    sidebar.chat.stop();
    await settled();
    assert.deepEqual(keys().values, state(false, true, false));
    const { count } = keys();
    chats.notePlaces();
    assert.equal(keys().count, count);
    let end = (): void => undefined;
    const request = new Promise<void>((resolve) => (end = resolve));
    const work = running.run(new AbortController().signal, () => request);
    assert.deepEqual(keys().values, state(false, true, true));
    end();
    await work;
    assert.deepEqual(keys().values, state(false, true, false));
    context.dispose();
  });
});
