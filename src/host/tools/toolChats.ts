import { type TaintedChat, ChatTaint } from '../../core/approval/grants.ts';
import { type Conversation, lastTurn } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import { background } from '../../core/support/background.ts';
import { type Disposable, disposeAll, type Event } from '../../core/support/event.ts';
import type { Changes } from './changes.ts';
import type { TerminalProcesses } from '../platform/platform.ts';

/** A chat whose turns call tools. */
export interface ToolChat extends TaintedChat {
  readonly conversation: Conversation;
  readonly access: { readonly isReadOnly: boolean };
  /** Resolves when the conversation is read. */
  allRead(): Promise<void>;
  /** Records what a turn did outside the conversation. */
  record(event: Extract<ConversationEvent, { type: 'files-change' | 'processes-change' }>): void;
}

/** The open chats of a window, as far as tools need them. */
export interface ToolChats {
  readonly all: readonly ToolChat[];
  readonly onDidOpen: Event<ToolChat>;
  readonly onDidClose: Event<ToolChat>;
  readonly onDidChange: Event<{
    readonly chat: ToolChat;
    readonly change: { readonly type: 'event' | 'replace' };
  }>;
  ofConversation(id: string): ToolChat | undefined;
  ofTurn(turn: string): ToolChat | undefined;
  readonly focused: ToolChat;
}

/**
 * Records in each chat which files its turns changed. Once a chat has been read, its last turn gets
 * what a killed window was writing: no other turn can have been running then.
 */
export function recordChanges(changes: Changes, chats: ToolChats): Disposable {
  const recover = async (chat: ToolChat): Promise<void> => {
    await chat.allRead();
    const turn = lastTurn(chat.conversation);
    if (turn !== undefined && !chat.access.isReadOnly) await changes.recover(turn.id);
  };
  const listening = [
    changes.onDidChange(({ turn, changes: ofTurn }) =>
      chats.ofTurn(turn)?.record({ type: 'files-change', turn, changes: ofTurn }),
    ),
    chats.onDidChange(({ chat, change }) => {
      if (change.type === 'replace') background(recover(chat));
    }),
  ];
  return { dispose: () => disposeAll(listening) };
}

/** Ends what the command of a call left running. */
export async function endLeftRunning(
  chats: ToolChats,
  processes: TerminalProcesses | undefined,
  turn: string,
  call: string,
): Promise<void> {
  const chat = chats.ofTurn(turn);
  const parts = chat && turnOfPath(chat.conversation, turn)?.parts;
  const part = parts?.find((candidate) => 'id' in candidate && candidate.id === call);
  if (chat === undefined || part?.type !== 'tool-call') return;
  await processes?.end(part.leftRunning ?? []);
  chat.record({ type: 'processes-change', turn, call, processes: [] });
}

interface FollowedTaint {
  readonly taint: ChatTaint;
  readonly following: Disposable;
}

/** The taint of each open chat: no chat taints another one (threats: T38). */
export class ChatTaints implements Disposable {
  readonly #chats: ToolChats;
  readonly #isOwn: (tool: string) => boolean;
  readonly #taints = new Map<ToolChat, FollowedTaint>();
  readonly #listening: readonly Disposable[];

  /** @param isOwn returns true for Aside's own tools */
  constructor(chats: ToolChats, isOwn: (tool: string) => boolean) {
    this.#chats = chats;
    this.#isOwn = isOwn;
    for (const open of chats.all) this.#follow(open);
    this.#listening = [
      chats.onDidOpen((open) => this.#follow(open)),
      chats.onDidClose((open) => {
        this.#taints.get(open)?.following.dispose();
        this.#taints.delete(open);
      }),
    ];
  }

  /** True if the chat of a call is tainted. A caller without a chat has no grants anyway. */
  isTainted(conversation: string | undefined): boolean {
    return this.#of(conversation)?.isTainted === true;
  }

  noteExternalCall(conversation: string | undefined): void {
    this.#of(conversation)?.noteExternalCall();
  }

  dispose(): void {
    disposeAll(this.#listening);
    for (const { following } of this.#taints.values()) following.dispose();
  }

  #of(conversation: string | undefined): ChatTaint | undefined {
    const open = conversation === undefined ? undefined : this.#chats.ofConversation(conversation);
    return open && this.#taints.get(open)?.taint;
  }

  #follow(open: ToolChat): void {
    const taint = new ChatTaint();
    const following = taint.follow(open, this.#isOwn);
    this.#taints.set(open, { taint, following });
  }
}
