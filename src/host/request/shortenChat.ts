import * as vscode from 'vscode';
import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { maxSummary } from '../../core/conversation/conversationSchema.ts';
import { summaryOf } from '../../core/conversation/summaries.ts';
import {
  formatMoney,
  formatTokens,
  tokensPerPrice,
  type Usage,
} from '../../core/conversation/usage.ts';
import type { CompletionRequest, WireMessage } from '../../core/service/wire.ts';
import type { Clock } from '../../core/support/clock.ts';
import { counted } from '../../core/support/counted.ts';
import { newId } from '../../core/support/id.ts';
import { buildRequest } from '../../core/turn/prompt.ts';
import { promptCharacters } from '../../core/service/requestUsage.ts';
import { summaryRequest } from '../../core/turn/summaryPrompt.ts';
import type { Chat } from '../chat/chat.ts';
import type { Dialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { SettingValues } from '../settingValues.ts';
import { messageIsGone, replyRuns } from '../chat/storeMessages.ts';

/** Number of newest turns that are still sent unchanged. */
const keptTurns = 2;

/** Fewest turns that a summary replaces, in addition to those of an earlier one. */
const fewestTurns = 2;

type ShortenedChat = Chat;

export interface SummaryGeneration {
  readonly messages: readonly WireMessage[];
  readonly model: string;
  readonly signal: AbortSignal;
  /** Called with the usage of the request, even if there is no text. */
  readonly onUsage: (usage: Usage, demo: boolean) => void;
}

export interface ShortenChatOptions<Open extends { readonly chat: ShortenedChat }> {
  readonly settings: { current(): SettingValues };
  /** The model that writes the summary; leads to connecting and choosing one. */
  readonly modelFor: () => Promise<string>;
  readonly tokensOf: (model: string, characters: number) => number;
  /** The whole text, or undefined if the person stopped it. Rejects if any of it is missing. */
  readonly generate: (request: SummaryGeneration, open: Open) => Promise<string | undefined>;
  readonly dialogs: Dialogs;
  readonly clock: Clock;
  readonly language: string;
}

interface SummaryPlan {
  readonly model: string;
  readonly request: CompletionRequest;
  readonly upTo: string;
  /** Number of turns that the summary replaces. */
  readonly turns: number;
  /** Characters of the replaced messages, as they are sent. */
  readonly replaced: number;
}

/** `aside.shortenChat`: a model writes a summary, which is sent in place of older messages. */
export class ShortenChat<Open extends { readonly chat: ShortenedChat }> {
  readonly #options: ShortenChatOptions<Open>;

  constructor(options: ShortenChatOptions<Open>) {
    this.#options = options;
  }

  /** @throws {UserError} if there is nothing to shorten, or the chat may not be changed now */
  async run(open: Open): Promise<void> {
    const { chat } = open;
    await chat.restored();
    requireTurns(chat);
    const plan = this.#plan(chat, await this.#options.modelFor());
    if (!(await this.#confirm(plan))) return;
    chat.access.requireWrite();
    const { dialogs } = this.#options;
    await dialogs.progress(vscode.l10n.t('Shortening the chat…'), (signal) =>
      this.#write(open, plan, AbortSignal.any([signal, chat.access.closed])),
    );
  }

  #plan(chat: ShortenedChat, model: string): SummaryPlan {
    const { turns } = chat.conversation;
    const count = turns.length - keptTurns;
    const upTo = turns[count - 1]?.id ?? '';
    const question = { text: summaryRequest, attachments: [] };
    const { conversation, turn, settings } = chat.preview(question, model, turns[count]?.id);
    const build = (requestSettings: typeof settings): CompletionRequest =>
      buildRequest(conversation, { ...turn, json: false }, requestSettings);
    // A summary contains only text: images are sent by name.
    const request = build({ ...settings, images: undefined });
    const messages = build(settings).messages.slice(1, -1);
    const replaced = promptCharacters({ ...request, messages });
    return { model, request, upTo, turns: count, replaced };
  }

  #confirm({ model, request, turns, replaced }: SummaryPlan): Promise<boolean> {
    const { dialogs, tokensOf } = this.#options;
    const tokens = tokensOf(model, promptCharacters(request));
    const lines = [
      vscode.l10n.t(
        '{0} writes the summary. Your last {1} messages stay as they are.',
        model,
        keptTurns,
      ),
      vscode.l10n.t('Estimated tokens to send: {0}', this.#costText(model, tokens)),
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

  #costText(model: string, tokens: number): string {
    const { settings, language } = this.#options;
    const values = settings.current();
    const { price } = settingsOfModel(values, model);
    const count = formatTokens(tokens, true);
    if (price === undefined) return count;
    const money = formatMoney((tokens * price.input) / tokensPerPrice, values.currency, language);
    return `${count} (${money.startsWith('<') ? money : `≈${money}`})`;
  }

  async #write(open: Open, plan: SummaryPlan, signal: AbortSignal): Promise<void> {
    const { generate, clock } = this.#options;
    const { model, request, upTo } = plan;
    const { chat } = open;
    let used: { readonly usage: Usage; readonly demo: boolean } | undefined;
    const onUsage = (usage: Usage, demo: boolean): void => {
      used = { usage, demo };
    };
    let text: string | undefined;
    try {
      const { messages } = request;
      text = checked(await generate({ messages, model, signal, onUsage }, open), plan);
    } finally {
      // The usage counts in the chat even if there is no summary.
      if (text === undefined && used !== undefined && !chat.access.closed.aborted)
        await chat.changeBetweenTurns({ type: 'chat-usage', model, ...used });
    }
    if (text === undefined) return;
    if (turnsOfAllPaths(chat.conversation).every(({ id }) => id !== upTo)) throw messageIsGone();
    const summary = { id: newId(), text, upTo, model, at: clock.wall() };
    await chat.changeBetweenTurns({ type: 'chat-shorten', summary, ...used });
  }
}

/** @throws {UserError} if there are too few turns, or one runs */
function requireTurns(chat: ShortenedChat): void {
  chat.access.requireWrite();
  if (chat.isRunning) throw replyRuns();
  const { conversation } = chat;
  const { turns, summaries } = conversation;
  const summarized = summaryOf(summaries, turns)?.turns ?? 0;
  if (turns.length - keptTurns - summarized < fewestTurns)
    throw new UserError(vscode.l10n.t('This chat is too short to be shortened.'));
}

/** @throws {UserError} if a summary is empty, or no shorter than the replaced messages */
function checked(text: string | undefined, { replaced }: SummaryPlan): string | undefined {
  if (text === undefined) return undefined;
  const summary = text.trim();
  if (summary === '') throw new UserError(vscode.l10n.t('The summary was empty. Try again.'));
  if (summary.length >= Math.min(replaced, maxSummary / 2))
    throw new UserError(vscode.l10n.t("The summary isn't shorter than the messages. Try again."));
  return summary;
}
