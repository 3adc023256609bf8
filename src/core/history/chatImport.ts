import type { Turn } from '../conversation/conversation.ts';
import type { ConversationEvent } from '../conversation/events.ts';
import { newId } from '../support/id.ts';
import type { ChatFile } from './chatFile.ts';
import { cleanTitle } from './chatTitle.ts';

/**
 * The events of a new chat with the content of a file. Everything in it has ended: no call runs, no
 * change can be undone, and its usage counts nowhere.
 */
export function importEvents(file: ChatFile): readonly ConversationEvent[] {
  const { title, pinned, options, usage, turns } = file;
  return [
    { type: 'chat-import', usage },
    ...(Object.keys(options).length === 0 ? [] : [{ type: 'options-change', options } as const]),
    ...(title === undefined ? [] : [{ type: 'title-change', title: cleanTitle(title) } as const]),
    ...(pinned === true ? [{ type: 'pin-change', pinned } as const] : []),
    ...withNewIds(turns).map((turn) => ({ type: 'turn-import', turn }) as const),
  ];
}

/** Ids of the file must not be those of another chat, whose texts could be reached by them. */
function withNewIds(turns: readonly Turn[]): readonly Turn[] {
  const ids = new Map(turns.map(({ id }) => [id, newId()]));
  const used = new Set<string>();
  const idOf = (old: string): string => {
    const id = ids.get(old);
    if (id === undefined || used.has(id)) return newId();
    used.add(id);
    return id;
  };
  return turns.map((turn) => {
    const { firstSent } = turn;
    return {
      ...turn,
      ...(firstSent ? { firstSent: ids.get(firstSent) ?? newId() } : {}),
      id: idOf(turn.id),
      question: {
        ...turn.question,
        attachments: turn.question.attachments.map((one) => ({ ...one, id: newId() })),
      },
      parts: turn.parts.map((part) =>
        part.type === 'tool-call' ? { ...part, id: newId() } : part,
      ),
      ...withKeptChanges(turn),
    };
  });
}

/** The texts from before a change are not in the file, so that there is nothing to undo. */
function withKeptChanges({ changes }: Turn): Pick<Turn, 'changes'> {
  if (changes === undefined) return {};
  return {
    changes: changes.map((change) => ({
      ...change,
      id: newId(),
      status: change.status === 'undone' ? 'undone' : 'kept',
    })),
  };
}
