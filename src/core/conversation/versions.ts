/**
 * The versions of messages and replies. Turns that follow the same turn are versions of each other:
 * those with the same message are versions of its reply, and the others of the message. An attempt
 * that failed without a word is a version of a reply only while it is shown.
 */
import type { Attachment, Conversation, OtherPaths, Turn, UserMessage } from './conversation.ts';

/** Which of several versions is shown, and the turns that lead to those beside it. */
export interface VersionPlace {
  /** Counted from 1, in the order in which the versions were sent. */
  readonly number: number;
  readonly count: number;
  /** Absent for the first version. */
  readonly previous?: string | undefined;
  /** Absent for the last version. */
  readonly next?: string | undefined;
}

/** The versions of a turn; absent where there is only one. */
export interface TurnVersions {
  readonly message?: VersionPlace | undefined;
  readonly reply?: VersionPlace | undefined;
}

/** The versions of turns, by their ids. Turns without other versions are left out. */
export type VersionsByTurn = Readonly<Record<string, TurnVersions>>;

/** The versions of turns of the chosen path: of consecutive ended ones, then of the running one. */
export function versionsOf(conversation: Conversation, shown: readonly Turn[]): VersionsByTurn {
  const { turns, running, others = [] } = conversation;
  if (others.length === 0 || shown.length === 0) return {};
  const first = turns.findLastIndex(({ id }) => id === shown[0]?.id);
  const groups = new Map(others.map((group) => [group.after, group]));
  const versions = shown.flatMap((turn, index) => {
    const isRunning = turn.id === running?.id;
    const group = groups.get((isRunning ? turns.at(-1) : turns[first + index - 1])?.id ?? '');
    const found = group === undefined ? {} : versionsAmong(turn, group);
    return Object.keys(found).length === 0 ? [] : [[turn.id, found] as const];
  });
  return Object.fromEntries(versions);
}

function versionsAmong(turn: Turn, { order, paths }: OtherPaths): TurnVersions {
  const first = new Map(paths.flatMap(([one]) => (one === undefined ? [] : [[one.id, one]])));
  // The newest version is in the order only once it was left.
  const ids = order.includes(turn.id) ? order : [...order, turn.id];
  const versions = ids.flatMap((id) => (id === turn.id ? turn : (first.get(id) ?? [])));
  const replies = versions.filter(
    (version) =>
      isSameMessage(version.question, turn.question) && (version === turn || !isEmpty(version)),
  );
  const messages = firstOfEachMessage(versions);
  /** Of the replies to a message, the one that was shown last. */
  const lastLeft = ({ question }: Turn): string | undefined =>
    paths.findLast(([one]) => one !== undefined && isSameMessage(one.question, question))?.[0]?.id;
  const message = messages.findIndex(({ question }) => isSameMessage(question, turn.question));
  return {
    ...placeAmong('message', messages, message, lastLeft),
    ...placeAmong('reply', replies, replies.indexOf(turn), ({ id }) => id),
  };
}

/** Whether an attempt ended before there was anything to read: it is no version to choose. */
function isEmpty({ status, parts, lostRecords = 0 }: Turn): boolean {
  if (lostRecords > 0 || !['failed', 'cut', 'stopped'].includes(status)) return false;
  return parts.every((part) => part.type !== 'tool-call' && part.text.trim() === '');
}

function firstOfEachMessage(versions: readonly Turn[]): readonly Turn[] {
  const found: Turn[] = [];
  for (const turn of versions)
    if (!found.some(({ question }) => isSameMessage(question, turn.question))) found.push(turn);
  return found;
}

function placeAmong(
  kind: keyof TurnVersions,
  versions: readonly Turn[],
  index: number,
  idOf: (version: Turn) => string | undefined,
): TurnVersions {
  const count = versions.length;
  if (count < 2) return {};
  const previous = index > 0 ? versions[index - 1] : undefined;
  const next = versions[index + 1];
  const place = {
    number: index + 1,
    count,
    ...(previous === undefined ? {} : { previous: idOf(previous) }),
    ...(next === undefined ? {} : { next: idOf(next) }),
  };
  return { [kind]: place };
}

function isSameMessage(one: UserMessage, other: UserMessage): boolean {
  return (
    one.text === other.text &&
    (one.attachments === other.attachments ||
      (one.attachments.length === other.attachments.length &&
        one.attachments.every((file, index) => isSameAttachment(file, other.attachments[index]))))
  );
}

function isSameAttachment(one: Attachment, other: Attachment | undefined): boolean {
  return one.id === other?.id && one.path === other.path && one.text === other.text;
}
