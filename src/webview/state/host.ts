import { toDisposable } from '../../core/support/event.ts';
import type { Port } from '../../protocol/channel.ts';
import type { HostMessage, ViewMessage } from '../../protocol/messages.ts';

/** The scroll position in a chat, restored when the view is reloaded. */
interface Place {
  readonly conversation: string;
  readonly atEnd: boolean;
  /** The turn at the top of the view, and how many of its pixels are above the view. */
  readonly turn?: string | undefined;
  readonly offset: number;
}

/** Stores the scroll position. */
export interface ScrollPositionStore {
  read(): Place | undefined;
  write(place: Place): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Wraps the webview API of VS Code: messages to the host, and persisted state. */
export function openHost(): { port: Port<ViewMessage, HostMessage>; place: ScrollPositionStore } {
  const api = acquireVsCodeApi();
  return {
    port: {
      post: (message) => api.postMessage(message),
      listen(listener) {
        const receive = (event: MessageEvent<HostMessage>): void => listener(event.data);
        window.addEventListener('message', receive);
        return toDisposable(() => window.removeEventListener('message', receive));
      },
    },
    place: {
      read: () => readPlace(api.getState()),
      write: (place) => api.setState(place),
    },
  };
}

function readPlace(state: unknown): Place | undefined {
  if (typeof state !== 'object' || state === null) return undefined;
  if (!('conversation' in state && 'offset' in state && 'atEnd' in state)) return undefined;
  const { conversation, offset, atEnd } = state;
  if (typeof conversation !== 'string' || typeof offset !== 'number') return undefined;
  const turn = 'turn' in state && typeof state.turn === 'string' ? state.turn : undefined;
  return { conversation, atEnd: atEnd === true, turn, offset };
}
