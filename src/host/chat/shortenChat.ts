import * as vscode from 'vscode';
import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { maxSummary } from '../../core/conversation/conversationSchema.ts';
import { summaryOf } from '../../core/conversation/summaries.ts';
import {
  estimatedMoney,
  formatTokens,
  usageCost,
  zeroUsage,
  type Usage,
} from '../../core/conversation/usage.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { counted } from '../../core/support/counted.ts';
import { newId } from '../../core/support/id.ts';
import { estimateCache } from '../../core/turn/cacheEstimate.ts';
import { buildRequest } from '../../core/turn/prompt.ts';
import { promptCharacters } from '../../core/service/requestUsage.ts';
import { summaryRequest } from '../../core/turn/messagePieces.ts';
import type { Chat } from './chat.ts';
import {
  requireComplete,
  type GeneratedText,
  type GenerationRequest,
} from '../editor/textGenerator.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { settingsOfModel, type SettingValues } from '../platform/settingValues.ts';
import { messageIsGone, replyRuns } from './storeMessages.ts';

/** Number of newest turns that are still sent unchanged. */
const keptTurns = 2;

/** Fewest turns that a summary replaces, in addition to those of an earlier one. */
const fewestTurns = 2;

export type SummaryGeneration = Pick<
  Required<GenerationRequest>,
  'messages' | 'tools' | 'model' | 'signal' | 'onUsage'
>;

export interface ShortenChatOptions {
  readonly settings: { current(): SettingValues };
  /** The model that writes the summary; leads to connecting and choosing one. */
  readonly modelFor: (chat: Chat) => Promise<string>;
  readonly tokensOf: (model: string, characters: number) => number;
  /** Calls `onUsage` even if there is no text. */
  readonly generate: (request: SummaryGeneration, chat: Chat) => Promise<GeneratedText>;
  readonly dialogs: Dialogs;
}

interface SummaryPlan {
  readonly model: string;
  readonly request: Pick<CompletionRequest, 'model' | 'messages' | 'tools'>;
  /** Estimated tokens of the request that the service has in its cache. */
  readonly cached: number;
  readonly upTo: string;
  /** Number of turns that the summary replaces. */
  readonly turns: number;
  /** Characters of the replaced messages, as they are sent. */
  readonly replaced: number;
}

/** `aside.shortenChat`: a model writes a summary, which is sent in place of older messages. */
export class ShortenChat {
  readonly #options: ShortenChatOptions;

  constructor(options: ShortenChatOptions) {
    this.#options = options;
  }

