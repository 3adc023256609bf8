import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { readEvent, readHeader } from '../../../../src/core/conversation/record.ts';
import { ChatTaints } from '../../../../src/host/tools/toolChats.ts';
import { runs } from '../../../support/sample.ts';
import { SharedMachine, TestWindow } from './windowRig.ts';
import { settled } from '../../../support/settled.ts';
import { pathOf } from '../../../../src/core/conversation/paths.ts';

const acts = [
  ...['ask', 'ask', 'ask', 'ask', 'say', 'say', 'say', 'say', 'say', 'finish', 'finish', 'stop'],
  ...[
    'reload',
    'reload',
    'reload',
    'wait',
    'wait',
    'short',
    'close',
    'kill',
    'hang',
    'freeze',
    'go',
    'late',
  ],
] as const;
const steps = fc.array(fc.record({ window: fc.nat(5), act: fc.constantFrom(...acts) }), {
  minLength: 5,
  maxLength: 40,
});

/** Several windows that show one chat. */
class OneChat {
  readonly machine = new SharedMachine();
  /** Words that were said in windows, except killed ones. */
  readonly said = new Map<TestWindow, string[]>();
  readonly windows: TestWindow[] = [];
  /** All windows, including closed ones. */
  readonly all: TestWindow[] = [];
  wasKilled = false;
  #processes = 0;
  #words = 0;

  async start(count: number): Promise<void> {
    for (let position = 0; position < count; position++) {
      await this.#open(position);
      if (position > 0) continue;
      this.#ask(this.windows[0]);
      await settled();
      this.#finish(this.windows[0]);
      await settled();
    }
  }

  async run(position: number, act: (typeof acts)[number]): Promise<void> {
    const writer = this.windows.find(({ chat }) => !chat.access.isReadOnly);
    const window = position < 3 ? this.windows[position % this.windows.length] : writer;
    if (window === undefined) return;
    // A person can do nothing in a window that hangs.
    if (!window.hangs) this.#act(window, act);
    if (act === 'go') window.resume();
    if (act === 'wait') await this.machine.clock.advance(3000);
    if (act === 'late') await this.machine.clock.advance(90_000);
    if (act === 'short') await this.machine.clock.advance(300);
    await settled();
    if ((act === 'close' && !window.hangs) || act === 'kill') await this.#reopen(window, act);
  }

  /** Resumes all hanging windows, and gives them time to notice what has changed. */
  async end(): Promise<void> {
    for (const window of this.windows) window.resume();
    await this.machine.clock.advance(30_000);
    await settled();
  }

  get texts(): readonly string[] {
    return [...this.machine.journals.values()];
  }

  #act(window: TestWindow, act: (typeof acts)[number]): void {
    if (act === 'ask') this.#ask(window);
    if (act === 'say') this.#say(window);
    if (act === 'finish') this.#finish(window);
    if (act === 'stop') window.chat.stop();
    if (act === 'reload' && window.chat.access.isReadOnly) void window.chat.store.reload();
    if (act === 'freeze') this.#ask(window);
    if (act === 'hang' || act === 'freeze') window.hang();
  }

  #ask(window: TestWindow | undefined): void {
    if (window?.chat.access.mayWrite === true && !window.chat.isBusy)
      window.ask(this.#word(window));
  }

  #say(window: TestWindow): void {
    if (window.chat.isRunning) window.say(this.#word(window));
  }

  #finish(window: TestWindow | undefined): void {
    if (window === undefined) return;
    this.#say(window);
    window.finish();
  }

  #word(window: TestWindow): string {
    const word = `w${(this.#words += 1)}.`;
    this.said.set(window, [...(this.said.get(window) ?? []), word]);
    return word;
  }

  async #reopen(window: TestWindow, act: 'close' | 'kill'): Promise<void> {
    // Only text of the last moment before a crash may be lost.
    if (act === 'kill') {
      this.said.delete(window);
      this.wasKilled = true;
      window.kill();
    } else {
      window.chat.stop();
      await settled();
      await window.close();
    }
    await this.#open(this.windows.indexOf(window));
  }

  async #open(position: number): Promise<void> {
    const window = new TestWindow(this.machine, (this.#processes += 1));
    this.windows[position] = window;
    this.all.push(window);
    await this.machine.restored(window);
  }
}

function assertWhole(text: string): void {
  for (const line of text.split('\n'))
    if (line !== '') assert.ok(readEvent(line) ?? readHeader(line), `A line is cut: ${line}`);
}

function check(chat: OneChat): void {
  for (const window of chat.all) assert.deepEqual(window.uncheckedWrites, []);
  if (!chat.wasKilled) for (const text of chat.texts) assertWhole(text);
  const texts = [
    ...chat.texts,
    ...chat.windows.flatMap(({ chat: { queue } }) => queue.shown.map(({ text }) => text)),
  ];
  const stored = new Set(texts.flatMap((text) => text.match(/w\d+\./g) ?? []));
  for (const word of [...chat.said.values()].flat()) assert.ok(stored.has(word), `${word} is lost`);
  for (const { chat: windowChat, copyNotices } of chat.windows) {
    const { store } = windowChat;
    if (windowChat.access.isReadOnly) continue;
    const text = chat.machine.journals.get(store.id) ?? '';
    const { conversation } = readJournal(windowChat.conversation.id, text);
    // A turn of a copy has no fields without a value.
    const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    assert.deepEqual(json(pathOf(windowChat.conversation)), json(pathOf(conversation)));
    if (store.id !== windowChat.conversation.id)
      assert.ok(copyNotices > 0, 'Nobody was told of the copy.');
  }
  const writers = chat.windows.filter(({ chat: windowChat }) => !windowChat.access.isReadOnly);
  assert.equal(new Set(writers.map(({ chat: { store } }) => store.id)).size, writers.length);
}

