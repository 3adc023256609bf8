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

/** Milliseconds after which text must be saved: one second, plus a margin for a busy machine. */
const maxSaveDelay = 2000;

/** Text of a reply at a time in milliseconds of `performance.now()`. */
interface Sample {
  readonly at: number;
  readonly text: string;
}

interface ExpectedTurn {
  readonly message: string;
  /** Text of the complete reply. An interrupted turn has the beginning of it. */
  readonly reply: string;
  /** Samples of an interrupted turn, the oldest first. */
  readonly samples?: Sample[];
}

/** Expected content of a chat after its extension host was killed. */
export class Expected {
  readonly turns: ExpectedTurn[] = [];
  readonly #losses: number[] = [];
  draft = '';
  isAttached = false;

  /** Adds an interrupted turn and returns its samples, which the caller fills. */
  addInterrupted(message: string, reply: string): Sample[] {
    const samples: Sample[] = [];
    this.turns.push({ message, reply, samples });
    return samples;
  }

  /** True if a request was interrupted, so that the service never reported its tokens. */
  get hasInterrupted(): boolean {
    return this.turns.some(({ samples, reply }) => samples !== undefined && reply !== '');
  }

  /** Report of how much text was lost. */
  get lossReport(): string {
    const losses = this.#losses.map(Math.round);
    return `      the saved text ends ${losses.join(', ')} ms before the kill`;
  }

  async checkPanel({ panel }: Journey): Promise<void> {
    const messages = this.turns.map(({ message }) => message);
    const messageTexts = await panel.messages.allInnerTexts();
    // Attachments are above the text.
    const texts = messageTexts.map((text) => text.trim().split('\n').at(-1));
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

  /** @param killed time of the last kill of the extension host */
  async checkJournal(walk: Journey, killed: number): Promise<void> {
    let chat = await savedChat(walk);
    // The panel shows the end of the last turn before it is written.
    while (chat.running !== undefined) chat = await savedChat(walk);
    const { turns } = chat;
    const messages = turns.map(({ question }) => question.text);
    assert.deepEqual(
      messages,
      this.turns.map(({ message }) => message),
    );
    for (const [index, turn] of turns.entries()) this.#checkTurn(turn, this.turns[index]);
    // The last turn started after the kill.
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

  #checkLoss(turn: Turn, samples: readonly Sample[], killed: number): void {
    const storedText = turnText(turn).trim();
    const inTime = samples.findLast(({ at }) => at < killed - maxSaveDelay)?.text ?? '';
    assert.ok(storedText.startsWith(inTime), `Of ${inTime} there is only ${storedText}.`);
    const last = samples.findLast(({ text }) => storedText.startsWith(text));
    if (last !== undefined) this.#losses.push(killed - last.at);
  }
}

/** The only saved chat. Fails if one of its lines can't be parsed. */
async function savedChat({ userFolder }: Journey): Promise<Conversation> {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/chats');
  const [name = '', ...others] = await readdir(folder);
  assert.deepEqual(others, [], 'The chat goes on in its own file, and nothing is set aside.');
  const text = await readFile(join(folder, name), 'utf8');
  // Text after the last line break is still being written.
  for (const line of text.split('\n').slice(0, -1))
    assert.doesNotThrow(() => void JSON.parse(line));
  return readJournal(name.replace('.jsonl', ''), text).conversation;
}

export function medianOf(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0);
}
