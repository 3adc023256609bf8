import type { Conversation, OtherPaths, Turn } from '../conversation/conversation.ts';
import { comparedTurns } from '../conversation/comparison.ts';
import type { ConversationEvent } from '../conversation/events.ts';
import { reduce } from '../conversation/reduce.ts';
import { newId } from '../support/id.ts';
import { chatFileOf, type ChatFile } from './chatFile.ts';
import { cleanTitle } from './chatTitle.ts';

/**
 * The events of a new chat with the content of a file. Everything in it has ended: no call runs, no
 * change can be undone, and its usage counts nowhere.
 */
export function importEvents(file: ChatFile): readonly ConversationEvent[] {
  const { title, pinned, options, usage, turns, others } = file;
  const ids = new NewIds();
  return [
    { type: 'chat-import', usage, others: others?.map((group) => ids.pathsWith(group)) },
    ...(Object.keys(options).length === 0 ? [] : [{ type: 'options-change', options } as const]),
    ...(title === undefined ? [] : [{ type: 'title-change', title: cleanTitle(title) } as const]),
    ...(pinned === true ? [{ type: 'pin-change', pinned } as const] : []),
    ...turns.map((turn) => ({ type: 'turn-import', turn: ids.turnWith(turn) }) as const),
  ];
}

/**
 * The events of a new chat that begins with what another one says up to a turn, on its chosen path.
 * What the past did stays with the other chat: its usage, its approvals and the undo of its changes.
 * @param until the last turn of the past; without one, all of it
 * @returns undefined if there is no such turn
 */
export function forkEvents(
  conversation: Conversation,
  title: string,
  until?: string,
): readonly ConversationEvent[] | undefined {
  const isCompared = comparedTurns(conversation).some(({ id }) => id === until);
  const chosen =
    until !== undefined && isCompared
      ? reduce(conversation, { type: 'version-select', turn: until })
      : conversation;
  const { options, turns } = chatFileOf(chosen, (text) => text);
  const last = until === undefined ? turns.length : turns.findIndex(({ id }) => id === until) + 1;
  if (last === 0) return undefined;
  const ids = new NewIds();
  return [
    // What an imported chat says is as foreign in a fork (threats: T47), which has used nothing yet.
    ...(conversation.importedUsage === undefined
      ? []
      : [{ type: 'chat-import', usage: {} } as const]),
    ...(Object.keys(options).length === 0 ? [] : [{ type: 'options-change', options } as const]),
    { type: 'title-change', title: cleanTitle(title) },
    ...turns
      .slice(0, last)
      .map((turn) => ({ type: 'turn-import', turn: ids.turnWith(turn) }) as const),
  ];
}

/**
 * Replaces the ids of a file, the same by the same: they must not be those of another chat, whose
 * texts could be reached by them.
 */
class NewIds {
  readonly #ids = new Map([['', '']]);

  pathsWith({ after, order, paths }: OtherPaths): OtherPaths {
    return {
      after: this.#idFor(after),
      order: order.map((id) => this.#idFor(id)),
      paths: paths.map((path) => path.map((turn) => this.turnWith(turn))),
    };
  }

  turnWith(turn: Turn): Turn {
    const { firstSent, question, changes } = turn;
    return {
      ...turn,
      id: this.#idFor(turn.id),
      ...(firstSent === undefined ? {} : { firstSent: this.#idFor(firstSent) }),
      question: {
        ...question,
        attachments: question.attachments.map((one) => ({ ...one, id: this.#idFor(one.id) })),
      },
      parts: turn.parts.map((part) =>
        part.type === 'tool-call' ? { ...part, id: this.#idFor(part.id) } : part,
      ),
      // The texts from before a change are not in the file, so that there is nothing to undo.
      ...(changes && {
        changes: changes.map((change) => ({
          ...change,
          id: this.#idFor(change.id),
          status: change.status === 'undone' ? 'undone' : 'kept',
        })),
      }),
    };
  }

  #idFor(old: string): string {
    const id = this.#ids.get(old) ?? newId();
    this.#ids.set(old, id);
    return id;
  }
}
