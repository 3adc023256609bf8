import { toDisposable } from '../core/support/disposable.ts';
import type { Port } from '../protocol/channel.ts';
import type { HostMessage, ViewMessage } from '../protocol/messages.ts';

/** Where the reader was in a chat, kept over a reload of the view. */
interface Place {
  readonly conversation: string;
  readonly top: number;
  readonly atEnd: boolean;
}

/** A place that is remembered. */
export interface PlaceStore {
  read(): Place | undefined;
  write(place: Place): void;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The two things that VS Code gives to a view: a line to the host, and a place to remember. */
export function openHost(): { port: Port<ViewMessage, HostMessage>; place: PlaceStore } {
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
  if (!('conversation' in state && 'top' in state && 'atEnd' in state)) return undefined;
  const { conversation, top, atEnd } = state;
  if (typeof conversation !== 'string' || typeof top !== 'number') return undefined;
  return { conversation, top, atEnd: atEnd === true };
}
