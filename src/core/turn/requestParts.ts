import type { Conversation, Turn } from '../conversation/conversation.ts';
import type { RequestPartKind } from '../conversation/partChoices.ts';
import { requestBody } from '../service/requestExtras.ts';
import type { CompletionRequest, WireMessage } from '../service/wire.ts';
import { chosenSettings } from './chosenParts.ts';
import { pieceSeparator, type MessagePiece } from './messagePieces.ts';
import { sentCalls, userPieces, withReadableSkills, type PromptSettings } from './prompt.ts';
import { charactersOfImage } from '../service/requestUsage.ts';

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
 * @param pieces of its user messages, from `userPieces`
 * @param instructions the person's custom instructions
 * @param calls ids of its calls in the chat, from `sentCalls`; by default those in the request
 */
export function requestParts(
  request: CompletionRequest,
  pieces: readonly (readonly MessagePiece[])[] = [],
  instructions = '',
  calls: readonly string[] = [],
): readonly RequestPart[] {
  const { tools = [] } = request;
  return [
    ...tools.map((tool, index) => {
      const end = index === tools.length - 1 ? ']' : '';
      const text = `${index === 0 ? '[' : ','}${JSON.stringify(tool)}${end}`;
      return partOf('tool', -1, text, tool.function.name);
    }),
    ...messageParts(request.messages, pieces, instructions.trim(), calls),
    ...options(request),
  ];
}

/** The parts of a request that was built for a turn. */
export function partsOfTurn(
  request: CompletionRequest,
  conversation: Conversation,
  turn: Turn,
  allSettings: PromptSettings,
): readonly RequestPart[] {
  const settings = withReadableSkills(allSettings, request.tools ?? []);
  const { instructions } = chosenSettings(settings, turn.partChoices);
  const calls = sentCalls(conversation, turn).map(({ id }) => id);
  return requestParts(request, userPieces(conversation, turn, settings), instructions, calls);
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

/** All fields of the body that have no parts of their own. */
function options(request: CompletionRequest): readonly RequestPart[] {
  return Object.entries(requestBody(request))
    .filter(([name, value]) => name !== 'messages' && name !== 'tools' && value !== undefined)
    .map(([name, value]) => ({
      ...partOf('option', -1, JSON.stringify(value), name),
      characters: 0,
    }));
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