describe('one chat in several windows', () => {
  for (const count of [2, 3])
    it(`has one writer at a time, and loses nothing, in ${count} windows`, async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (list) => {
          const chat = new OneChat();
          await chat.start(count);
          for (const step of list) await chat.run(step.window, step.act);
          await chat.end();
          check(chat);
        }),
        { numRuns: runs(100, 2) },
      );
    });

  it('is read-only while another window writes it, and can be written once that is closed', async () => {
    const { machine, first, second } = await twoWindows();
    const text = [...machine.journals.values()].join('');
    const turn = pathOf(second.chat.conversation)[0]?.id ?? '';
    for (const request of [
      { name: 'send', parameters: { text: 'w9.' } },
      { name: 'stop', parameters: {} },
      { name: 'retry', parameters: { turn, chooseModel: false } },
      { name: 'resend', parameters: { turn, text: 'w9.' } },
      { name: 'select-version', parameters: { turn } },
      { name: 'use-summary', parameters: { summary: 's', used: false } },
      { name: 'set-options', parameters: { options: { json: true } } },
      { name: 'decide', parameters: { turn, call: 'c', decision: 'once' } },
      { name: 'changes', parameters: { turn, action: 'undo' } },
    ] as const)
      await assert.rejects(second.chat.request(request), /another window/);
    assert.throws(() => second.chat.change({ type: 'title-change', title: 'x' }), /another window/);
    await second.chat.composer.setDraft('A draft');
    await settled();
    assert.equal([...machine.journals.values()].join(''), text);
    await second.chat.request({ name: 'reload-chat', parameters: {} });
    assert.equal(second.chat.access.isReadOnly, true);
    first.chat.stop();
    await settled();
    await first.close();
    await second.chat.request({ name: 'reload-chat', parameters: {} });
    assert.equal(second.chat.composer.draft, 'A draft');
    assert.equal(pathOf(second.chat.conversation).length, 2);
    await second.chat.request({ name: 'set-options', parameters: { options: { json: true } } });
  });

  it('is shown as it was read, with the end of a reply that the other window runs', async () => {
    const { first, second } = await twoWindows();
    const { error } = pathOf(second.chat.conversation).at(-1) ?? {};
    assert.match(error?.message ?? '', /wasn't finished yet/);
    assert.equal(error?.remedy, undefined);
    first.say('w2.');
    first.finish();
    await settled();
    assert.equal(pathOf(second.chat.conversation).at(-1)?.parts.length, 0);
    const changes: unknown[] = [];
    second.chat.onDidChange((change) => changes.push(change));
    await second.chat.store.reload();
    // The page shows the older turns, so it must get the others.
    assert.deepEqual(changes, [{ type: 'replace', isShown: false }]);
    assert.equal(pathOf(second.chat.conversation).at(-1)?.status, 'finished');
    assert.equal(second.chat.access.isReadOnly, true);
  });

  it('stays readable after the other window deleted it', async () => {
    const { machine, first, second } = await twoWindows();
    first.finish();
    await settled();
    const [before] = pathOf(second.chat.conversation);
    machine.journals.clear();
    machine.locks.clear();
    assert.equal(await second.chat.store.reload(), false);
    assert.equal(machine.locks.size, 0);
    assert.deepEqual(pathOf(second.chat.conversation)[0], before);
    assert.equal(second.chat.access.isReadOnly, true);
  });

  it('is tainted in the next window by calls of the other one, and has none of its grants', async () => {
    const { first, second } = await twoWindows();
    const taints = new ChatTaints(second.chats, () => false);
    const replaced: unknown[] = [];
    second.chat.onDidChange(({ type }) => {
      if (type === 'replace') replaced.push(second.chat.access.isReadOnly);
    });
    const { id } = first.chat.conversation;
    const call = { id: 'call', name: 'fetch', arguments: '{}', round: 1 };
    first.chat.show([
      { type: 'tool-call-start', call },
      { type: 'tool-call-run', id: 'call', at: 1 },
    ]);
    await settled();
    first.kill();
    await second.chat.store.reload();
    assert.equal(taints.isTainted(id), true);
    // Each replacement revokes the grants of the chat.
    assert.deepEqual(replaced, [false]);
  });
});

/** Two windows with the same chat, in whose first one a reply runs. */
async function twoWindows() {
  const chat = new OneChat();
  await chat.start(2);
  const [first, second] = chat.windows;
  assert.ok(first !== undefined && second !== undefined);
  first.ask('w1.');
  await chat.machine.clock.advance(600);
  await settled();
  await second.chat.store.reload();
  return { machine: chat.machine, first, second };
}
