import type { TaintedChat } from '../../core/approval/taint.ts';
import type {
  Conversation,
  FileChange,
  RunningProcess,
} from '../../core/conversation/conversation.ts';
import type { Event } from '../../core/support/event.ts';

/** A chat whose turns call tools. */
export interface ToolChat extends TaintedChat {
  readonly conversation: Conversation;
  readonly access: { readonly isReadOnly: boolean };
  /** Resolves when the conversation is read. */
  restored(): Promise<void>;
  /** Records the files that a turn changed, and their status. */
  setLeftRunning(turn: string, call: string, processes: readonly RunningProcess[]): void;
  setChanges(turn: string, changes: readonly FileChange[]): void;
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
