import assert from 'node:assert/strict';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { settled } from '../../../support/settled.ts';
import { usualLimits } from '../../../support/toolTurn.ts';
import { until } from '../../../support/until.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { openChat, replyEnd } from '../chat/openChatRig.ts';

const { askUserTool, OpenQuestions } = await withoutVsCode(
  () => import('../../../../src/host/tools/askUser.ts'),
);

const choices = ['SQLite: one file', 'Postgres: a server'];
const asking = JSON.stringify({ question: 'Which database?', choices });

/** A window with a chat whose model asks, and then ends. */
class Window {
  readonly questions = new OpenQuestions();
  readonly requests: CompletionRequest[] = [];
  readonly chat: Chat;

  constructor(storage: MemoryStorage) {
    const clock = new ManualClock();
    const toolbox = new Toolbox([askUserTool(this.questions)], {
      clock,
      redactor: createRedactor(),
      onError: assert.ifError,
    });
    const client: Client = {
      address: { baseUrl: '', origin: '', host: '' },
      stream: (request) => this.#reply(request),
    };
    this.chat = openChat(
      { id: 'c', origin: storage.texts.has('c') ? 'stored' : 'new' },
      {
        clock,
        client,
        storage,
        questions: this.questions,
        chat: { tools: () => Promise.resolve({ toolbox, ...usualLimits }) },
      },
    );
  }

  async *#reply(request: CompletionRequest): AsyncGenerator<CompletionEvent, void> {
    this.requests.push(request);
    await settled();
    const call = { id: 'call', name: 'ask_user', arguments: asking };
    const { completion } = replyEnd;
    yield { type: 'text', text: 'I see.' };
    if (this.results.length === 0)
      yield { type: 'end', completion: { ...completion, toolCalls: [call] } };
    else yield replyEnd;
  }

  /** The results of calls in the last request. */
  get results(): readonly (string | null)[] {
    const messages = this.requests.at(-1)?.messages ?? [];
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  }

  async asked(): Promise<void> {
    this.chat.post({ text: 'Store it.', attachments: [] }, 'm');
    await until(() => this.chat.conversation.running?.status === 'calling');
    await settled();
  }

  answer(chosen: number[], text = ''): Promise<unknown> {
    const { running, turns } = this.chat.conversation;
    const turn = (running ?? turns.at(-1))?.id ?? '';
    const parameters = { turn, call: 'call', choices: chosen, text };
    return this.chat.request({ name: 'answer', parameters });
  }
}

describe('ask_user', () => {
  it('waits for the person, whose choice and words are its result', async () => {
    const window = new Window(new MemoryStorage());
    await window.asked();
    await assert.rejects(window.answer([]), /Choose an answer/);
    assert.equal(window.requests.length, 1);
    await window.answer([1], ' Version 17. ');
    await until(() => !window.chat.isBusy);
    const result = 'The person chose: Postgres\nThe person wrote: Version 17.';
    assert.deepEqual(window.results, [result]);
    await assert.rejects(window.answer([0]), /no longer open/);
    window.chat.dispose();
  });

  it('is answered once', async () => {
    const window = new Window(new MemoryStorage());
    await window.asked();
    const answers = [window.answer([0]), window.answer([1])];
    const ends = await Promise.allSettled(answers);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    await until(() => !window.chat.isBusy);
    assert.deepEqual(window.results, ['The person chose: SQLite']);
    window.chat.dispose();
  });

  it('ends with Stop, and can no longer be answered', async () => {
    const window = new Window(new MemoryStorage());
    await window.asked();
    window.chat.stop();
    await until(() => !window.chat.isBusy);
    await assert.rejects(window.answer([0]), /no longer open/);
    assert.equal(window.requests.length, 1);
    window.chat.dispose();
  });

  it('can be answered in the next window, where the turn goes on', async () => {
    const storage = new MemoryStorage();
    const before = new Window(storage);
    await before.asked();
    await before.chat.store.flush();
    // A window that is killed writes no end of the turn.
    const text = storage.texts.get('c') ?? '';
    before.chat.dispose();
    await settled();
    storage.texts.set('c', text);
    const window = new Window(storage);
    await window.chat.allRead();
    assert.equal(window.chat.conversation.turns.at(-1)?.status, 'cut');
    await window.answer([0]);
    await until(() => !window.chat.isBusy);
    assert.deepEqual(window.results, ['The person chose: SQLite']);
    assert.equal(window.chat.conversation.turns.at(-1)?.status, 'finished');
    await assert.rejects(window.answer([0]), /no longer open/);
    window.chat.dispose();
  });
});
