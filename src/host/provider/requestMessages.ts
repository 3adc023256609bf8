import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { WireMessage, WireToolCall } from '../../core/service/wire.ts';
import {
  base64Of,
  imageCharacters,
  imageUrl,
  maxImageBytes,
  readImageHeader,
} from '../../core/support/image.ts';
import { writeJson } from '../../core/support/json.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import { UserError } from '../errors.ts';
import { orderedMessages } from './messageOrder.ts';

/** The target model, which must support the content of the messages. */
export interface MessageContext {
  readonly model: string;
  /** True if the model is known to accept images. */
  readonly images: boolean;
}

/** A part of a message, in a form that the service accepts. */
type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: Uint8Array }
  | { readonly type: 'call'; readonly call: WireToolCall }
  | { readonly type: 'result'; readonly id: string; readonly text: string }
  /** Not sent: reasoning, or an internal mark of VS Code's chat. */
  | { readonly type: 'mark' }
  | { readonly type: 'unknown'; readonly what: string };

type Role = 'system' | 'user' | 'assistant';

/** The values of `LanguageModelChatMessageRole`; the last one is a proposal that VS Code's chat uses. */
const roles: ReadonlyMap<number, Role> = new Map([
  [1, 'user'],
  [2, 'assistant'],
  [3, 'system'],
]);

/** A limit beyond any conversation, so that a request can't keep the window busy. */
const maxMessages = 10_000;

const nonEmpty = z.string().check(z.minLength(1));
const givenMessages = z.array(
  z.object({ role: z.number(), content: z.union([z.string(), z.array(z.unknown())]) }),
);
const callPart = z.object({ callId: nonEmpty, name: nonEmpty, input: z.unknown() });
const resultPart = z.object({ callId: nonEmpty, content: z.array(z.unknown()) });
const dataPart = z.object({ mimeType: z.string(), data: z.instanceof(Uint8Array) });
const thinkingPart = z.object({ value: z.unknown(), id: z.unknown(), metadata: z.unknown() });
const textPart = z.object({ value: z.string() });
const promptPart = z.object({ value: z.unknown() });

/**
 * Converts another extension's messages to the service's form, in the order of
 * {@link orderedMessages}. Results follow their calls, one for each call; a result without a call
 * becomes text of the user. Names, reasoning and empty messages are omitted.
 *
 * @param messages `LanguageModelChatRequestMessage[]`, not validated yet
 * @throws {UserError} if the service can't accept their content
 */
export function wireMessages(messages: unknown, context: MessageContext): readonly WireMessage[] {
  const parsed = givenMessages.safeParse(messages);
  if (!parsed.success) throw new UserError(vscode.l10n.t("Not sent: the messages aren't valid."));
  if (parsed.data.length > maxMessages)
    throw new UserError(
      vscode.l10n.t('Not sent: the request has more than {0} messages.', maxMessages),
    );
  const conversation = new RequestMessages();
  let characters = 0;
  for (const { role: number, content } of parsed.data) {
    const role = roles.get(number);
    if (role === undefined)
      throw new UserError(vscode.l10n.t('Not sent: a message has the unknown role {0}.', number));
    const parts = typeof content === 'string' ? [textOf(content)] : content.map(readPart);
    for (const part of parts) requireSendable(part, role, context);
    characters += parts.reduce(
      (sum, part) => sum + (part.type === 'image' ? part.data.length : charactersOfPart(part)),
      0,
    );
    if (characters > maxRequestCharacters)
      throw new UserError(vscode.l10n.t('Not sent: the request is too large.'));
    conversation.add(role, parts);
  }
  const converted = orderedMessages(conversation.end());
  if (converted.length === 0)
    throw new UserError(vscode.l10n.t('Not sent: the request has no messages.'));
  return converted;
}

function requireSendable(part: MessagePart, role: Role, context: MessageContext): void {
  if (part.type === 'unknown')
    throw new UserError(
      vscode.l10n.t("Not sent: the service doesn't accept a message part of type {0}.", part.what),
    );
  if (part.type === 'image') requireImage(part.data, role, context);
}

function requireImage(data: Uint8Array, role: Role, { model, images }: MessageContext): void {
  if (!images)
    throw new UserError(vscode.l10n.t("Not sent: the model {0} doesn't accept images.", model));
  if (role !== 'user')
    throw new UserError(vscode.l10n.t('Not sent: only messages of the user can have images.'));
  if (data.length > maxImageBytes) throw new UserError(vscode.l10n.t('Images can be up to 5 MB.'));
  if (readImageHeader(data) === undefined)
    throw new UserError(vscode.l10n.t('Unsupported image format. Use PNG, JPEG, WebP or GIF.'));
}

/**
 * Number of characters (UTF-16 units) of a text, or of a message that was not checked. An image counts
 * as the characters that have about as many tokens.
 */
