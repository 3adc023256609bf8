import type { Conversation, Turn } from '../conversation/conversation.ts';
import { partKey, type PartChoice, type PartChoices } from '../conversation/partChoices.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { buildRequest, type PromptSettings } from './prompt.ts';
import { partsOfTurn, type RequestPart } from './requestParts.ts';

/** A part of a request, or one that would be in it without the choices of the person. */
export interface ListedPart {
  /** As it is sent, or as it would be. */
  readonly part: RequestPart;
  /** Index among the parts of the request; undefined if nothing of it is sent. */
  readonly sent: number | undefined;
  /** Why it is not sent: the person left it out, or it is too old for the context window. */
  readonly unsent?: 'left-out' | 'room' | undefined;
  /** By which it is left out or pinned; absent where there is nothing to choose. */
  readonly key?: string | undefined;
  readonly choice?: PartChoice | undefined;
}

/** Parts that are too old, of which the newest are listed. */
const mostTooOld = 200;

/** All parts that the request of a turn could have, without options, each as it would be sent. */
export function possibleParts(
  conversation: Conversation,
  turn: Turn,
  settings: PromptSettings,
  tools: readonly ToolDefinition[],
): readonly RequestPart[] {
  const { partChoices, firstSent, ...rest } = turn;
  if (partChoices === undefined && firstSent === undefined) return [];
  // What is pinned is sent where nothing else would be: beside a summary that stands for it.
  const whole = { ...rest, partChoices: pinnedOf(partChoices) };
  const request = buildRequest(conversation, whole, settings, tools);
  const parts = partsOfTurn(request, conversation, whole, settings);
  return parts.filter(({ kind }) => kind !== 'option');
}

function pinnedOf(choices: PartChoices = {}): PartChoices {
  const pinned = Object.entries(choices).filter(([, choice]) => choice === 'pinned');
  return Object.fromEntries(pinned);
}

/**
 * The parts of a request with those that are left out of it, in their places.
 *
 * @param turn whose request it is
 * @param possible as {@link possibleParts} returns them; those of the request are a part of them
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
  for (const part of possible) {
    const same = sent[next];
    if (same === undefined || !isSamePart(same, part)) add(part, undefined);
    else {
      // What the person reads of a result that is left out is the result.
      const isResult = part.kind === 'result' && same.text !== part.text;
      add(isResult ? part : same, next);
      next += 1;
    }
  }
  for (const [index, part] of sent.entries()) if (index >= next) add(part, index);
  return withoutOldest(listed);
}

/**
 * Where a request begins to differ from the last one, in the list of its parts: at a part that is no
 * longer sent, or at one that is different.
 *
 * @param last the parts of the last request
 * @param brokenAt the first part of the request that differs from them
 */
export function brokenPart(
  listed: readonly ListedPart[],
  last: readonly RequestPart[],
  brokenAt: number,
): number {
  // A tool or a file before the last one ends in another way, once it is the last.
  const kind = last[brokenAt]?.kind;
  const isInList = kind === 'tool' || kind === 'instructions';
  const gone = last
    .slice(brokenAt, brokenAt + (isInList ? 2 : 1))
    .map((part) => listed.findIndex((one) => one.sent === undefined && isSamePart(one.part, part)));
  return gone.find((index) => index >= 0) ?? listed.findIndex(({ sent }) => sent === brokenAt);
}

function isSamePart(one: RequestPart, other: RequestPart): boolean {
  return (
    one.kind === other.kind &&
    one.name === other.name &&
    one.id === other.id &&
    one.turn === other.turn
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
  const own = keyOf(part, newest);
  const key = isTurnLeftOut && own !== ofTurn ? undefined : own;
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
  let left = listed.filter(({ unsent }) => unsent === 'room').length - mostTooOld;
  return left <= 0 ? listed : listed.filter(({ unsent }) => unsent !== 'room' || left-- <= 0);
}
