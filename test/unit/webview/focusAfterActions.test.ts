/**
 * Presses each button of each main state, and checks the focus after the host has answered. It must
 * never be on the body, from where a keyboard user has to start again.
 */
import assert from 'node:assert/strict';
import type { FileChange } from '../../../src/core/conversation/conversation.ts';
import type { HostMessage, Snapshot, ViewMessage } from '../../../src/protocol/messages.ts';
import { connected, type ChatState } from '../../support/pages/chatParts.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { answersTo } from '../../support/pages/hostAnswers.ts';
import { cases } from '../../support/sample.ts';
import { PanelPage } from './panel.ts';
import { chat, end, finished, startedAt } from './tools.ts';

const buttons = 'button:not(:disabled), summary';

const nameOf = (button: Element): string =>
  `${button.parentElement?.className ?? ''}: ${button.getAttribute('aria-label') ?? button.textContent}`;

/**
 * Messages of the host after it has done what the page requested. Most of them remove something.
 */
function hostReplies(message: ViewMessage, { snapshot }: ChatState): readonly HostMessage[] {
  if (message.type !== 'request') return [];
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
      const others = { ...state, openElsewhere: undefined, edits: undefined };
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
