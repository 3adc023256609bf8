import type { Conversation } from '../conversation/conversation.ts';
import { turnsOfAllPaths } from '../conversation/paths.ts';
import type { Disposable, Event } from '../support/event.ts';
import type { ToolCategory } from '../tools/tool.ts';

/**
 * `tainted` once text from an external tool or from a network, which the person neither wrote nor
 * read, entered a chat (threats: T38). From then on, chat grants do not apply to commands and
 * external tools, since such text could make the model misuse them.
 */
export type Taint = 'clean' | 'tainted';

type TaintEvent =
  /** A tool was run: even its error may contain external text. */
  | { readonly type: 'call'; readonly category: ToolCategory }
  /** The chat was read, possibly again. */
  | { readonly type: 'chat'; readonly taint: Taint };

/**
 * The taint after the event. Only reading a chat can make it clean again; removing a turn is not
 * enough.
 */
export function taintAfter(taint: Taint, event: TaintEvent): Taint {
  if (event.type === 'chat') return event.taint;
  return event.category === 'external' ? 'tainted' : taint;
}

/**
 * The taint of a loaded chat, from the results of its calls. Versions that aren't visible count,
 * since the person can choose them again. An imported file may contain anything (threats: T47).
 */
export function taintOf(conversation: Conversation, isOwn: (tool: string) => boolean): Taint {
  if (conversation.importedUsage !== undefined) return 'tainted';
  const parts = turnsOfAllPaths(conversation).flatMap((turn) => turn.parts);
  const hasExternalCall = parts.some(
    (part) =>
      part.type === 'tool-call' &&
      part.startedAt !== undefined &&
      part.status !== 'denied' &&
      !isOwn(part.name),
  );
  return hasExternalCall ? 'tainted' : 'clean';
}

export interface TaintedChat {
  readonly conversation: Conversation;
  /** Fires when its conversation was read. */
  readonly onDidReplace: Event<unknown>;
}

/** Tracks the taint of an open chat. */
export class ChatTaint {
  #taint: Taint = 'clean';

  get isTainted(): boolean {
    return this.#taint === 'tainted';
  }

  note(event: TaintEvent): void {
    this.#taint = taintAfter(this.#taint, event);
  }

  /** Updates the taint with the conversation, now and whenever it is read again. */
  follow(chat: TaintedChat, isOwn: (tool: string) => boolean): Disposable {
    const update = (): void => {
      this.note({ type: 'chat', taint: taintOf(chat.conversation, isOwn) });
    };
    update();
    return chat.onDidReplace(update);
  }
}
