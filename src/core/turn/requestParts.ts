/** A request for reading: its parts, those that it could have had, and its text. */
import type { Conversation, Turn } from '../conversation/conversation.ts';
import {
  partKey,
  type PartChoice,
  type PartChoices,
  type RequestPartKind,
} from '../conversation/partChoices.ts';
import { requestBody } from '../service/requestExtras.ts';
import { charactersOfImage } from '../service/requestUsage.ts';
import type { CompletionRequest, WireMessage } from '../service/wire.ts';
import { escapeJson } from '../support/text.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { pieceSeparator, type MessagePiece } from './messagePieces.ts';
import { composeRequest, type PromptSettings, type RequestSource } from './prompt.ts';

export interface RequestPart {
  readonly kind: RequestPartKind;
  /** Name of a tool, file, attachment or option; empty for other kinds. */
  readonly name: string;
  /** Id of an attachment, or of a call as the chat has it; empty for other kinds. */
  readonly id: string;
  /** Id of its turn; empty before the first one, and for instructions. */
  readonly turn: string;
  /** Index of its message in the request; -1 for tools and options. */
  readonly message: number;
  /**
   * Exactly as in the request, including the separator from the next part. JSON for tools and
   * options, a data URL for an image.
   */
  readonly text: string;
  /** UTF-16 units that the model reads: 0 for options. */
  readonly characters: number;
}

/**
 * Splits a request into its parts, in the order in which services read and cache them: tools,
 * messages, options. The texts together are the whole request; the characters add up to
 * `promptCharacters`.
 *
 * @param request as it is sent, which may be adapted to its model
 * @param source what it was built from; without it, a message is one part, and calls have the ids of
 *   the request
 */
export function requestParts(
  request: CompletionRequest,
  { pieces = [], calls = [], instructions = '' }: Partial<RequestSource> = {},
): readonly RequestPart[] {
  const { tools = [] } = request;
  return [
    ...tools.map((tool, index) => {
      const end = index === tools.length - 1 ? ']' : '';
      const text = `${index === 0 ? '[' : ','}${JSON.stringify(tool)}${end}`;
      return partOf('tool', -1, text, tool.function.name);
    }),
    ...messageParts(request.messages, pieces, instructions, calls),
    // All fields of the body that have no parts of their own.
    ...Object.entries(requestBody(request))
      .filter(([name, value]) => name !== 'messages' && name !== 'tools' && value !== undefined)
      .map(([name, value]) => ({
        ...partOf('option', -1, JSON.stringify(value), name),
        characters: 0,
      })),
  ];
}

function messageParts(
  messages: readonly WireMessage[],
  pieces: readonly (readonly MessagePiece[])[],
  instructions: string,
  ids: readonly string[],
): readonly RequestPart[] {
  const unused = [...pieces];
  const unusedIds = [...ids];
  /** By the ids of the request. */
  const called = new Map<string, { readonly name: string; readonly id: string }>();
  let turn = '';
  const partsOf = (message: WireMessage, index: number): readonly RequestPart[] => {
    switch (message.role) {
      case 'system': {
        const { content } = message;
        const end = `\n${instructions}`;
        return instructions === '' || !content.endsWith(end)
          ? [partOf('system', index, content)]
          : [partOf('system', index, content.slice(0, -end.length)), partOf('custom', index, end)];
      }
      case 'user': {
        const messagePieces = unused.shift() ?? [];
        turn = messagePieces.at(-1)?.turn ?? turn;
        return userParts(message, index, messagePieces);
      }
      case 'assistant': {
        const calls = message.tool_calls ?? [];
        for (const {
          id,
          function: { name },
        } of calls)
          called.set(id, { name, id: unusedIds.shift() ?? id });
        const isText = message.content !== null;
        const text = isText ? [partOf('reply', index, message.content ?? '')] : [];
        return [
          ...text,
          ...calls.map(({ id, function: { name, arguments: json } }) => ({
            ...partOf('call', index, json, name, called.get(id)?.id),
            characters: name.length + json.length,
          })),
        ];
      }
      case 'tool': {
        const { tool_call_id: sentId, content } = message;
        const { name = '', id = sentId } = called.get(sentId) ?? {};
        return [partOf('result', index, content, name, id)];
      }
    }
  };
  return messages.flatMap((message, index) =>
    partsOf(message, index).map((part) => ({
      ...part,
      turn: part.kind === 'instructions' ? '' : turn,
    })),
  );
}

