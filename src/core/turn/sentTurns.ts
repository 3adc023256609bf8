/** Which parts of a conversation are sent: the person's choices, the cut of old turns, the summary. */
import {
  attachmentsOf,
  type Attachment,
  type Conversation,
  type Summary,
  type ToolCallPart,
  type Turn,
  type UserMessage,
} from '../conversation/conversation.ts';
import { partKey, type PartChoices } from '../conversation/partChoices.ts';
import { summaryOf } from '../conversation/summaries.ts';
import type { ToolDefinition } from '../tools/tool.ts';

/** The first earlier turn that is sent with a message, and the first with full tool results. */
export interface ContextCut {
  readonly firstSent?: string | undefined;
  readonly shortResultsBefore?: string | undefined;
}

export interface SentTurn {
  readonly turn: Turn;
  /** True if its tool results are one line each. */
  readonly hasShortResults: boolean;
}

/** What a turn leaves out of the conversation before it. The next turn has no id. */
interface CutOfTurn extends ContextCut {
  readonly id?: string | undefined;
  readonly partChoices?: PartChoices | undefined;
}

/** The part of a conversation that is sent before a turn. */
export interface SentBefore {
  /** Replaces all turns before the first that is sent. */
  readonly summary: Summary | undefined;
  /** Number of turns that the summary covers, even if it does not fit and is not sent. */
  readonly summarized: number;
  /** Oldest first. Those without a reply are not sent: the model never saw them. */
  readonly turns: readonly SentTurn[];
}

/**
 * The part of a conversation that is sent before one of its turns, or before the next turn, which
 * has no id. Includes pinned turns that a summary covers; excluded turns are missing.
 */
export function sentBefore(
  { turns, summaries }: Conversation,
  { id, firstSent, shortResultsBefore, partChoices }: CutOfTurn,
): SentBefore {
  const ownIndex = turns.findIndex((turn) => turn.id === id);
  const summaryPlace = summaryOf(summaries, ownIndex < 0 ? turns : turns.slice(0, ownIndex));
  const summarized = summaryPlace?.turns ?? 0;
  const first = Math.max(summarized, firstSent === undefined ? 0 : placeOf(firstSent, turns));
  const full = shortResultsBefore === undefined ? 0 : placeOf(shortResultsBefore, turns);
  return {
    summarized,
    summary: firstSent === '' ? undefined : summaryPlace?.summary,
    turns: turns.flatMap((turn, index) => {
      const hasReply = roundsOf(turn).some(({ text, calls }) => text !== '' || calls.length > 0);
      if (turn.id === id || !hasReply || isTurnLeftOut(turn, partChoices)) return [];
      if (index < first && !isTurnPinned(turn, partChoices)) return [];
      return [{ turn, hasShortResults: index < full }];
    }),
  };
}

/** The index of a turn; the number of turns if it is none of them. */
export function placeOf(id: string, turns: readonly Turn[]): number {
  const index = turns.findIndex((turn) => turn.id === id);
  return index < 0 ? turns.length : index;
}

/**
 * One request of a turn: the messages added before it, the text of its reply, and the calls that were
 * run.
 */
interface Round {
  readonly added: readonly UserMessage[];
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
}

/**
 * The rounds of a turn, oldest first. Rounds with nothing to send are omitted. The last one has no
 * reply if messages were added after the last reply.
 */
export function roundsOf(turn: Turn): readonly Round[] {
  const rounds: { added: UserMessage[]; text: string; calls: ToolCallPart[] }[] = [];
  const begin = () => {
    const round = { added: [], text: '', calls: [] };
    rounds.push(round);
    return round;
  };
  let last: (typeof rounds)[number] | undefined;
  for (const part of turn.parts) {
    if (part.type === 'reasoning') continue;
    if (part.type === 'message') {
      if (last === undefined || last.text !== '' || last.calls.length > 0) last = begin();
      last.added.push(part.message);
      continue;
    }
    // Some services refuse a message with only white space, which models write before a call. Calls of
    // an interrupted reply were never started and have no result.
    const isSent =
      part.type === 'text'
        ? part.text.trim() !== ''
        : part.result !== undefined || part.startedAt !== undefined;
    if (!isSent) continue;
    const startsRound =
      last === undefined ||
      (part.type === 'text'
        ? last.calls.length > 0
        : last.calls.some(({ round }) => round !== part.round));
    if (last === undefined || startsRound) last = begin();
    if (part.type === 'text') last.text += part.text;
    else last.calls.push(part);
  }
  return rounds;
}

/**
 * The messages of the person in a turn, in groups: those without a reply between them are sent as
 * one message.
 */
export function messageGroups(turn: Turn): readonly (readonly UserMessage[])[] {
  const [first, ...later] = roundsOf(turn).map(({ added }) => added);
  return [[turn.question, ...(first ?? [])], ...later.filter((added) => added.length > 0)];
}

/** Replaces an excluded result, since services refuse a call without one. */
export const leftOutResult = 'The person left this result out.';

type Choices = PartChoices | undefined;

export function chosenTools(
  tools: readonly ToolDefinition[],
  choices: Choices,
): readonly ToolDefinition[] {
  return tools.filter((tool) => choices?.[partKey.tool(tool.function.name)] !== 'left-out');
}

export function isAttachmentLeftOut({ id }: Attachment, choices: Choices): boolean {
  return choices?.[partKey.attachment(id)] === 'left-out';
}

/** The attachments of a message that aren't excluded. */
export function chosenAttachments(
  attachments: readonly Attachment[],
  choices: Choices,
): readonly Attachment[] {
  return attachments.filter((attachment) => !isAttachmentLeftOut(attachment, choices));
}

/** True if a call is sent with {@link leftOutResult} in place of its result. */
export function isResultLeftOut(turn: string, { id }: ToolCallPart, choices: Choices): boolean {
  return choices?.[partKey.result(turn, id)] === 'left-out';
}

/** True if the result of a call is sent in full: it is pinned, or its turn is. */
export function isResultPinned(turn: string, { id }: ToolCallPart, choices: Choices): boolean {
  const keys = [partKey.result(turn, id), partKey.turn(turn)];
  return keys.some((key) => choices?.[key] === 'pinned');
}

/** True if a turn is excluded: then neither its message nor its reply is sent. */
function isTurnLeftOut({ id }: Turn, choices: Choices): boolean {
  return choices?.[partKey.turn(id)] === 'left-out';
}

/**
 * True if a turn is sent even if there is too little room: it is pinned, or a part of it is, which
 * can't be sent without the turn.
 */
export function isTurnPinned(turn: Turn, choices: Choices): boolean {
  if (choices === undefined) return false;
  const { id, parts } = turn;
  const keys = [
    partKey.turn(id),
    ...attachmentsOf(turn).map((attachment) => partKey.attachment(attachment.id)),
    ...parts.map((part) => (part.type === 'tool-call' ? partKey.result(id, part.id) : '')),
  ];
  return keys.some((key) => choices[key] === 'pinned');
}