export function charactersOfGiven(text: unknown): number {
  if (typeof text === 'string') return text.length;
  const content = z.object({ content: z.unknown() }).safeParse(text).data?.content;
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce<number>((sum, part) => sum + charactersOfPart(readPart(part)), 0);
}

function charactersOfPart(part: MessagePart): number {
  if (part.type === 'text' || part.type === 'result') return part.text.length;
  if (part.type === 'image') return imageCharacters(readImageHeader(part.data));
  if (part.type !== 'call') return 0;
  return part.call.function.name.length + part.call.function.arguments.length;
}

/** Detects a part by its fields, as its class may exist only in VS Code. */
function readPart(part: unknown): MessagePart {
  if (typeof part === 'string') return textOf(part);
  const result = resultPart.safeParse(part).data;
  if (result !== undefined)
    return { type: 'result', id: result.callId, text: result.content.map(resultText).join('') };
  const call = callPart.safeParse(part).data;
  if (call !== undefined) return { type: 'call', call: wireCall(call) };
  const data = dataPart.safeParse(part).data;
  if (data !== undefined) return readData(data);
  if (isThinking(part)) return { type: 'mark' };
  const text = textPart.safeParse(part).data;
  return text === undefined ? { type: 'unknown', what: typeof part } : textOf(text.value);
}

function textOf(text: string): MessagePart {
  return { type: 'text', text };
}

function wireCall({ callId, name, input }: z.infer<typeof callPart>): WireToolCall {
  const json = input === undefined ? '{}' : writeJson(input);
  return { id: callId, type: 'function', function: { name, arguments: json } };
}

function readData({ mimeType, data }: z.infer<typeof dataPart>): MessagePart {
  const type = mimeType.toLowerCase();
  if (type.startsWith('image/')) return { type: 'image', mimeType: type, data };
  if (type.startsWith('text/') || type === 'application/json')
    return textOf(new TextDecoder().decode(data));
  return type.includes('/') ? { type: 'unknown', what: mimeType.slice(0, 100) } : { type: 'mark' };
}

function isThinking(part: unknown): boolean {
  const isObject = typeof part === 'object' && part !== null;
  return isObject && 'id' in part && 'metadata' in part && thinkingPart.safeParse(part).success;
}

/** A result can only be text. */
function resultText(part: unknown): string {
  const read = readPart(part);
  if (read.type === 'text') return read.text;
  if (read.type === 'image') return `(${read.mimeType} left out: a result can only be text)`;
  const prompt = promptPart.safeParse(part).data?.value;
  return prompt === undefined ? '(left out: a result can only be text)' : writeJson(prompt);
}

/** Collects messages so that each call is followed by its result, as services require. */
class RequestMessages {
  readonly #messages: WireMessage[] = [];
  /** The calls of the last assistant message that have no result yet. */
  readonly #open = new Set<string>();

  add(role: Role, parts: readonly MessagePart[]): void {
    if (role === 'assistant') this.#addAssistant(parts);
    const results = new Map<string, string>();
    for (const part of parts)
      if (part.type === 'result') results.set(part.id, joined(results.get(part.id), part.text));
    const strays = this.#answer(results);
    const text = role === 'assistant' ? strays : strays + joinedText(parts);
    const images = imagesOf(parts);
    if (text === '' && images.length === 0) return;
    this.#close();
    this.#messages.push(
      images.length > 0
        ? { role: 'user', content: text, images }
        : { role: role === 'assistant' ? 'user' : role, content: text },
    );
  }

  end(): readonly WireMessage[] {
    this.#close();
    return this.#messages;
  }

  #addAssistant(parts: readonly MessagePart[]): void {
    const calls = new Map(
      parts.flatMap((part) => (part.type === 'call' ? [[part.call.id, part.call] as const] : [])),
    );
    const text = joinedText(parts);
    if (text === '' && calls.size === 0) return;
    this.#close();
    const content = text === '' ? null : text;
    const tool_calls = [...calls.values()];
    this.#messages.push({
      role: 'assistant',
      content,
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    });
    for (const id of calls.keys()) this.#open.add(id);
  }

  /** Returns the results whose calls the conversation does not contain. */
  #answer(results: ReadonlyMap<string, string>): string {
    let strays = '';
    for (const [id, text] of results) {
      if (this.#open.delete(id))
        this.#messages.push({ role: 'tool', tool_call_id: id, content: text });
      else strays += `Result of the tool call ${id}:\n${text}\n\n`;
    }
    return strays;
  }

  #close(): void {
    for (const id of this.#open)
      this.#messages.push({ role: 'tool', tool_call_id: id, content: 'No result.' });
    this.#open.clear();
  }
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before}\n${text}`;
}

/** Only messages of the user still have images here. */
function imagesOf(parts: readonly MessagePart[]): string[] {
  return parts.flatMap((part) => {
    const header = part.type === 'image' ? readImageHeader(part.data) : undefined;
    return part.type === 'image' && header !== undefined
      ? [imageUrl(header.type, base64Of(part.data))]
      : [];
  });
}

function joinedText(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
