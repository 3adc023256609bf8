import type {
  AttachedImage,
  ChosenPreset,
  Conversation,
} from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import type { Event } from '../../core/support/event.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import type { AttachmentHolder } from './attachmentResolver.ts';
import type { Composer } from './composer.ts';

/** A change of a chat: an event, or another conversation, which was read again. */
type AttachmentChatChange =
  | { readonly type: 'event'; readonly event: ConversationEvent }
  | { readonly type: 'replace' };

export interface AttachmentChat {
  readonly chat: {
    readonly conversation: Conversation;
    readonly onDidChange: Event<AttachmentChatChange>;
    setPreset(preset: ChosenPreset | undefined): void;
    readonly mode: ChatMode;
    setMode(mode: ChatMode): void;
  };
  readonly composer: Composer;
  readonly edits: { of(turn: string): AttachmentHolder | undefined };
  readonly images: {
    save(bytes: Uint8Array<ArrayBuffer>): Promise<AttachedImage | undefined>;
    release(image: AttachedImage): Promise<void>;
  };
  readonly preset: ChatPreset;
}

export interface AttachmentChats {
  readonly all: readonly AttachmentChat[];
  readonly onDidOpen: Event<AttachmentChat>;
  readonly onDidClose: Event<AttachmentChat>;
}
