/**
 * The versions of messages and replies. Turns that follow the same turn are versions of each other:
 * those with the same message are versions of its reply, the others versions of the message. An
 * attempt that failed without a reply counts only while it is visible.
 */
import type { Conversation, OtherPaths, Part, Turn, UserMessage } from './conversation.ts';

/** Position of the visible version, and the turns that lead to its neighbors. */
export interface VersionPlace {
  /** Counted from 1, in the order in which the versions were sent. */
  readonly number: number;
  readonly count: number;
  /** Absent for the first version. */
  readonly previous?: string | undefined;
  /** Absent for the last version. */
  readonly next?: string | undefined;
}

/** The versions of a turn; absent if there is only one. */
export interface TurnVersions {
  readonly message?: VersionPlace | undefined;
  readonly reply?: VersionPlace | undefined;
}

/** Versions by turn id. Turns with a single version are absent. */
export type VersionsByTurn = Readonly<Record<string, TurnVersions>>;

/** The versions of consecutive ended turns of the chosen path, then of the running turn. */
export function versionsOf(
  conversation: Conversation,
  visibleTurns: readonly Turn[],
): VersionsByTurn {
  const { turns, running, others = [] } = conversation;
  if (others.length === 0 || visibleTurns.length === 0) return {};
  const first = turns.findLastIndex(({ id }) => id === visibleTurns[0]?.id);
  const groups = new Map(others.map((group) => [group.after, group]));
  const versions = visibleTurns.flatMap((turn, index) => {
    const isRunning = turn.id === running?.id;
    const group = groups.get((isRunning ? turns.at(-1) : turns[first + index - 1])?.id ?? '');
    const turnVersions = group === undefined ? {} : versionsAmong(turn, group);
    return Object.keys(turnVersions).length === 0 ? [] : [[turn.id, turnVersions] as const];
  });
  return Object.fromEntries(versions);
}

function versionsAmong(turn: Turn, { order, paths }: OtherPaths): TurnVersions {
  const first = new Map(
    paths.flatMap(([version]) => (version === undefined ? [] : [[version.id, version]])),
  );
  // The order includes the newest version only after another one was chosen.
  const ids = order.includes(turn.id) ? order : [...order, turn.id];
  const versions = ids.flatMap((id) => (id === turn.id ? turn : (first.get(id) ?? [])));
  const replies = versions.filter((version) => {
    const { question, status, parts, lostRecords = 0 } = version;
    if (version === turn || !isSameMessage(question, turn.question)) return version === turn;
    // An attempt may have ended with nothing to read.
    const isBroken = lostRecords === 0 && ['failed', 'cut', 'stopped'].includes(status);
    const isRead = (part: Part): boolean =>
      part.type === 'tool-call' || (part.type !== 'message' && part.text.trim() !== '');
    return !isBroken || parts.some(isRead);
  });
  const messages = versions.filter(
    ({ question }, index) =>
      versions.findIndex((other) => isSameMessage(other.question, question)) === index,
  );
  /** The version of a message's reply that was visible last. */
  const lastLeft = ({ question }: Turn): string | undefined =>
    paths.findLast(
      ([version]) => version !== undefined && isSameMessage(version.question, question),
    )?.[0]?.id;
  const message = messages.findIndex(({ question }) => isSameMessage(question, turn.question));
  return {
    ...placeAmong('message', messages, message, lastLeft),
    ...placeAmong('reply', replies, replies.indexOf(turn), ({ id }) => id),
  };
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
  return {
    [kind]: {
      number: index + 1,
      count,
      ...(previous === undefined ? {} : { previous: idOf(previous) }),
      ...(next === undefined ? {} : { next: idOf(next) }),
    },
  };
}

function isSameMessage(message: UserMessage, other: UserMessage): boolean {
  return (
    message.text === other.text &&
    (message.attachments === other.attachments ||
      (message.attachments.length === other.attachments.length &&
        message.attachments.every(({ id, path, text }, index) => {
          const file = other.attachments[index];
          return id === file?.id && path === file.path && text === file.text;
        })))
  );
}
