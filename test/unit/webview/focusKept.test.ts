/**
 * Where the focus is after each button of each main state was pressed, and the host has done what it
 * asks for: never with the page, from where a person with a keyboard has to begin anew.
 */
import assert from 'node:assert/strict';
import { emptyConversation, type FileChange } from '../../../src/core/conversation/conversation.ts';
import type { HostMessage, Snapshot, ViewMessage } from '../../../src/protocol/messages.ts';
import { chatScenes, ready, type ChatScene } from '../../journeys/accessibility/chatScenes.ts';
import { cases } from '../../support/sample.ts';
import { PanelPage } from './panel.ts';
import { chat, end, finished, startedAt } from './tools.ts';

const buttons = 'button:not(:disabled), summary';

const nameOf = (button: Element): string =>
  `${button.parentElement?.className ?? ''}: ${button.getAttribute('aria-label') ?? button.textContent}`;

function snapshotOf({ snapshot }: ChatScene): Snapshot {
  const conversation = emptyConversation('chat');
  const none = { before: 0, after: 0, draft: '', now: startedAt + 60_000 };
  return { conversation, state: ready, ...none, ...snapshot };
}

/** What a host posts that has done what the page asked for: most of it takes something away. */
function done({ type, ...asked }: ViewMessage, scene: ChatScene): readonly HostMessage[] {
  if (type === 'find-restorable' && 'turn' in asked)
    return [{ type: 'restorable', turn: asked.turn ?? '', files: ['src/a.ts'], left: [] }];
  if (!('request' in asked)) return [];
  const { request } = asked;
  const shown = snapshotOf(scene);
  const { conversation, state } = shown;
  const show = (change: Partial<Snapshot>): HostMessage => ({
    type: 'snapshot',
    snapshot: { ...shown, ...change },
  });
  switch (request.type) {
    case 'remove-attachment':
    case 'attach-offered':
    case 'unqueue':
    case 'edit-queued':
    case 'stop-editing-queued':
    case 'continue-here': {
      const others = { ...state, heldBy: undefined, edits: undefined };
      return [{ type: 'state', state: { ...others, attachments: [], queued: [] } }];
    }
    case 'stop':
      return [{ type: 'events', events: [end] }];
    case 'send':
      return [show({ conversation: { ...conversation, running: conversation.running ?? begun } })];
    case 'retry':
    case 'retry-without-tools':
    case 'continue':
    case 'resume':
    case 'resend':
      return [show({ conversation: { ...chat(), running: begun } })];
    case 'decide':
      return [{ type: 'events', events: [{ type: 'tool-call-run', id: 'c1', at: startedAt }] }];
    case 'open-chat':
      return [show({ conversation: { ...chat(finished), id: 'other' } })];
    case 'choose-reply':
      return [show({ conversation: { ...chat(finished) } })];
    case 'changes': {
      const { action, change } = request;
      const turns = conversation.turns.map((turn) => ({
        ...turn,
        changes: turn.changes?.map((one) =>
          change === undefined || change === one.id ? changed(one, action) : one,
        ),
      }));
      return [show({ conversation: chat(...turns) })];
    }
    case 'run':
      return [{ type: 'state', state: { ...ready, recent: state.recent } }];
    default:
      return [];
  }
}

/** A file after what was done with it; one that this is not about stays as it is. */
function changed(change: FileChange, action: 'diff' | 'keep' | 'undo' | 'redo'): FileChange {
  if (action === 'redo')
    return change.status === 'undone' ? { ...change, status: 'changed' } : change;
  if (action === 'diff' || change.status !== 'changed') return change;
  return { ...change, status: action === 'keep' ? 'kept' : 'undone' };
}

const open = { ...finished, endedAt: undefined, finishReason: undefined };
const begun = { ...open, id: 'next', status: 'waiting' as const };

async function openScene(scene: ChatScene): Promise<PanelPage> {
  const page = await PanelPage.open(snapshotOf(scene));
  page.isFocused = true;
  let isActing = true;
  page.listener = (message) => {
    for (const one of isActing && message.type === 'request' ? [] : done(message, scene))
      page.post(one);
  };
  for (const message of scene.then ?? []) page.post(message);
  await page.drawn();
  await scene.act?.({
    press: async (name) => {
      page.buttons(name).at(-1)?.click();
      await page.drawn();
    },
    type: (text) => page.type('[aria-label=Message]', text),
  });
  await page.drawn();
  isActing = false;
  return page;
}

/** @returns the name of the button, if the focus is lost after it */
async function press(scene: ChatScene, index: number): Promise<readonly string[]> {
  const page = await openScene(scene);
  try {
    const button = page.all(buttons)[index];
    if (button === undefined) return [];
    const name = nameOf(button);
    button.focus();
    if (page.window.document.activeElement !== button) return [];
    button.click();
    await page.drawn();
    await page.drawn();
    return page.window.document.activeElement === page.window.document.body ? [name] : [];
  } finally {
    page.close();
  }
}

describe('the focus after each action', () => {
  const pressed = new Set<string>();

  for (const [name, scene] of Object.entries(chatScenes))
    it(`is kept in the state “${name}”`, async () => {
      const page = await openScene(scene);
      const names = page.all(buttons).map(nameOf);
      page.close();
      assert.ok(names.length > 0);
      const lost: string[] = [];
      for (const [index, button] of cases([...names.entries()], 5)) {
        if (pressed.has(button)) continue;
        pressed.add(button);
        lost.push(...(await press(scene, index)));
      }
      assert.deepEqual(lost, []);
    }).timeout(120_000);
});
