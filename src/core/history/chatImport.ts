import type {
  Conversation,
  OtherPaths,
  Part,
  Summary,
  Turn,
  UserMessage,
} from '../conversation/conversation.ts';
import type { ChatShorten, ConversationEvent } from '../conversation/events.ts';
import { copiedPartKey } from '../conversation/partChoices.ts';
import { turnWithoutTraces } from '../conversation/traces.ts';
import { newId } from '../support/id.ts';
import { chatFileOf, type ChatFile } from './chatFile.ts';
import { cleanTitle } from './chatTitle.ts';

/**
 * The events of a new chat with the content of a file. All of it has ended: no call runs, no change
 * can be undone, and its usage is not counted. Whoever wrote the file chooses nothing: its traces,
 * mode and options are dropped, and its models are only names.
 */
export function importEvents(file: ChatFile): readonly ConversationEvent[] {
  const { title, pinned, usage, turns, others, summaries = [] } = file;
  const ids = new NewIds({ keepsCalls: false });
  const imported = turns.map(
    (turn) => ({ type: 'turn-import', turn: ids.importedTurn(turn) }) as const,
  );
  return [
    { type: 'chat-import', usage, others: others?.map((group) => ids.pathsWith(group)) },
    ...(title === undefined ? [] : [{ type: 'title-change', title: cleanTitle(title) } as const]),
    ...(pinned === true ? [{ type: 'pin-change', pinned } as const] : []),
    ...imported,
    ...summaries.map((summary) => ids.shortenWith(summary)),
    ...ids.choicesWith(file),
  ];
}

/**
 * The events of a new chat that begins with a copy of another one up to a turn, on its chosen path.
 * The usage, the approvals and the undo of changes stay with the other chat.
 * @param until the last turn to copy; undefined for all
 * @returns undefined if there is no such turn
 */
export function forkEvents(
  conversation: Conversation,
  title: string,
  until?: string,
): readonly ConversationEvent[] | undefined {
  const file = chatFileOf(conversation, (text) => text, { reasoning: true, traces: true });
  const { options, turns, summaries = [] } = file;
  const { preset } = conversation;
  const last = until === undefined ? turns.length : turns.findIndex(({ id }) => id === until) + 1;
  if (last === 0 && until !== undefined) return undefined;
  const past = turns.slice(0, last);
  // Requests of the copy begin as those of the chat, so that the service has them in its cache.
  const ids = new NewIds({ keepsCalls: true });
  return [
    // A fork of an imported chat is as untrusted (threats: T47), and has used nothing yet.
    ...(conversation.importedUsage === undefined
      ? []
      : [{ type: 'chat-import', usage: {} } as const]),
    ...(Object.keys(options).length === 0 ? [] : [{ type: 'options-change', options } as const]),
    // A chat file has no preset: whoever wrote it must not choose one here.
    ...(preset === undefined ? [] : [{ type: 'preset-change', preset } as const]),
    { type: 'title-change', title: cleanTitle(title) },
    ...past.map((turn) => ({ type: 'turn-import', turn: ids.turnWith(turn) }) as const),
    ...summaries
      .filter(({ upTo }) => past.some(({ id }) => id === upTo))
      .map((summary) => ids.shortenWith(summary)),
    ...ids.choicesWith(file),
  ];
}

/** The events of a fork for a side chat: all turns that have ended, and nothing that runs. */
export function sideChatEvents(
  conversation: Conversation,
  title: string,
): readonly ConversationEvent[] {
  return forkEvents({ ...conversation, running: undefined }, title) ?? [];
}

/**
 * Replaces the ids of a file, equal ids with equal ones: they must not be those of another chat,
 * whose texts could be reached by them.
 */
class NewIds {
  readonly #ids = new Map([['', '']]);
  readonly #keepsCalls: boolean;

  /** @param options.keepsCalls keeps the ids of tool calls, which are sent to the service */
  constructor({ keepsCalls }: { readonly keepsCalls: boolean }) {
    this.#keepsCalls = keepsCalls;
  }

  pathsWith({ after, order, paths }: OtherPaths): OtherPaths {
    return {
      after: this.#idFor(after),
      order: order.map((id) => this.#idFor(id)),
      paths: paths.map((path) => path.map((turn) => this.importedTurn(turn))),
    };
  }

  shortenWith(summary: Summary): ChatShorten {
    const { id, upTo } = summary;
    const ids = { id: this.#idFor(id), upTo: this.#idFor(upTo) };
    return { type: 'chat-shorten', summary: { ...summary, ...ids } };
  }

  /** The choices about parts that are in the copy. Call it after all turns were copied. */
  choicesWith({ partChoices = [] }: ChatFile): readonly ConversationEvent[] {
    return (['left-out', 'pinned'] as const).flatMap((choice) => {
      const parts = partChoices
        .filter(({ choice: stored }) => stored === choice)
        .flatMap(({ part }) => copiedPartKey(part, (id) => this.#ids.get(id)) ?? []);
      return parts.length === 0 ? [] : [{ type: 'part-choice', parts, choice } as const];
    });
  }

  /** A turn of a file. Without its mode, a plan that somebody else wrote can't be started. */
  importedTurn(turn: Turn): Turn {
    return { ...turnWithoutTraces(this.turnWith(turn)), mode: undefined, imported: true };
  }

  turnWith(turn: Turn): Turn {
    const { firstSent, shortResultsBefore: full, question, changes } = turn;
    return {
      ...turn,
      id: this.#idFor(turn.id),
      ...(firstSent === undefined ? {} : { firstSent: this.#idFor(firstSent) }),
      ...(full === undefined ? {} : { shortResultsBefore: this.#idFor(full) }),
      question: this.#messageWith(question),
      parts: turn.parts.map((part): Part => {
        if (part.type === 'message')
          return { ...part, id: this.#idFor(part.id), message: this.#messageWith(part.message) };
        if (part.type !== 'tool-call') return part;
        // Whoever wrote a file must not name processes to end.
        const processes = part.leftRunning && { leftRunning: undefined };
        return { ...part, id: this.#callIdFor(part.id), ...processes };
      }),
      // The file lacks the texts from before a change, so there is nothing to undo.
      ...(changes && {
        changes: changes.map((change) => ({
          ...change,
          id: this.#idFor(change.id),
          status: change.status === 'undone' ? 'undone' : 'kept',
        })),
      }),
    };
  }

  #messageWith(message: UserMessage): UserMessage {
    const attachments = message.attachments.map((attachment) => ({
      ...attachment,
      id: this.#idFor(attachment.id),
    }));
    return { ...message, attachments };
  }

  #callIdFor(old: string): string {
    if (this.#keepsCalls) this.#ids.set(old, old);
    return this.#idFor(old);
  }

  #idFor(old: string): string {
    const id = this.#ids.get(old) ?? newId();
    this.#ids.set(old, id);
    return id;
  }
}
