import type { Conversation, Turn } from '../conversation/conversation.ts';
import { partKey, type PartChoice, type PartChoices } from '../conversation/partChoices.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { buildRequest, type PromptSettings } from './prompt.ts';
import { partsOfTurn, type RequestPart } from './requestParts.ts';

/** A part of a request, or one that was excluded or dropped from it. */
export interface ListedPart {
  readonly part: RequestPart;
  /** Index among the parts of the request; undefined if nothing of it is sent. */
  readonly sent: number | undefined;
  /** Reason why it is not sent: left out by the person, or too old for the context window. */
  readonly unsent?: 'left-out' | 'room' | undefined;
  /** Key to leave this part out or pin it. Undefined for parts that offer no choice. */
  readonly key?: string | undefined;
  readonly choice?: PartChoice | undefined;
}

/** Maximum number of listed parts that are too old to be sent, counted from the newest. */
const mostTooOld = 200;

/** All parts that the request of a turn could have, without options. */
export function possibleParts(
  conversation: Conversation,
  turn: Turn,
  settings: PromptSettings,
  tools: readonly ToolDefinition[],
): readonly RequestPart[] {
  const { partChoices, firstSent, ...base } = turn;
  if (partChoices === undefined && firstSent === undefined) return [];
  // Pinned turns are sent even if a summary covers them.
  const pinned = Object.entries(partChoices ?? {}).filter(([, choice]) => choice === 'pinned');
  const whole = { ...base, partChoices: Object.fromEntries(pinned) };
  const request = buildRequest(conversation, whole, settings, tools);
  const parts = partsOfTurn(request, conversation, whole, settings);
  return parts.filter(({ kind }) => kind !== 'option');
}

/**
 * The parts of a request, with the unsent ones at their positions.
 *
 * @param turn whose request it is
 * @param possible result of {@link possibleParts}, which includes the sent parts
 */
export function listParts(
  sent: readonly RequestPart[],
  possible: readonly RequestPart[],
  { id: newest, partChoices }: Pick<Turn, 'id' | 'partChoices'>,
): readonly ListedPart[] {
  const listed: ListedPart[] = [];
  let next = 0;
  const add = (part: RequestPart, index: number | undefined): void => {
    listed.push(chosenPart(part, index, newest, partChoices));
  };
  for (const [index, part] of possible.entries()) {
    const same = sent[next];
    if (same === undefined || !isSamePart(same, part)) {
      // Instructions of turns that are too old are sent with those of the first turn that is sent.
      const following = possible[index + 1];
      const isMoved = part.kind === 'instructions' && part.name === '';
      if (!isMoved || same === undefined || following === undefined || !isSamePart(same, following))
        add(part, undefined);
    } else {
      // An excluded result is listed with its full text, not with the line that is sent instead.
      const isResult = part.kind === 'result' && same.text !== part.text;
      add(isResult ? part : same, next);
      next += 1;
    }
  }
  for (const [index, part] of sent.entries()) if (index >= next) add(part, index);
  return withoutOldest(listed);
}

/**
 * Index of the listed part at which a request begins to differ from the last one: a part that is no
 * longer sent, or a changed one.
 *
 * @param last the parts of the last request
 * @param brokenAt the first part of the request that differs from them
 */
export function brokenPart(
  listed: readonly ListedPart[],
  last: readonly RequestPart[],
  brokenAt: number,
): number {
  // The text of a tool or a file includes a separator, which changes if the parts after it are
  // gone.
  const kind = last[brokenAt]?.kind;
  const isInList = kind === 'tool' || kind === 'instructions';
  const gone = last
    .slice(brokenAt, brokenAt + (isInList ? 2 : 1))
    .map((part) =>
      listed.findIndex(
        (candidate) => candidate.sent === undefined && isSamePart(candidate.part, part),
      ),
    );
  return gone.find((index) => index >= 0) ?? listed.findIndex(({ sent }) => sent === brokenAt);
}

function isSamePart(part: RequestPart, other: RequestPart): boolean {
  return (
    part.kind === other.kind &&
    part.name === other.name &&
    part.id === other.id &&
    part.turn === other.turn
  );
}

function chosenPart(
  part: RequestPart,
  sent: number | undefined,
  newest: string,
  choices: PartChoices | undefined,
): ListedPart {
  const ofTurn = partKey.turn(part.turn);
  const isTurnLeftOut = part.turn !== newest && choices?.[ofTurn] === 'left-out';
  const ownKey = keyOf(part, newest);
  const key = isTurnLeftOut && ownKey !== ofTurn ? undefined : ownKey;
  const choice = key === undefined ? undefined : choices?.[key];
  if (choice === 'left-out') return { part, sent, unsent: 'left-out', key, choice };
  if (sent !== undefined) return { part, sent, key, choice };
  const isTooOld = part.turn !== '' && !isTurnLeftOut;
  return { part, sent, unsent: isTooOld ? 'room' : 'left-out', key, choice };
}

function keyOf({ kind, name, id, turn }: RequestPart, newest: string): string | undefined {
  switch (kind) {
    case 'tool':
      return partKey.tool(name);
    case 'custom':
      return partKey.instructions;
    case 'instructions':
      return name === '' ? undefined : partKey.file(name);
    case 'attachment':
    case 'image':
      return partKey.attachment(id);
    case 'result':
      return partKey.result(turn, id);
    case 'message':
      return turn === '' || turn === newest ? undefined : partKey.turn(turn);
    case 'system':
    case 'summary':
    case 'reply':
    case 'call':
    case 'option':
      return undefined;
  }
}

function withoutOldest(listed: readonly ListedPart[]): readonly ListedPart[] {
  let excess = listed.filter(({ unsent }) => unsent === 'room').length - mostTooOld;
  return excess <= 0 ? listed : listed.filter(({ unsent }) => unsent !== 'room' || excess-- <= 0);
}
