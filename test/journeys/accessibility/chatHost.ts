import type { Browser } from 'playwright-core';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import {
  viewMessage,
  type HostMessage,
  type Snapshot,
  type ViewMessage,
} from '../../../src/protocol/messages.ts';
import { startedAt } from '../../unit/webview/tools.ts';
import { BuiltPage } from './builtPage.ts';
import { ready, type ChatScene } from './chatScenes.ts';

/** Opens the chat in a state. */
export async function openScene(browser: Browser, scene: ChatScene): Promise<BuiltPage> {
  const page = await BuiltPage.open(browser, 'main', (asked) =>
    answer(viewMessage.parse(asked), scene),
  );
  await page.post({ type: 'snapshot', snapshot: snapshotOf(scene) });
  await page.page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  await page.post(...(scene.then ?? []));
  await scene.act?.(page);
  await page.drawn();
  return page;
}

function snapshotOf({ snapshot }: ChatScene): Snapshot {
  return {
    ...{ conversation: emptyConversation('chat'), before: 0, after: 0, state: ready, draft: '' },
    now: startedAt + 60_000,
    ...snapshot,
  };
}

/** What the host of a chat answers, as far as scenes ask for it. */
function answer(message: ViewMessage, scene: ChatScene): readonly HostMessage[] {
  switch (message.type) {
    case 'find':
      return [found(message.query)];
    case 'find-restorable':
      return [{ type: 'restorable', turn: message.turn, files: ['src/a.ts'], left: ['src/b.ts'] }];
    case 'find-references':
      return [
        {
          type: 'references',
          number: message.number,
          places: message.words.map(({ text }) => (text.includes('.ts') ? { path: text } : null)),
        },
      ];
    case 'request':
      return answerRequest(message, scene);
    default:
      return [];
  }
}

function found(query: string): HostMessage {
  const places = [{ turn: 'turn', part: 0, hits: 1 }];
  return { type: 'found', query, places, start: 0, complete: true };
}

function answerRequest(
  { id, request }: Extract<ViewMessage, { type: 'request' }>,
  { snapshot: { state = ready } }: ChatScene,
): readonly HostMessage[] {
  switch (request.type) {
    case 'complete':
      return [
        {
          ...{ type: 'completions', trigger: request.trigger, query: request.query },
          items: request.query === 'ap' ? [completion] : [],
        },
      ];
    case 'read-image':
      return [{ type: 'image', hash: request.hash, url: '' }];
    case 'fork':
      return state.notice === undefined
        ? []
        : [{ type: 'settled', id, refusal: 'A fork needs a place to be saved.' }];
    default:
      return [];
  }
}

const completion = { id: 'f', label: 'app.ts', detail: 'src', icon: 'file' };
