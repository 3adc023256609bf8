import assert from 'node:assert/strict';
import { Emitter } from '../../../src/core/support/event.ts';
import { Composer } from '../../../src/host/attachments/composer.ts';
import { MessageQueue } from '../../../src/host/chat/messageQueue.ts';
import { BudgetNotices } from '../../../src/host/usage/budgetNotices.ts';
import { WalkthroughSteps } from '../../../src/host/help/walkthrough.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { reportedErrors } from '../../support/reportedErrors.ts';
import { toolRig } from '../../support/toolTurn.ts';
import { openChats } from './chat/openChatRig.ts';
import { FakeMemento } from './fakes.ts';
import { noStorage } from '../../support/memoryStorage.ts';

/** Fails like storage on a full disk. */
class BrokenMemento extends FakeMemento {
  static readonly error = new Error('The state was not stored.');

  override update(): Promise<never> {
    return Promise.reject(BrokenMemento.error);
  }
}

const message = { text: 'Why?', attachments: [] };
const mayBeKept = (): Promise<boolean> => Promise.resolve(true);

/** Changes whose storing nothing awaits. */
const changes: Readonly<Record<string, (state: BrokenMemento) => unknown>> = {
  'a step of the walkthrough'(state) {
    const options = { setContext: () => undefined, clock: new ManualClock(), state };
    new WalkthroughSteps(options).noteCommand('aside.showUsage');
  },
  'a notice of a budget'(state) {
    const used = { limit: 9, spent: 9, reserved: 0, running: 0 };
    const budget = { ...used, of: 'day', unit: 'tokens', period: '2030-01-31' } as const;
    const changed = new Emitter<undefined>();
    new BudgetNotices({
      state,
      budgets: () => [budget],
      settings: () => ({ day: 9, unit: 'tokens' }),
      isWanted: () => false,
      isReplying: () => false,
      context: () => assert.fail(),
      notify: () => assert.fail(),
      run: () => assert.fail(),
      onDidChange: changed.event,
      onDidAlert: changed.event,
    });
    changed.fire(undefined);
  },
  'the chat in the side bar'(state) {
    const chat = { connect: () => assert.fail() };
    const { chats } = openChats({ clock: new ManualClock(), state, storage: noStorage, chat });
    chats.saveSidebar(chats.inSidebar);
  },
  'a queued message'(state) {
    const { chat } = toolRig({ script: [] });
    const composer = new Composer(new FakeMemento(), mayBeKept);
    const restoreToDraft = (): void => undefined;
    new MessageQueue({ chat, composer, restoreToDraft, onRefused: assert.ifError, state }).add(
      message,
      'm',
    );
  },
  'an attachment'(state) {
    const [kind, path, language] = ['pasted', 'P', ''] as const;
    const attachment = { id: 'a', kind, name: path, path, language, text: 'text' };
    new Composer(state, mayBeKept).attach(attachment);
  },
};

describe('a state that VS Code cannot store', () => {
  for (const [name, change] of Object.entries(changes))
    it(`is reported: ${name}`, async () => {
      const errors = await reportedErrors(() => change(new BrokenMemento()));
      assert.deepEqual(errors, [BrokenMemento.error]);
    });
});
