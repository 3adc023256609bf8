import { toDisposable } from '../../core/support/event.ts';
import type { Port } from '../../protocol/channel.ts';
import type { HostMessage, PostedMessage } from '../../protocol/messages.ts';
import type { DraftKeeper, KeptDraft } from './draft.ts';

/** The scroll position in a chat, restored when the view is reloaded. */
interface Place {
  readonly conversation: string;
  readonly atEnd: boolean;
  /** The turn at the top of the view, and the number of its pixels above the view. */
  readonly turn?: string | undefined;
  readonly offset: number;
}

export interface ScrollPositionStore {
  read(): Place | undefined;
  write(position: Place): void;
}

export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The webview API of VS Code, which a page gets once. */
export function openApi(): VsCodeApi {
  return acquireVsCodeApi();
}

/** A port to the host, whose messages the page trusts. */
export function hostPort<Outgoing, Incoming>(api: VsCodeApi): Port<Outgoing, Incoming> {
  return {
    post: (message) => api.postMessage(message),
    listen(listener) {
      const receive = (event: MessageEvent<Incoming>): void => listener(event.data);
      window.addEventListener('message', receive);
      return toDisposable(() => window.removeEventListener('message', receive));
    },
  };
}

interface OpenedHost {
  readonly port: Port<PostedMessage, HostMessage>;
  readonly scroll: ScrollPositionStore;
  readonly keeper: DraftKeeper;
  /** Stores the id of the visible chat, so that a tab shows it again after a reload. */
  keepChat(chat: string): void;
}

/** Opens the panel's end of the connection: messages to the host, and state that VS Code persists. */
export function openHost(): OpenedHost {
  const api = openApi();
  let chat: string | undefined;
  const save = (position: Place | undefined, draft: KeptDraft | undefined): void =>
    api.setState({ ...position, ...(draft && { draft }), ...(chat !== undefined && { chat }) });
  return {
    port: hostPort(api),
    scroll: {
      read: () => readPlace(api.getState()),
      write: (position) => save(position, readDraft(api.getState())),
    },
    keeper: {
      read: () => readDraft(api.getState()),
      write(draft) {
        const stored = readDraft(api.getState());
        const isSame = draft?.text === stored?.text && draft?.conversation === stored?.conversation;
        if (!isSame) save(readPlace(api.getState()), draft);
      },
    },
    keepChat(id) {
      chat = id;
      save(readPlace(api.getState()), readDraft(api.getState()));
    },
  };
}

function readDraft(state: unknown): KeptDraft | undefined {
  if (typeof state !== 'object' || state === null || !('draft' in state)) return undefined;
  const { draft } = state;
  if (typeof draft !== 'object' || draft === null) return undefined;
  if (!('conversation' in draft && 'text' in draft && 'at' in draft)) return undefined;
  const { conversation, text, at } = draft;
  if (typeof conversation !== 'string' || typeof text !== 'string') return undefined;
  return typeof at === 'number' ? { conversation, text, at } : undefined;
}

function readPlace(state: unknown): Place | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  if (!('conversation' in state && 'offset' in state && 'atEnd' in state)) return undefined;
  const { conversation, offset, atEnd } = state;
  if (typeof conversation !== 'string' || typeof offset !== 'number') return undefined;
  const turn = 'turn' in state && typeof state.turn === 'string' ? state.turn : undefined;
  return { conversation, atEnd: atEnd === true, turn, offset };
}
