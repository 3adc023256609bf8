/** The requests of other extensions in the form that the service takes. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import {
  toolNamePattern,
  type CompletionRequest,
  type WireMessage,
  type WireToolCall,
} from '../../core/service/wire.ts';
import { UserError } from '../platform/errors.ts';
import { orNull } from '../platform/settingValues.ts';
import {
  base64Of,
  imageCharacters,
  imageUrl,
  maxImageBytes,
  readImageHeader,
} from '../../core/support/image.ts';
import { isObject, writeJson } from '../../core/support/json.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import { CallIds } from '../../core/turn/callIds.ts';
import { missingReply, pieceSeparator } from '../../core/turn/messagePieces.ts';

/** The target model of another extension's request, and the person's settings for it. */
export interface ModelRequestContext {
  readonly model: string;
  /** True if the model is known to accept images. */
  readonly images: boolean;
  /** True if the model can call tools, or if that is unknown. */
  readonly tools: boolean;
  readonly stream: boolean;
  readonly userOptions: RequestOptions;
}

type WireTools = NonNullable<CompletionRequest['tools']>;

/** `LanguageModelChatToolMode.Required` */
const toolModeRequired = 2;

/** More than services accept, so that their error states the actual limit. */
const maxTools = 1000;

const stopText = z.string().check(z.minLength(1));

/** The parameters of the service; others, such as those of other providers, are dropped. */
const serviceOptions = z.object({
  temperature: orNull(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: orNull(z.number().check(z.minimum(0), z.maximum(1))),
  max_tokens: orNull(z.int().check(z.minimum(1))),
  stop: orNull(z.union([stopText, z.array(stopText).check(z.minLength(1), z.maxLength(100))])),
  response_format: orNull(z.strictObject({ type: z.literal('json_object') })),
});

const requestOptions = z.object({
  modelOptions: orNull(z.record(z.string(), z.unknown())),
  tools: orNull(
    z.array(
      z.object({
        name: z.string(),
        description: orNull(z.string()),
        inputSchema: orNull(z.record(z.string(), z.unknown())),
      }),
    ),
  ),
  toolMode: orNull(z.number()),
});

/**
 * A request of another extension as the service takes it.
 * @param messages `LanguageModelChatRequestMessage[]`, not checked yet
 * @param options `ProvideLanguageModelChatResponseOptions`, not checked yet
 * @throws {UserError} if it can't be sent without changing its meaning
 */
export function modelRequest(
  messages: unknown,
  options: unknown,
  context: ModelRequestContext,
): CompletionRequest {
  const { model, stream } = context;
  const { tools: definitions, toolMode, modelOptions } = validOptions(requestOptions, options);
  const tools = wireTools(definitions ?? [], context);
  return {
    model,
    messages: [...wireMessages(messages, context)],
    ...(stream ? { stream: true } : {}),
    ...parameters(modelOptions ?? {}, context),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && toolMode === toolModeRequired
      ? { tool_choice: 'required' as const }
      : {}),
  };
}

/** The extension's options have priority, but can't raise the person's limit of a reply. */
function parameters(
  options: Readonly<Record<string, unknown>>,
  { userOptions }: ModelRequestContext,
): Partial<CompletionRequest> {
  const { temperature, top_p, max_tokens, stop, response_format } = validOptions(
    serviceOptions,
    options,
  );
  const most = Math.min(max_tokens ?? Infinity, userOptions.maxTokens ?? Infinity);
  const all = {
    temperature: temperature ?? userOptions.temperature,
    top_p: top_p ?? userOptions.topP,
    max_tokens: most === Infinity ? undefined : most,
    stop,
    response_format,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function wireTools(
  definitions: NonNullable<z.infer<typeof requestOptions>['tools']>,
  { model, tools }: ModelRequestContext,
): WireTools {
  if (definitions.length > 0 && !tools)
    throw new UserError(vscode.l10n.t("Not sent: the model {0} can't call tools.", model));
  if (definitions.length > maxTools)
    throw new UserError(vscode.l10n.t('Not sent: the request has more than {0} tools.', maxTools));
  const wrong = definitions.find(({ name }) => !toolNamePattern.test(name));
  if (wrong !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "Not sent: the service doesn't accept a tool named {0}.",
        wrong.name.slice(0, 100),
      ),
    );
  return definitions.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: {
      name,
      ...(description === undefined || description === '' ? {} : { description }),
      ...(inputSchema === undefined ? {} : { parameters: inputSchema }),
    },
  }));
}

function validOptions<T>(schema: z.ZodMiniType<T>, options: unknown): T {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new UserError(vscode.l10n.t("Not sent: the option {0} isn't valid.", path));
}

