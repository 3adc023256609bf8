import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Turn } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { runs } from '../../../support/sample.ts';
import { settled, SharedMachine, TestWindow } from './windowRig.ts';
import { pathOf } from '../../../../src/core/conversation/paths.ts';

const act = fc.constantFrom(
  ...(['ask', 'say', 'say', 'say', 'finish', 'reload', 'kill', 'drop', 'new', 'wait'] as const),
);
const steps = fc.array(fc.record({ window: fc.nat(1), act }), { minLength: 5, maxLength: 40 });

/** Words of a turn: its message is `q3.`, and its reply `q3-1. q3-2.` and so on. */
function wordsOf(turn: Turn): readonly string[] {
  return JSON.stringify([turn.question.text, turn.parts]).match(/q\d+(?:-\d+)?\./g) ?? [];
}

/** Two windows of a workspace, and windows that still run although their connection was dropped. */
class Workspace {
  readonly machine = new SharedMachine();
  /** Words that were shown and must be in a journal in the end. */
  readonly words = new Set<string>();
  readonly windows: TestWindow[] = [];
  readonly detachedWindows: TestWindow[] = [];
  #processes = 0;
  #questionCount = 0;
  #said = 0;

  async start(): Promise<void> {
    for (const position of [0, 1]) await this.#open(position);
  }

  async run(
    position: number,
    what: (typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never)['act'],
  ) {
    const window = this.windows[position];
    if (window === undefined) return;
    if (what === 'ask' && !window.chat.isRunning) window.ask(`q${(this.#questionCount += 1)}.`);
    if (what === 'say') for (const writer of [window, ...this.detachedWindows]) this.#say(writer);
    if (what === 'finish') for (const writer of [window, ...this.detachedWindows]) writer.finish();
    if (what === 'new' && !window.chat.isRunning) window.newChat();
    if (what === 'wait') await this.machine.clock.advance(3000);
    await settled();
    if (what === 'reload' || what === 'kill' || what === 'drop') await this.#reopen(position, what);
  }

  async end(): Promise<void> {
    for (const writer of [...this.windows, ...this.detachedWindows]) await this.#keep(writer);
  }

  #say(window: TestWindow): void {
    const { running } = window.chat.conversation;
    if (running === undefined) return;
    window.say(`${running.question.text.slice(0, -1)}-${(this.#said += 1)}.`);
  }

  async #reopen(position: number, what: 'reload' | 'kill' | 'drop'): Promise<void> {
    const window = this.windows[position];
    if (window === undefined) return;
    // Text of the last second before a crash may be lost.
    if (what !== 'kill') await this.#keep(window);
    if (what === 'kill') window.kill();
    else if (what === 'reload') await window.close();
    else this.detachedWindows.push(window);
    await this.#open(position);
  }

  async #keep(window: TestWindow): Promise<void> {
    await settled();
    await window.store.flush();
    for (const turn of window.turns) for (const word of wordsOf(turn)) this.words.add(word);
  }

  async #open(position: number): Promise<void> {
    const window = new TestWindow(this.machine, (this.#processes += 1));
    this.windows[position] = window;
    await window.chat.restored();
    await settled();
  }
}

describe('several windows of a workspace', () => {
  it('keep everything that was shown, each word once and in its own turn', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const workspace = new Workspace();
        await workspace.start();
        for (const step of list) await workspace.run(step.window, step.act);
        await workspace.end();
        const chats = [...workspace.machine.journals].map(([id, text]) =>
          pathOf(readJournal(id, text).conversation),
        );
        for (const turns of chats) assertUnmixed(turns);
        const stored = new Set(chats.flat().flatMap(wordsOf));
        for (const word of workspace.words) assert.ok(stored.has(word), `${word} is lost`);
        for (const { turns: windowTurns } of [...workspace.windows, ...workspace.detachedWindows]) {
          assert.ok(
            windowTurns.length === 0 || chats.some((turns) => contains(turns, windowTurns)),
          );
          assertUnmixed(windowTurns);
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it('take over a reply within seconds after its window was killed', async () => {
    const machine = new SharedMachine();
    const first = new TestWindow(machine, 1);
    first.ask('q1.');
    await settled();
    const second = new TestWindow(machine, 2);
    await second.chat.restored();
    first.kill();
    await machine.clock.advance(3000);
    await settled();
    assert.equal(second.turns[0]?.error?.message, 'interrupted');
    const third = new TestWindow(machine, 3);
    await third.chat.restored();
    assert.equal(third.turns[0]?.error?.message, 'interrupted');
  });

  it('each find their own chat after both were reloaded', async () => {
    const machine = new SharedMachine();
    const open = [new TestWindow(machine, 1), new TestWindow(machine, 2)] as const;
    for (const [position, window] of open.entries()) {
      window.newChat();
      window.ask(`q${position}.`);
      await settled();
      window.finish();
      await settled();
    }
    for (const window of open) await window.close();
    const again = [new TestWindow(machine, 3), new TestWindow(machine, 4)];
    for (const window of again) await window.chat.restored();
    const messages = again.map(({ turns: windowTurns }) => windowTurns[0]?.question.text);
    assert.deepEqual(messages.toSorted(), ['q0.', 'q1.']);
  });
});

function assertUnmixed(turns: readonly Turn[]): void {
  const words = turns.flatMap(wordsOf);
  assert.equal(new Set(words).size, words.length, words.join(' '));
  for (const turn of turns) {
    const message = turn.question.text.slice(0, -1);
    for (const word of wordsOf(turn)) assert.equal(/q\d+/.exec(word)?.[0], message);
  }
}

/** True if the turns contain everything that a window shows, each word in its turn. */
function contains(turns: readonly Turn[], visibleTurns: readonly Turn[]): boolean {
  const wordsByTurn = new Map(turns.map((turn) => [turn.id, wordsOf(turn).join(' ')]));
  return visibleTurns.every((turn) =>
    (wordsByTurn.get(turn.id) ?? '').startsWith(wordsOf(turn).join(' ')),
  );
}
