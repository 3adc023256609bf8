import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import { toolNamePattern, type CompletionRequest } from '../../core/service/wire.ts';
import { UserError } from '../errors.ts';
import { orNull } from '../settingValues.ts';
import { wireMessages } from './requestMessages.ts';

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