  /** @throws {UserError} if there is nothing to shorten, or the chat may not be changed now */
  async run(chat: Chat): Promise<void> {
    await chat.allRead();
    requireTurns(chat);
    const plan = await this.#plan(chat, await this.#options.modelFor(chat));
    if (!(await this.#confirm(plan))) return;
    chat.access.requireWrite();
    const { dialogs } = this.#options;
    await dialogs.progress(vscode.l10n.t('Shortening the chat…'), (signal) =>
      this.#write(chat, plan, AbortSignal.any([signal, chat.access.closed])),
    );
  }

  async #plan(chat: Chat, model: string): Promise<SummaryPlan> {
    const message = { text: summaryRequest, attachments: [] };
    const { turns } = chat.conversation;
    const count = turns.length - keptTurns;
    const firstKept = turns[count]?.id;
    const older = chat.preview(message, model, firstKept);
    const build = ({ images }: Pick<typeof older.settings, 'images'>): CompletionRequest =>
      buildRequest(
        older.conversation,
        { ...older.turn, json: false },
        { ...older.settings, images },
      );
    const messages = build(older.settings).messages.slice(1, -1);
    const replaced = promptCharacters({ model, messages });
    const summary = { model, upTo: turns[count - 1]?.id ?? '', turns: count, replaced };
    const last = turns.at(-1);
    // Another model has nothing of the chat in its cache, so it gets only what a summary needs: the
    // replaced messages without tools, and with the names of images.
    if (last?.model !== model)
      return { ...summary, request: build({ images: undefined }), cached: 0 };
    // The chat goes on with one more message, so that all before it comes from the cache. If it
    // doesn't fit, what would be left out is what the summary is about, so the newest turns are.
    const { turn: next } = chat.preview(message, model);
    const fits =
      next.firstSent === last.firstSent && next.shortResultsBefore === last.shortResultsBefore;
    const plan = await chat.planRequest(message, model, fits ? undefined : firstKept);
    const tokensOf = (characters: number): number => this.#options.tokensOf(model, characters);
    const { tokens: cached } = estimateCache(model, plan.parts, plan.last, tokensOf);
    return { ...summary, request: plan.request, cached };
  }

  #confirm({ model, request, cached, turns, replaced }: SummaryPlan): Promise<boolean> {
    const { dialogs, tokensOf } = this.#options;
    const tokens = tokensOf(model, promptCharacters(request));
    const lines = [
      vscode.l10n.t(
        '{0} writes the summary. Your last {1} messages stay as they are.',
        model,
        keptTurns,
      ),
      vscode.l10n.t('Estimated tokens to send: {0}', this.#costText(model, tokens, cached)),
      vscode.l10n.t(
        'Later messages send the summary instead of {0} tokens.',
        formatTokens(tokensOf(model, replaced), true),
      ),
      vscode.l10n.t('The messages stay in the chat. You can send them again at any time.'),
    ];
    return dialogs.confirm(
      counted(
        vscode.l10n.t('Send a summary instead of {0} older messages?'),
        turns,
        vscode.env.language,
      ),
      lines.join('\n'),
      vscode.l10n.t('Shorten Chat'),
    );
  }

  #costText(model: string, tokens: number, cached: number): string {
    const { settings } = this.#options;
    const values = settings.current();
    const { price } = settingsOfModel(values, model);
    const all = formatTokens(tokens, true);
    const count =
      cached === 0
        ? all
        : vscode.l10n.t('{0}, {1} of them cached', all, formatTokens(cached, true));
    if (price === undefined) return count;
    const cost = usageCost({ ...zeroUsage, prompt_tokens: tokens, cached_tokens: cached }, price);
    return `${count} (${estimatedMoney(cost, values.currency, vscode.env.language)})`;
  }

  async #write(chat: Chat, plan: SummaryPlan, signal: AbortSignal): Promise<void> {
    const { generate } = this.#options;
    const { model, request, upTo } = plan;
    let used: { readonly usage: Usage; readonly demo: boolean } | undefined;
    const onUsage = (usage: Usage, demo: boolean): void => {
      used = { usage, demo };
    };
    let text: string | undefined;
    try {
      const { messages, tools } = request;
      text = checked(await generate({ messages, tools, model, signal, onUsage }, chat), plan);
    } finally {
      // The usage counts in the chat even if there is no summary.
      if (text === undefined && used !== undefined && !chat.access.closed.aborted)
        await chat.changeBetweenTurns({ type: 'chat-usage', model, ...used });
    }
    if (text === undefined) return;
    if (turnsOfAllPaths(chat.conversation).every(({ id }) => id !== upTo)) throw messageIsGone();
    const summary = { id: newId(), text, upTo, model, at: chat.clock.wall() };
    await chat.changeBetweenTurns({ type: 'chat-shorten', summary, ...used });
  }
}

/** @throws {UserError} if there are too few turns, or one runs */
function requireTurns(chat: Chat): void {
  chat.access.requireWrite();
  if (chat.isRunning) throw replyRuns();
  const { conversation } = chat;
  const { turns, summaries } = conversation;
  const summarized = summaryOf(summaries, turns)?.turns ?? 0;
  if (turns.length - keptTurns - summarized < fewestTurns)
    throw new UserError(vscode.l10n.t('This chat is too short to be shortened.'));
}

/**
 * The summary; undefined if the person stopped it.
 * @throws {UserError} if it is incomplete, empty, or no shorter than the replaced messages
 */
function checked(generated: GeneratedText, { replaced }: SummaryPlan): string | undefined {
  if (generated.end === 'stopped') return undefined;
  requireComplete(generated);
  if (generated.hasCalls === true)
    throw new UserError(vscode.l10n.t("The model didn't write a summary. Try again."));
  const summary = generated.text.trim();
  if (summary === '') throw new UserError(vscode.l10n.t('The summary was empty. Try again.'));
  if (summary.length >= Math.min(replaced, maxSummary / 2))
    throw new UserError(vscode.l10n.t("The summary isn't shorter than the messages. Try again."));
  return summary;
}
