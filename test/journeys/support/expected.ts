import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  turnText,
  type Conversation,
  type Turn,
} from '../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../src/core/conversation/journalReader.ts';
import type { Journey } from './journey.ts';

/** Milliseconds after which text has to be saved: a second, and what a busy machine needs. */
const maxSaveDelay = 2000;

/** What a reply showed at a moment, in milliseconds of `performance.now()`. */
interface Shown {
  readonly at: number;
  readonly text: string;
}

interface ExpectedTurn {
  readonly question: string;
  /** The text of the reply. If the turn is interrupted, a part of it is there. */
  readonly reply: string;
  /** Of an interrupted turn, the oldest first. */
  readonly samples?: Shown[];
}

/** What a chat has to hold after its extension host was killed. */
export class Expected {
  readonly turns: ExpectedTurn[] = [];
  readonly #losses: number[] = [];
  draft = '';
  isAttached = false;

  /** Adds a turn that is interrupted, and returns the list of what it shows before that. */
  interrupted(question: string, reply: string): Shown[] {
    const samples: Shown[] = [];
    this.turns.push({ question, reply, samples });
    return samples;
  }

  /** Whether a request was interrupted, of which the service never told the tokens. */
  get hasInterrupted(): boolean {
    return this.turns.some(({ samples, reply }) => samples !== undefined && reply !== '');
  }

  /** How much text was lost, in words. */
  get measured(): string {
    const losses = this.#losses.map(Math.round);
    return `      the kept text ends ${losses.join(', ')} ms before the kill`;
  }

  async checkPanel({ panel }: Journey): Promise<void> {
    const messages = this.turns.map(({ question }) => question);
    const questionTexts = await panel.questions.allInnerTexts();
    // What is attached stands above the text.
    const texts = questionTexts.map((text) => text.trim().split('\n').at(-1));
    assert.ok(texts.length > 0);
    assert.deepEqual(texts, messages.slice(-texts.length));
    assert.equal(await panel.input.inputValue(), this.draft);
    const chip = panel.button('Remove temperature.ts');
    await chip.waitFor({ state: this.isAttached ? 'visible' : 'detached' });
    if (this.turns.at(-1)?.samples !== undefined)
      await panel.alert.getByText('The window was closed or reloaded during the reply.').waitFor();
    assert.equal(await panel.button('Stop').count(), 0);
    assert.equal(await panel.button('Allow Once').count(), 0);
  }

  /** @param killed when the extension host was killed the last time */
  async checkJournal(walk: Journey, killed: number): Promise<void> {
    let chat = await savedChat(walk);
    // The end of the last turn is shown before it is written.
    while (chat.running !== undefined) chat = await savedChat(walk);
    const { turns } = chat;
    const messages = turns.map(({ question }) => question.text);
    assert.deepEqual(
      messages,
      this.turns.map(({ question }) => question),
    );
    for (const [index, turn] of turns.entries()) this.#checkTurn(turn, this.turns[index]);
    // The last turn came after the kill.
    const [turn, expected] = [turns.at(-2), this.turns.at(-2)];
    if (turn !== undefined && expected?.samples !== undefined)
      this.#checkLoss(turn, expected.samples, killed);
  }

  #checkTurn(turn: Turn, expected: ExpectedTurn | undefined): void {
    if (expected?.samples === undefined) assert.equal(turnText(turn), expected?.reply);
    else {
      assert.equal(turn.error?.kind, 'interrupted');
      assert.ok(
        expected.reply.startsWith(turnText(turn).trim()),
        'A part of the reply is missing.',
      );
    }
  }

  #checkLoss(turn: Turn, samples: readonly Shown[], killed: number): void {
    const storedText = turnText(turn).trim();
    const inTime = samples.findLast(({ at }) => at < killed - maxSaveDelay)?.text ?? '';
    assert.ok(storedText.startsWith(inTime), `Of ${inTime} there is only ${storedText}.`);
    const last = samples.findLast(({ text }) => storedText.startsWith(text));
    if (last !== undefined) this.#losses.push(killed - last.at);
  }
}

/** The only chat that is saved, of which every line can be read. */
async function savedChat({ userFolder }: Journey): Promise<Conversation> {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/chats');
  const [name = '', ...others] = await readdir(folder);
  assert.deepEqual(others, [], 'The chat goes on in its own file, and nothing is set aside.');
  const text = await readFile(join(folder, name), 'utf8');
  // What comes after the last line end is being written.
  for (const line of text.split('\n').slice(0, -1))
    assert.doesNotThrow(() => void JSON.parse(line));
  return readJournal(name.replace('.jsonl', ''), text).conversation;
}

/** The median, rounded. */
export function medianOf(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0);
}
