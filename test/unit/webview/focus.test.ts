import assert from 'node:assert/strict';
import type { FileChange, Turn } from '../../../src/core/conversation/conversation.ts';
import type { HostMessage, Snapshot, ViewMessage } from '../../../src/protocol/messages.ts';
import { type ChatState, connected } from '../../support/pages/chatParts.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { answersTo } from '../../support/pages/hostAnswers.ts';
import { cases } from '../../support/sample.ts';
import { PanelPage } from './panel.ts';
import { chat, end, finished, said, startedAt } from './tools.ts';

const stopped: Turn = { ...said('first'), status: 'stopped' };
const conversation = chat(stopped);
describe('the focus', () => {
  let panel: PanelPage;

  const open = async (): Promise<void> => {
    panel = await PanelPage.open({ conversation, draft: 'Why?' });
  };
  const active = (): Element | null => panel.activeElement;
  const field = (): HTMLElement => panel.element('.message-field');

  describe('goes to the composer', () => {
    it('when VS Code gives it to the page', async () => {
      await open();
      assert.notEqual(active(), field());
      await panel.receiveFocus();
      assert.equal(active(), field());
    });

    it('when the host requests it and the page has it, even from another element', async () => {
      await open();
      panel.isFocused = true;
      panel.button('Configure').focus();
      panel.post({ type: 'focus', grabs: false });
      await panel.drawn();
      assert.equal(active(), field());
    });

    it('when the host requests it before VS Code focuses the page', async () => {
      await open();
      panel.post({ type: 'focus', grabs: false });
      await panel.drawn();
      assert.notEqual(active(), field());
      panel.button('Configure').focus();
      await panel.receiveFocus();
      assert.equal(active(), field());
    });

    it('when the host requests it and VS Code focuses a tab instead, immediately', async () => {
      await open();
      panel.post({ type: 'focus', grabs: true });
      await panel.drawn();
      assert.equal(active(), field());
    });
  });

  describe('stays where the person moved it', () => {
    it('when the host asks for it late', async () => {
      await open();
      await panel.receiveFocus();
      panel.loseFocus();
      panel.post({ type: 'focus', grabs: true });
      await panel.drawn();
      assert.notEqual(active(), field());
    });

    it('when the host asks for it late, and the person points to another part of the panel', async () => {
      await open();
      panel.post({ type: 'focus', grabs: false });
      await panel.drawn();
      panel.button('Configure').dispatchEvent(new panel.window.Event('pointerdown'));
      panel.button('Configure').focus();
      await panel.receiveFocus();
      assert.equal(active(), panel.button('Configure'));
    });

    it('when an edited message is drawn again', async () => {
      await open();
      await panel.click('Edit Message');
      assert.equal(active(), panel.element('.question-editor textarea'));
      await panel.type('.question-editor textarea', 'Why so?');
      field().focus();
      const other = chat({ ...stopped, id: 'second' });
      await panel.show({ conversation: other });
      await panel.show({ conversation });
      await panel.drawn();
      assert.equal(panel.valueOf('.question-editor textarea'), 'Why so?');
      assert.equal(active(), field());
    });

    /** Moves the focus after a button is pressed and before the host answers. */
    const moveAfter = async (name: string, move: () => void): Promise<void> => {
      await open();
      await panel.receiveFocus();
      const ids: number[] = [];
      panel.holdRequest = (id) => ids.push(id);
      panel.button(name).click();
      await panel.drawn();
      move();
      for (const id of ids) panel.post({ type: 'answer', id });
      await panel.drawn();
    };

    for (const name of ['Send', 'Continue', 'Attach…'])
      it(`to another part of the window, after ${name}`, async () => {
        await moveAfter(name, () => panel.loseFocus());
        assert.notEqual(active(), field());
        await panel.receiveFocus();
        assert.equal(active(), field());
      });

    it('to another part of the panel', async () => {
      await moveAfter('Send', () => panel.button('Configure').focus());
      assert.equal(active(), panel.button('Configure'));
    });
  });
});

/**
 * Presses each button of each main state, and checks the focus after the host has answered. It must
 * never be on the body, from where a keyboard user has to start again.
 */

const buttons = 'button:not(:disabled), summary';

const nameOf = (button: Element): string =>
  `${button.parentElement?.className ?? ''}: ${button.getAttribute('aria-label') ?? button.textContent}`;

/**
 * Messages of the host after it has done what the page requested. Most of them remove something.
 */
