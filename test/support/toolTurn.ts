import * as z from 'zod/mini';
import type { Conversation, Turn } from '../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import type { Client } from '../../src/core/service/client.ts';
import { ServiceError } from '../../src/core/service/errors.ts';
import type { LearnedFacts } from '../../src/core/service/learnedFacts.ts';
import type { CompletionRequest } from '../../src/core/service/wire.ts';
import { isObject } from '../../src/core/support/json.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { ToolError } from '../../src/core/support/toolError.ts';
import { defineTool, type Tool } from '../../src/core/tools/tool.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import { turnLimit, type TurnLimit } from '../../src/core/turn/runTurn.ts';
import type { Chat, ChatHost } from '../../src/host/chat/chat.ts';
import { localFetch, createService, demoKey, type LocalService } from '../../src/local/service.ts';
import type { ScriptedReply } from '../../src/local/completionsEndpoint.ts';
import { ManualClock } from './manualClock.ts';
import { testClient } from './testClient.ts';
import { admitAny } from '../../src/core/service/requestUsage.ts';
import { nextEvent } from './turns.ts';
import { testChat, type LoadImages } from '../unit/host/chat/openChatRig.ts';

/** Replies of a model, one per request; the last is repeated. */
type Script = readonly (string | readonly Call[] | ScriptedReply)[];

/** A tool call with its parameters as an object or as raw text. */
type Call = readonly [name: string, parameters: object | string];

export interface ToolRig {
  readonly chat: Chat;
  /** Client of the chat. */
  readonly client: Client;
  readonly clock: ManualClock;
  readonly service: LocalService;
  /** Requests that the service received. */
  readonly requests: () => readonly CompletionRequest[];
  readonly events: readonly ConversationEvent[];
  readonly ask: (text?: string) => Promise<Turn>;
  /** Resolves with the conversation when an event of this type has occurred. */
  readonly happens: (type: ConversationEvent['type']) => Promise<Conversation>;
}

/** The limits of a turn if the person set none. */
export const usualLimits = { maxRounds: 25, limit: turnLimit({ unit: 'tokens' }) };

export interface ToolRigOptions extends Partial<ChatHost> {
  readonly script?: Script;
  readonly loadImages?: LoadImages;
  readonly list?: readonly Tool[];
  readonly maxRounds?: number;
  readonly limit?: TurnLimit;
  /** What is known about the model. */
  readonly facts?: LearnedFacts;
  /** Checks each request before it is sent. */
  readonly keep?: (request: CompletionRequest) => CompletionRequest;
}

/** A chat with tools, and a service whose model follows a script. */
export function toolRig(toolOptions: ToolRigOptions): ToolRig {
  const { script = [], list = [], facts = {}, keep = asItIs, loadImages, ...others } = toolOptions;
  const { maxRounds, limit, ...options } = { ...usualLimits, ...others };
  const clock = new ManualClock();
  let replyCount = 0;
  const service = createService({
    clock,
    pace: 0,
    script: () => replyOf(script[Math.min(replyCount++, script.length - 1)] ?? 'Done.'),
  });
  const redactor = createRedactor();
  redactor.setKeys([demoKey]);
  const toolbox = new Toolbox(list, {
    clock,
    redactor,
    onError: () => undefined,
  });
  const client = testClient(localFetch(service), {
    clock,
    factsOf: () => facts,
    admit: (request) => Promise.resolve().then(() => admitAny(keep(request))),
  });
  const chat = testChat(
    {
      clock,
      connect: () => Promise.resolve({ client, demo: false }),
      settings: () => ({ instructions: '', stream: true, options: {} }),
      meter: { estimate: (_, characters) => Math.ceil(characters / 4), learn: () => undefined },
      tools: () => Promise.resolve({ toolbox, maxRounds, limit }),
      describe: (error) => ({
        kind: error instanceof ServiceError ? error.kind : 'unexpected',
        message: error instanceof Error ? error.message : String(error),
      }),
      ...options,
    },
    loadImages,
  );
  const events: ConversationEvent[] = [];
  chat.onDidChange((change) => change.type === 'event' && events.push(change.event));
  return {
    chat,
    client,
    clock,
    service,
    events,
    requests: () => service.requests.map(({ body }) => requestOf(body)),
    ask: (text = 'Do it.') => chat.send({ text, attachments: [] }, 'mistral/mistral-small'),
    happens: (type) => nextEvent(chat, type),
  };
}

function asItIs(request: CompletionRequest): CompletionRequest {
  return request;
}

function replyOf(entry: Script[number]): ScriptedReply {
  if (typeof entry === 'string') return { content: entry };
  if ('content' in entry) return entry;
  const toolCalls = entry.map(([name, parameters]) => ({
    name,
    arguments: typeof parameters === 'string' ? parameters : JSON.stringify(parameters),
  }));
  return { content: '', toolCalls };
}

const sent = z.custom<CompletionRequest>((value) => isObject(value));

function requestOf(body: unknown): CompletionRequest {
  return sent.parse(body);
}

const named = z.strictObject({ name: z.string() });

/** Presentation of a tool in tests that don't depend on it. */
export const anyLook = { icon: 'tools', label: 'Any', summary: { many: '{0} calls' } };

/** A tool that only reads, and returns its parameter. */
export const look = defineTool({
  ...anyLook,
  name: 'look',
  category: 'read',
  description: 'Looks.',
  schema: named,
  title: ({ name }) => `Look at ${name}`,
  run: ({ name }) => Promise.resolve(`This is ${name}.`),
});

/** A tool that changes something, or fails for the name `stone`. */
export const change = defineTool({
  ...anyLook,
  name: 'change',
  category: 'edit',
  description: 'Changes.',
  schema: named,
  title: ({ name }) => `Change ${name}`,
  run: ({ name }) =>
    name === 'stone'
      ? Promise.reject(new ToolError('A stone does not change.'))
      : Promise.resolve(`Changed ${name}.`),
});
