import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { turnText, type ToolOutcome, type Turn } from '../../core/conversation/conversation.ts';
import { zeroUsage } from '../../core/conversation/usage.ts';
import type { Chat } from './chat.ts';

/** The result of `aside.ask`. */
export interface AskResult {
  readonly text: string;
  /** The service's finish reason, `stopped` or `cut`. */
  readonly finishReason: string;
  readonly model: string;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
    readonly estimated: boolean;
  };
  readonly toolCalls: readonly AskedCall[];
}

interface AskedCall {
  readonly name: string;
  readonly arguments: string;
  readonly outcome: ToolOutcome;
}

const askOptions = z.optional(
  z.object({
    newChat: z.optional(z.boolean()),
    model: z.optional(z.string().check(z.minLength(1))),
  }),
);

interface AskRequest {
  readonly prompt: string;
  readonly model: string;
}

/**
 * Sends a message in a chat, after the running and queued turns. Rejects only if nothing of
 * a reply was received, with the error message that the panel shows.
 */
export async function sendFromCommand(
  chat: Pick<Chat, 'send'>,
  { prompt, model }: AskRequest,
): Promise<AskResult> {
  const turn = await chat.send({ text: prompt, attachments: [] }, model);
  const result = askResultOf(turn);
  if (turn.status === 'failed' && result.text === '' && result.toolCalls.length === 0) {
    throw new Error(turn.error?.message ?? 'The request failed.');
  }
  return result;
}

export function askResultOf(turn: Turn): AskResult {
  const { status, model, parts, finishReason = 'stop' } = turn;
  const { prompt_tokens, completion_tokens, total_tokens, estimated } = turn.usage ?? zeroUsage;
  return {
    text: turnText(turn),
    finishReason: status === 'stopped' || status === 'cut' ? status : finishReason,
    model,
    usage: { prompt_tokens, completion_tokens, total_tokens, estimated },
    toolCalls: parts
      .filter((part) => part.type === 'tool-call')
      .map(({ name, arguments: args, status: state }) => {
        // All calls have ended when their turn has.
        const isOpen = state === 'waiting' || state === 'asking' || state === 'running';
        return { name, arguments: args, outcome: isOpen ? 'stopped' : state };
      }),
  };
}

interface AskCommandOptions {
  /**
   * Shows the chat for the message: the focused one, or a new one unless that would hide a reply.
   */
  readonly showChat: (isNew: boolean) => Promise<Pick<Chat, 'send'>>;
  /** The selected model; empty if there is none, which the turn then reports. */
  readonly model: () => string;
  readonly requireModel: () => Promise<string>;
}

/**
 * `aside.ask`: sends the prompt of another extension or a keybinding, and resolves with the
 * finished turn; without a prompt, asks the person for one.
 */
export async function ask(
  options: AskCommandOptions,
  prompt: unknown,
  requestOptions: unknown,
): Promise<AskResult | undefined> {
  if (prompt === undefined) return askPerson(options);
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new TypeError(vscode.l10n.t('aside.ask needs a prompt: a non-empty string.'));
  }
  const { newChat = false, model = options.model() } = readOptions(requestOptions) ?? {};
  return sendFromCommand(await options.showChat(newChat), { prompt, model });
}

/** @throws {TypeError} also if reading an option throws */
function readOptions(value: unknown): z.infer<typeof askOptions> {
  try {
    return askOptions.parse(value ?? undefined);
  } catch {
    throw new TypeError(
      vscode.l10n.t('aside.ask accepts the options newChat (boolean) and model (string).'),
    );
  }
}

async function askPerson(options: AskCommandOptions): Promise<AskResult | undefined> {
  const prompt = await vscode.window.showInputBox({
    title: vscode.l10n.t('Ask in Chat'),
    placeHolder: vscode.l10n.t('What do you want to know?'),
    ignoreFocusOut: true,
  });
  if (prompt === undefined || prompt.trim() === '') return undefined;
  const model = await options.requireModel();
  const chat = await options.showChat(false);
  // The panel shows failed turns, so only errors that prevent sending are thrown.
  return askResultOf(await chat.send({ text: prompt, attachments: [] }, model));
}