function userParts(
  { content, images = [] }: Extract<WireMessage, { role: 'user' }>,
  message: number,
  pieces: readonly MessagePiece[],
): readonly RequestPart[] {
  const ofImages = pieces.filter(({ kind }) => kind === 'image');
  const ofTexts = pieces.filter(({ kind }) => kind !== 'image');
  const parts = ofTexts.map(({ kind, name, id, text }, index) => {
    const separator = index === ofTexts.length - 1 ? '' : pieceSeparator;
    return partOf(kind, message, text + separator, name, id);
  });
  const isSame = parts.map(({ text }) => text).join('') === content;
  return [
    ...images.map((url, index) => ({
      ...partOf('image', message, url, ofImages[index]?.name, ofImages[index]?.id),
      characters: charactersOfImage(url),
    })),
    ...(isSame && parts.length > 0 ? parts : [partOf('message', message, content)]),
  ];
}

function partOf(
  kind: RequestPartKind,
  message: number,
  text: string,
  name = '',
  id = '',
): RequestPart {
  return { kind, name, id, turn: '', message, text, characters: text.length };
}

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
  const source = composeRequest(conversation, whole, settings, tools);
  return requestParts(source.request, source).filter(({ kind }) => kind !== 'option');
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
  const places = new Map(numbered(possible).map((name, index) => [name, index]));
  const names = numbered(sent);
  const sentPlaces = new Set(names.map((name) => places.get(name)));
  // The words before instructions are listed once where two messages could have some.
  const kinds = new Set(sent.map(whatIs));
  const isElsewhere = (part: RequestPart): boolean =>
    part.kind === 'instructions' && kinds.has(whatIs(part));
  const unsent = [...possible.entries()].filter(
    ([index, part]) => !sentPlaces.has(index) && !isElsewhere(part),
  );
  const listed: ListedPart[] = [];
  const list = (part: RequestPart, index?: number): void => {
    listed.push(chosenPart(part, index, newest, partChoices));
  };
  for (const [index, part] of sent.entries()) {
    const place = places.get(names[index] ?? '') ?? -1;
    const before = unsent.filter(([other]) => other < place).length;
    for (const [, other] of unsent.splice(0, before)) list(other);
    // An excluded result is listed with its full text, not with the line that is sent instead.
    const whole = possible[place];
    list(whole?.kind === 'result' && whole.text !== part.text ? whole : part, index);
  }
  return withoutOldest(listed);
}

/** What each part is, different for each of them. */
function numbered(parts: readonly RequestPart[]): readonly string[] {
  const counts = new Map<string, number>();
  return parts.map((part) => {
    const what = whatIs(part);
    const count = counts.get(what) ?? 0;
    counts.set(what, count + 1);
    return `${count} ${what}`;
  });
}

/** An image is a line of text where an earlier message has it. */
function whatIs({ kind, name, id, turn }: RequestPart): string {
  return JSON.stringify([kind === 'image' ? 'attachment' : kind, name, id, turn]);
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
  // gone. Instructions come to a later message, after its images, if theirs is gone.
  const end = last.findIndex(
    ({ kind }, index) => index >= brokenAt && kind !== 'tool' && kind !== 'instructions',
  );
  const gone = last
    .slice(brokenAt, end + 1)
    .map((part) =>
      listed.findIndex(
        (candidate) => candidate.sent === undefined && whatIs(candidate.part) === whatIs(part),
      ),
    );
  return gone.find((index) => index >= 0) ?? listed.findIndex(({ sent }) => sent === brokenAt);
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

/** The placeholder for the API key. */
const key = '‹key›';

/**
 * Formats a request for reading: JSON with comments, and the curl command that sends it. Invisible
 * characters are JSON escapes, so that it is the same request.
 *
 * @param address of the service, including its version
 * @param extraHeaders from the settings of the model
 */
export function requestText(
  request: CompletionRequest,
  address: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): string {
  const headers = Object.entries(extraHeaders).map(([name, value]) => `// ${name}: ${value}`);
  return [
    `// POST ${address}/chat/completions`,
    ...headers,
    requestJson(request),
    '',
    `// ${requestCurl(request, address, extraHeaders)}`,
    '',
  ].join('\n');
}

/** Formats the body of a request for reading, without binary data. */
export function requestJson(request: CompletionRequest): string {
  return escapeJson(JSON.stringify(requestBody(request), undefined, 2));
}

/** The command that sends a request, for a POSIX shell, with a placeholder for the key. */
export function requestCurl(
  request: CompletionRequest,
  address: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): string {
  // Within single quotes, a shell interprets nothing but the quote itself.
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const headers = Object.entries(extraHeaders).map(([name, value]) => `${name}: ${value}`);
  return [
    `curl --no-buffer ${quoted(`${address}/chat/completions`)}`,
    `--header ${quoted(`Authorization: Bearer ${key}`)}`,
    `--header ${quoted('Content-Type: application/json')}`,
    ...headers.map((header) => `--header ${quoted(header)}`),
    `--data-raw ${quoted(escapeJson(JSON.stringify(requestBody(request))))}`,
  ].join(' ');
}
