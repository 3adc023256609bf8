import type { Conversation } from '../conversation/conversation.ts';
import type { Disposable, Event } from '../support/event.ts';
import type { ToolCategory } from '../tools/tool.ts';

/**
 * Whether text that nobody here wrote or read came into a chat by a tool of others or from a network
 * (threats: T38). From then on what was allowed for the chat does not hold for commands and for
 * tools of others: such text could make the model misuse it.
 */
export type Taint = 'clean' | 'tainted';

/** What may change it. */
type TaintEvent =
  /** A tool was carried out: even its error may be words of others. */
  | { readonly type: 'call'; readonly category: ToolCategory }
  /** Another chat stands in the place of this one. */
  | { readonly type: 'chat'; readonly taint: Taint };

/** The state after the event. Only another chat is clean again: a turn that is taken back is not enough. */
export function taintAfter(taint: Taint, event: TaintEvent): Taint {
  if (event.type === 'chat') return event.taint;
  return event.category === 'external' ? 'tainted' : taint;
}

/** The state of a chat that was read again: what its calls brought is still in it. */
export function taintOf(
  { turns, running }: Pick<Conversation, 'turns' | 'running'>,
  isOwn: (tool: string) => boolean,
): Taint {
  const parts = [...turns, ...(running === undefined ? [] : [running])].flatMap(
    ({ parts }) => parts,
  );
  const isForeign = parts.some(
    (part) =>
      part.type === 'tool-call' &&
      part.startedAt !== undefined &&
      part.status !== 'denied' &&
      !isOwn(part.name),
  );
  return isForeign ? 'tainted' : 'clean';
}

/** Where one chat is open at a time. */
interface OpenChat {
  readonly conversation: Conversation;
  /** Another conversation is shown. */
  readonly onDidReplace: Event<unknown>;
}

/** Remembers the taint of the chat of the moment. */
export class ChatTaint {
  #taint: Taint = 'clean';

  get isTainted(): boolean {
    return this.#taint === 'tainted';
  }

  note(event: TaintEvent): void {
    this.#taint = taintAfter(this.#taint, event);
  }

  /** Judges the conversation that is open now, and each that is opened later. */
  follow(chat: OpenChat, isOwn: (tool: string) => boolean): Disposable {
    const judge = (): void => {
      this.note({ type: 'chat', taint: taintOf(chat.conversation, isOwn) });
    };
    judge();
    return chat.onDidReplace(judge);
  }
}
