import type { Conversation } from '../conversation/conversation.ts';
import { turnsOfAllPaths } from '../conversation/paths.ts';
import type { Disposable, Event } from '../support/event.ts';

/**
 * True if a loaded chat has results of external tools. Versions that aren't visible count, since the
 * person can choose them again. An imported file may contain anything (threats: T47).
 */
export function isTaintedChat(
  conversation: Conversation,
  isOwn: (tool: string) => boolean,
): boolean {
  if (conversation.importedUsage !== undefined) return true;
  const parts = turnsOfAllPaths(conversation).flatMap((turn) => turn.parts);
  return parts.some(
    (part) =>
      part.type === 'tool-call' &&
      part.startedAt !== undefined &&
      part.status !== 'denied' &&
      !isOwn(part.name),
  );
}

export interface TaintedChat {
  readonly conversation: Conversation;
  /** Fires when its conversation was read. */
  readonly onDidReplace: Event<unknown>;
}

/**
 * Tells whether text from an external tool or from a network, which the person neither wrote nor
 * read, entered an open chat (threats: T38). From then on, chat grants do not apply to commands and
 * external tools, since such text could make the model misuse them. Only reading a chat can make it
 * clean again; removing a turn is not enough.
 */
export class ChatTaint {
  #isTainted = false;

  get isTainted(): boolean {
    return this.#isTainted;
  }

  /** Called when an external tool was run: even its error may contain external text. */
  noteExternalCall(): void {
    this.#isTainted = true;
  }

  /** Updates the taint with the conversation, now and whenever it is read again. */
  follow(chat: TaintedChat, isOwn: (tool: string) => boolean): Disposable {
    const update = (): void => {
      this.#isTainted = isTaintedChat(chat.conversation, isOwn);
    };
    update();
    return chat.onDidReplace(update);
  }
}
