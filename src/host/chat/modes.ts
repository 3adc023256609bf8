import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { LiveConversation } from '../../core/conversation/liveConversation.ts';
import { chatModes, isHigher, type ChatMode } from '../../core/conversation/mode.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { Event } from '../../core/support/event.ts';
import type { ModelState } from '../../protocol/messages.ts';
import type { ModelChoice } from '../service/models.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import type { Memento } from '../platform/memento.ts';
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

interface ModeCommand {
  readonly chat: Chat;
  readonly last: LastMode;
  readonly dialogs: Dialogs;
  /** The number of tools that a mode would send, and their estimated tokens. */
  readonly toolsOf: (
    mode: ChatMode,
  ) => Promise<{ readonly count: number; readonly tokens: number }>;
}

/**
 * `aside.setMode`. Without an argument, the person picks a mode. Other code can lower it freely;
 * raising it needs the person's confirmation.
 */
export async function setMode(command: ModeCommand, argument: unknown): Promise<void> {
  const { chat, last, dialogs } = command;
  await chat.allRead();
  chat.access.requireWrite();
  if (argument === undefined) {
    const mode = await pickMode(command);
    if (mode === undefined) return;
    chat.setMode(mode);
    await last.set(mode);
    return;
  }
  const { data: mode } = storedMode.safeParse(argument);
  if (mode === undefined)
    throw new TypeError(
      vscode.l10n.t('aside.setMode needs one of these: {0}', chatModes.join(', ')),
    );
  const { name, detail } = wordsOf(mode);
  const isAllowed =
    !isHigher(mode, chat.mode) ||
    (await dialogs.decide(
      vscode.l10n.t('Let a command switch this chat to the mode {0}?', name),
      detail,
      vscode.l10n.t('Switch'),
      vscode.l10n.t('Deny'),
    )) === true;
  // A mode set by other code applies to this chat only.
  if (isAllowed) chat.setMode(mode);
}

async function pickMode({ chat, dialogs, toolsOf }: ModeCommand): Promise<ChatMode | undefined> {
  const choices = await Promise.all(
    chatModes.map(async (mode) => {
      const { count, tokens } = await toolsOf(mode);
      const cost = vscode.l10n.t(
        '{0} tools, {1} tokens per request',
        count,
        formatTokens(tokens, true),
      );
      const { name, detail } = wordsOf(mode);
      return {
        label: name,
        ...(count > 0 && { description: cost }),
        detail,
        icon: mode === chat.mode ? 'check' : 'blank',
        value: mode,
      };
    }),
  );
  return dialogs.pick(choices, vscode.l10n.t('Mode of This Chat'));
}

function wordsOf(mode: ChatMode): { readonly name: string; readonly detail: string } {
  switch (mode) {
    case 'chat':
      return {
        name: vscode.l10n.t('Chat'),
        detail: vscode.l10n.t('No tools. Costs the fewest tokens.'),
      };
    case 'ask':
      return {
        name: vscode.l10n.t('Ask'),
        detail: vscode.l10n.t('Tools that only read: files, searches, problems.'),
      };
    case 'agent':
      return {
        name: vscode.l10n.t('Agent'),
        detail: vscode.l10n.t('All tools. Edits and commands need your approval.'),
      };
  }
}