/** All texts of a request, which are checked for keys. */
export function textsOfRequest({ messages, tools, stop }: CompletionRequest): readonly string[] {
  const texts = messages.flatMap((message) => [
    message.content ?? '',
    ...(message.role === 'tool' ? [message.tool_call_id] : []),
    ...(message.role === 'assistant' ? (message.tool_calls ?? []) : []).flatMap(
      ({ id, function: called }) => [id, called.name, called.arguments],
    ),
  ]);
  return [...texts, JSON.stringify(tools ?? []), ...[stop ?? []].flat()];
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
export function wireMessages(
  messages: unknown,
  context: Pick<ModelRequestContext, 'model' | 'images'>,
): readonly WireMessage[] {
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
    for (const part of parts)
      if (part.type === 'image') requireImage(part.data, role, context);
      else if (part.type === 'unknown')
        throw new UserError(
          vscode.l10n.t(
            "Not sent: the service doesn't accept a message part of type {0}.",
            part.what,
          ),
        );
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

function requireImage(
  data: Uint8Array,
  role: Role,
  { model, images }: Pick<ModelRequestContext, 'model' | 'images'>,
): void {
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
  if (call !== undefined) {
    const { callId: id, name, input } = call;
    const json = input === undefined ? '{}' : writeJson(input);
    return { type: 'call', call: { id, type: 'function', function: { name, arguments: json } } };
  }
  const data = dataPart.safeParse(part).data;
  if (data !== undefined) {
    const type = data.mimeType.toLowerCase();
    if (type.startsWith('image/')) return { type: 'image', mimeType: type, data: data.data };
    if (type.startsWith('text/') || type === 'application/json')
      return textOf(new TextDecoder().decode(data.data));
    const what = data.mimeType.slice(0, 100);
    return type.includes('/') ? { type: 'unknown', what } : { type: 'mark' };
  }
  const isThinking =
    isObject(part) && 'id' in part && 'metadata' in part && thinkingPart.safeParse(part).success;
  if (isThinking) return { type: 'mark' };
  const text = textPart.safeParse(part).data;
  return text === undefined ? { type: 'unknown', what: typeof part } : textOf(text.value);
}

function textOf(text: string): MessagePart {
  return { type: 'text', text };
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
      if (part.type === 'result') {
        const before = results.get(part.id);
        results.set(part.id, before === undefined ? part.text : `${before}\n${part.text}`);
      }
    // Results whose calls the conversation doesn't contain.
    let strays = '';
    for (const [id, content] of results)
      if (this.#open.delete(id)) this.#messages.push({ role: 'tool', tool_call_id: id, content });
      else strays += `Result of the tool call ${id}:\n${content}\n\n`;
    const text = role === 'assistant' ? strays : strays + joinedText(parts);
    // Only messages of the user still have images here.
    const images = parts.flatMap((part) => {
      const header = part.type === 'image' ? readImageHeader(part.data) : undefined;
      return part.type === 'image' && header !== undefined
        ? [imageUrl(header.type, base64Of(part.data))]
        : [];
    });
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

  #close(): void {
    for (const id of this.#open)
      this.#messages.push({ role: 'tool', tool_call_id: id, content: 'No result.' });
    this.#open.clear();
  }
}

function joinedText(parts: readonly MessagePart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Stands for the message that the model replied to, if the messages begin with its reply. */
const missingMessage = '(The conversation begins here.)';

/**
 * One system message, then user and assistant messages in turn, where nothing but an assistant message
 * follows the results of calls. Messages of the same role are joined, and no text is lost.
 */
function orderedMessages(messages: readonly WireMessage[]): readonly WireMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const content = system.map((message) => message.content).join(pieceSeparator);
  const ordered: WireMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const last = ordered.at(-1);
    const joined = last && join(last, message);
    if (joined !== undefined) {
      ordered[ordered.length - 1] = joined;
      continue;
    }
    if (last === undefined && message.role === 'assistant')
      ordered.push({ role: 'user', content: missingMessage });
    if (last?.role === 'tool' && message.role === 'user')
      ordered.push({ role: 'assistant', content: missingReply });
    ordered.push(message);
  }
  if (system.length === 0) return ordered;
  return ordered.length === 0
    ? [{ role: 'user', content }]
    : [{ role: 'system', content }, ...ordered];
}

/** Two messages in one; undefined unless a user or an assistant wrote both, one after the other. */
function join(first: WireMessage, second: WireMessage): WireMessage | undefined {
  const content = [first.content ?? '', second.content ?? '']
    .filter((text) => text !== '')
    .join(pieceSeparator);
  if (first.role === 'user' && second.role === 'user') {
    const images = [...(first.images ?? []), ...(second.images ?? [])];
    return { role: 'user', content, ...(images.length === 0 ? {} : { images }) };
  }
  if (first.role === 'assistant' && second.role === 'assistant')
    return { ...second, content: content === '' ? null : content };
  return undefined;
}

/** Number of ids that are remembered for a model. */
const mostIds = 2000;

/**
 * Remembers which ids of calls a model gave in this window, since another extension may send calls of
 * any model: see {@link CallIds}.
 */
export class GivenCallIds {
  readonly #ids = new Map<string, Set<string>>();

  /** @param from identifies the model and its service */
  add(id: string, from: string): void {
    const ids = this.#ids.get(from) ?? new Set();
    this.#ids.set(from, ids.add(id));
    const [oldest] = ids;
    if (ids.size > mostIds && oldest !== undefined) ids.delete(oldest);
  }

  /** The messages with the ids that the model takes. */
  replaceIn(messages: readonly WireMessage[], to: string): readonly WireMessage[] {
    const own = this.#ids.get(to);
    const ids = new CallIds();
    let sent = new Map<string, string>();
    return messages.map((message): WireMessage => {
      if (message.role === 'tool') {
        const { tool_call_id: id } = message;
        return { ...message, tool_call_id: sent.get(id) ?? id };
      }
      if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
      sent = new Map(message.tool_calls.map(({ id }) => [id, ids.idOf(id, own?.has(id) === true)]));
      const tool_calls = message.tool_calls.map((call) => ({
        ...call,
        id: sent.get(call.id) ?? call.id,
      }));
      return { ...message, tool_calls };
    });
  }
}
