/**
 * Comparisons: one message, sent to several models at once. The first turn is at the end of the path
 * like any other; the others are beside it in `compared`, until one of them is chosen.
 */
import { lastTurn, type Conversation, type Turn } from './conversation.ts';
import { addOthers } from './paths.ts';

/** The compared turns, in the order of their models; empty unless a comparison is open. */
export function comparedTurns({ turns, running, compared = [] }: Conversation): readonly Turn[] {
  const first = running ?? turns.at(-1);
  return compared.length === 0 || first === undefined ? [] : [first, ...compared];
}

/** All turns that are running: more than one in a comparison. */
export function runningTurns({ running, compared = [] }: Conversation): readonly Turn[] {
  const beside = compared.filter(({ endedAt }) => endedAt === undefined);
  return running === undefined ? beside : [running, ...beside];
}

/** The newest turn with this id: on the chosen path or compared. */
export function shownTurn({ turns, running, compared = [] }: Conversation, id: string) {
  return [...turns, ...(running === undefined ? [] : [running]), ...compared].findLast(
    (turn) => turn.id === id,
  );
}

/**
 * The compared turn that continues the chat if the person chooses none: the first that finished,
 * else the first with any reply. Undefined if there are none.
 */
export function defaultChoice(turns: readonly Turn[]): Turn | undefined {
  return (
    turns.find(({ status }) => status === 'finished') ??
    turns.find(({ parts }) => parts.length > 0) ??
    turns[0]
  );
}

/**
 * The conversation as one of the running turns sees it, followed by this turn alone. No turn is
 * running in it if the turn has ended.
 */
export function conversationOf(conversation: Conversation, id: string): Conversation {
  const { compared, ...withoutCompared } = conversation;
  if (compared === undefined) return conversation;
  const running = runningTurns(conversation).find((turn) => turn.id === id);
  return { ...withoutCompared, turns: turnsBefore(conversation), running };
}

/**
 * Adds a turn with the message of the newest one.
 *
 * @param replaced the compared turn to replace, if any
 */
export function addCompared(
  conversation: Conversation,
  turn: Omit<Turn, 'question'>,
  replaced: string | undefined,
): Conversation {
  const { compared = [] } = conversation;
  const first = lastTurn(conversation);
  if (first === undefined) return conversation;
  const added = { ...turn, question: first.question };
  if (replaced === first.id) return replaceFirst(conversation, first, added);
  const index = compared.findIndex(({ id }) => id === replaced);
  const old = compared[index];
  return old === undefined
    ? { ...conversation, compared: [...compared, added] }
    : { ...leave(conversation, [old]), compared: compared.with(index, added) };
}

function replaceFirst(conversation: Conversation, first: Turn, added: Turn): Conversation {
  if (conversation.running !== undefined) return conversation;
  const turns = turnsBefore(conversation);
  return { ...leave(conversation, [first]), turns, running: added };
}

/**
 * Ends a comparison of turns that have ended. The newest turn stays on the path, the others become
 * other paths.
 */
export function endComparison(conversation: Conversation): Conversation {
  const { compared, ...withoutCompared } = conversation;
  if (compared === undefined) return conversation;
  const { others } = leave(conversation, compared);
  return { ...withoutCompared, others };
}

/** Moves compared turns to other paths, in the order in which their versions are shown. */
function leave(conversation: Conversation, turns: readonly Turn[]): Conversation {
  const after = turnsBefore(conversation).at(-1)?.id ?? '';
  const order = comparedTurns(conversation).map(({ id }) => id);
  const group = { after, order, paths: turns.map((turn) => [turn]) };
  return { ...conversation, others: addOthers(conversation.others ?? [], group) };
}

function turnsBefore({ turns, running }: Conversation): readonly Turn[] {
  return running === undefined ? turns.slice(0, -1) : turns;
}
