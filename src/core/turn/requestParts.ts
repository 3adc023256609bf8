import { requestBody } from '../service/requestExtras.ts';
import type { CompletionRequest, WireMessage, WireToolCall } from '../service/wire.ts';
import { pieceSeparator, type MessagePiece } from './prompt.ts';

/**
 * What a part is: `system` is the system message with the person's custom instructions,
 * `instructions` those of a file, `result` that of a tool call, `option` any other field.
 */
type RequestPartKind =
  | 'tool'
  | 'system'
  | 'instructions'
  | 'attachment'
  | 'message'
  | 'reply'
  | 'call'
  | 'result'
  | 'option';

/** A part of a request: a tool, a text of a message, a call, a result or an option. */
export interface RequestPart {
  readonly kind: RequestPartKind;
  /** Of the tool, the file, the attachment or the option; empty for the others. */
  readonly name: string;
  /** Of the attachment or the call; empty for the others. */
  readonly id: string;
  /** Index of its message in the request; -1 for tools and options. */
  readonly message: number;
  /** Exactly as in the request, with what separates it from the next part. JSON for tools and options. */
  readonly text: string;
  /** UTF-16 units that the model reads: 0 for options. */
  readonly characters: number;
}

/**
 * Splits a request into its parts, in the order in which services read and cache them: tools, then
 * messages. Options are last. The texts together are the whole request, and the characters together
 * what `promptCharacters` counts.
 *
 * @param pieces of its user messages, as `userPieces` returns them
 */
export function requestParts(
  request: CompletionRequest,
  pieces: readonly (readonly MessagePiece[])[] = [],
): readonly RequestPart[] {
  return [...toolParts(request), ...messageParts(request.messages, pieces), ...options(request)];
}

function toolParts({ tools = [] }: CompletionRequest): readonly RequestPart[] {
  return tools.map((tool, index) => {
    const end = index === tools.length - 1 ? ']' : '';
    const text = `${index === 0 ? '[' : ','}${JSON.stringify(tool)}${end}`;
    return partOf('tool', -1, text, tool.function.name);
  });
}

function messageParts(
  messages: readonly WireMessage[],
  pieces: readonly (readonly MessagePiece[])[],
): readonly RequestPart[] {
  const unused = [...pieces];
  const names = new Map<string, string>();
  return messages.flatMap((message, index): readonly RequestPart[] => {
    switch (message.role) {
      case 'system':
        return [partOf('system', index, message.content)];
      case 'user':
        return userParts(message.content, index, unused.shift() ?? []);
      case 'assistant': {
        const calls = message.tool_calls ?? [];
        for (const { id, function: called } of calls) names.set(id, called.name);
        const isText = message.content !== null;
        const text = isText ? [partOf('reply', index, message.content ?? '')] : [];
        return [...text, ...calls.map((call) => callPart(call, index))];
      }
      case 'tool': {
        const id = message.tool_call_id;
        return [partOf('result', index, message.content, names.get(id) ?? '', id)];
      }
    }
  });
}

function userParts(
  content: string,
  message: number,
  pieces: readonly MessagePiece[],
): readonly RequestPart[] {
  const parts = pieces.map(({ kind, name, id, text }, index) => {
    const separator = index === pieces.length - 1 ? '' : pieceSeparator;
    return partOf(kind, message, text + separator, name, id);
  });
  const isSame = parts.map(({ text }) => text).join('') === content;
  return isSame && parts.length > 0 ? parts : [partOf('message', message, content)];
}

function callPart({ id, function: called }: WireToolCall, message: number): RequestPart {
  const part = partOf('call', message, called.arguments, called.name, id);
  return { ...part, characters: called.name.length + called.arguments.length };
}

/** All fields of the body but those that have parts of their own. */
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
  return { kind, name, id, message, text, characters: text.length };
}