function hostReplies(message: ViewMessage, { snapshot }: ChatState): readonly HostMessage[] {
  if (message.type !== 'call') return [];
  const { call } = message;
  const { conversation, state } = snapshot;
  const show = (change: Partial<Snapshot>): HostMessage => ({
    type: 'snapshot',
    snapshot: { ...snapshot, ...change },
  });
  switch (call.name) {
    case 'remove-attachment':
    case 'attach-offered':
    case 'unqueue':
    case 'edit-queued':
    case 'stop-editing-queued':
    case 'reload-chat': {
      const others = { ...state, isReadOnly: undefined, edits: undefined };
      return [{ type: 'state', state: { ...others, attachments: [], queued: [] } }];
    }
    case 'stop':
      return [{ type: 'events', events: [end] }];
    case 'send':
      return [
        show({ conversation: { ...conversation, running: conversation.running ?? nextTurn } }),
      ];
    case 'retry':
    case 'retry-without-tools':
    case 'continue':
    case 'resume':
    case 'resend':
      return [show({ conversation: { ...chat(), running: nextTurn } })];
    case 'decide':
      return [
        {
          type: 'events',
          events: [{ type: 'tool-call-run', id: call.parameters.call, at: startedAt }],
        },
      ];
    case 'open-chat':
      return [show({ conversation: { ...chat(finished), id: 'other' } })];
    case 'changes': {
      const { action, change } = call.parameters;
      const turns = conversation.turns.map((turn) => ({
        ...turn,
        changes: turn.changes?.map((entry) =>
          change === undefined || change === entry.id ? withAction(entry, action) : entry,
        ),
      }));
      return [show({ conversation: chat(...turns) })];
    }
    case 'run':
      if (call.parameters.command === 'openWalkthrough') return [];
      return [{ type: 'state', state: { ...connected, recent: state.recent } }];
    default:
      return [];
  }
}

function withAction(change: FileChange, action: 'diff' | 'keep' | 'undo' | 'redo'): FileChange {
  if (action === 'redo')
    return change.status === 'undone' ? { ...change, status: 'changed' } : change;
  if (action === 'diff' || change.status !== 'changed') return change;
  return { ...change, status: action === 'keep' ? 'kept' : 'undone' };
}

const runningTurn = { ...finished, endedAt: undefined, finishReason: undefined };
const nextTurn = { ...runningTurn, id: 'next', status: 'waiting' as const };

async function openState(state: ChatState): Promise<PanelPage> {
  const page = await PanelPage.open(state.snapshot);
  page.isFocused = true;
  let isActing = true;
  page.listener = (message) => {
    const answers = isActing ? answersTo(message) : hostReplies(message, state);
    if (isActing) queueMicrotask(() => answers.forEach((answer) => page.post(answer)));
    else for (const answer of answers) page.post(answer);
  };
  for (const message of state.messages.slice(1)) page.post(message);
  await page.drawn();
  await state.act?.({
    press: async (name) => {
      page.buttons(name).at(-1)?.click();
      await page.drawn();
    },
    choose: (name, entry) => page.choose(name, entry),
    type: (field, text) => page.type(field, text),
    unfold: async (within = 'body') => {
      for (const fold of page.all(`${within} details:not([open]) > summary`)) fold.click();
      await page.drawn();
    },
  });
  await page.drawn();
  isActing = false;
  return page;
}

/** Returns the button's name if the focus is lost after it. */
async function press(state: ChatState, index: number): Promise<readonly string[]> {
  const page = await openState(state);
  try {
    const button = page.all(buttons)[index];
    if (button === undefined) return [];
    const name = nameOf(button);
    button.focus();
    if (page.activeElement !== button) return [];
    button.click();
    await page.drawn();
    await page.drawn();
    return page.activeElement === page.window.document.body ? [name] : [];
  } finally {
    page.close();
  }
}

describe('the focus after each action', () => {
  const pressed = new Set<string>();

  for (const state of chatStates)
    it(`is kept in the state “${state.name}”`, async () => {
      const page = await openState(state);
      const names = page.all(buttons).map(nameOf);
      page.close();
      assert.ok(names.length > 0);
      const lost: string[] = [];
      for (const [index, button] of cases([...names.entries()], 5)) {
        if (pressed.has(button)) continue;
        pressed.add(button);
        lost.push(...(await press(state, index)));
      }
      assert.deepEqual(lost, []);
    }).timeout(120_000);
});
