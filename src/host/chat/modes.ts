import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { LiveConversation } from '../../core/conversation/liveConversation.ts';
import { chatModes, isHigher, type ChatMode } from '../../core/conversation/mode.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { Event } from '../../core/support/event.ts';
import type { ModelState } from '../../protocol/messages.ts';
import type { ModelChoice } from '../service/models.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import type { Memento } from '../platform/keptFiles.ts';
import { modeOfChat, type Chat } from './chat.ts';

/** The model that the settings assign to a chat's mode, or the selected one. */
export class ModeModel {
  readonly #conversation: LiveConversation;
  readonly #last: LastMode;
  readonly #choice: Pick<ModelChoice, 'current' | 'of' | 'onDidChange'>;
  readonly onDidChange: Event<unknown>;

  constructor(
    conversation: LiveConversation,
    last: LastMode,
    choice: Pick<ModelChoice, 'current' | 'of' | 'onDidChange'>,
  ) {
    this.#conversation = conversation;
    this.#last = last;
    this.#choice = choice;
    this.onDidChange = choice.onDidChange;
  }

  current(): ModelState {
    const id = this.#choice.of(modeOfChat(this.#conversation.current, this.#last.current));
    const state = { fromWorkspace: false, missing: false };
    return id === undefined ? this.#choice.current() : { id, ...state };
  }
}

const key = 'aside.mode';
const storedMode = z.enum(chatModes);

/** The mode that the person chose last, which new chats start with. */
export class LastMode {
  readonly #state: Memento;

  /** @param state the user's state, shared by all windows */
  constructor(state: Memento) {
    this.#state = state;
  }

  get current(): ChatMode {
    return storedMode.safeParse(this.#state.get(key)).data ?? 'agent';
  }

  async set(mode: ChatMode): Promise<void> {
    await this.#state.update(key, mode);
  }
}

export interface ModeTools {
  readonly count: number;
  /** Estimated. */
  readonly tokens: number;
}

export interface ModeCommandOptions {
  readonly chat: Chat;
  readonly last: LastMode;
  readonly dialogs: Dialogs;
  readonly toolsOf: (mode: ChatMode) => Promise<ModeTools>;
}

/**
 * `aside.setMode`. Without an argument, the person picks a mode. Other code can lower it freely;
 * raising it needs the person's confirmation.
 */
export async function setMode(options: ModeCommandOptions, argument: unknown): Promise<void> {
  const { chat, last, dialogs } = options;
  await chat.allRead();
  chat.access.requireWrite();
  const wanted = argument === undefined ? undefined : modeOf(argument);
  const mode = wanted ?? (await pickMode(options));
  if (mode === undefined) return;
  const isRaised = isHigher(mode, chat.mode);
  if (wanted !== undefined && isRaised && !(await confirmRaise(dialogs, mode))) return;
  chat.setMode(mode);
  // A mode set by other code applies to this chat only.
  if (wanted === undefined) await last.set(mode);
}

function modeOf(argument: unknown): ChatMode {
  const { data } = storedMode.safeParse(argument);
  if (data === undefined)
    throw new TypeError(
      vscode.l10n.t('aside.setMode needs one of these: {0}', chatModes.join(', ')),
    );
  return data;
}

async function pickMode({
  chat,
  dialogs,
  toolsOf,
}: ModeCommandOptions): Promise<ChatMode | undefined> {
  const choices = await Promise.all(
    chatModes.map(async (mode) => {
      const { count, tokens } = await toolsOf(mode);
      const cost = vscode.l10n.t(
        '{0} tools, {1} tokens per request',
        count,
        formatTokens(tokens, true),
      );
      return {
        label: nameOf(mode),
        ...(count > 0 && { description: cost }),
        detail: detailOf(mode),
        icon: mode === chat.mode ? 'check' : 'blank',
        value: mode,
      };
    }),
  );
  return dialogs.pick(choices, vscode.l10n.t('Mode of This Chat'));
}

async function confirmRaise(
  dialogs: ModeCommandOptions['dialogs'],
  mode: ChatMode,
): Promise<boolean> {
  const isAllowed = await dialogs.decide(
    vscode.l10n.t('Let a command switch this chat to the mode {0}?', nameOf(mode)),
    detailOf(mode),
    vscode.l10n.t('Switch'),
    vscode.l10n.t('Deny'),
  );
  return isAllowed === true;
}

function nameOf(mode: ChatMode): string {
  switch (mode) {
    case 'chat':
      return vscode.l10n.t('Chat');
    case 'ask':
      return vscode.l10n.t('Ask');
    case 'agent':
      return vscode.l10n.t('Agent');
  }
}

function detailOf(mode: ChatMode): string {
  switch (mode) {
    case 'chat':
      return vscode.l10n.t('No tools. Costs the fewest tokens.');
    case 'ask':
      return vscode.l10n.t('Tools that only read: files, searches, problems.');
    case 'agent':
      return vscode.l10n.t('All tools. Edits and commands need your approval.');
  }
}
