import type { UserMessage } from '../core/conversation/conversation.ts';
import type { ChatStorage } from '../host/chat/chatStorage.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import type { WindowNotices } from '../host/panel/windowNotices.ts';
import type { ConnectionFeature } from '../host/connection/feature.ts';
import type { OpenPage } from '../host/page.ts';
import type { UsageOptions } from '../host/usage/statusBar.ts';
import type { HostWindow } from '../host/workspace/window.ts';

/** Objects that exist once per window, and before any feature that is loaded later. */
export interface WindowScope {
  readonly window: HostWindow;
  readonly connection: ConnectionFeature;
  readonly storage: ChatStorage;
  readonly chats: OpenChats;
  readonly notices: WindowNotices;
  /** The usage of the chat in focus. */
  readonly usage: UsageOptions;
  readonly openPage: OpenPage;
  /** Shows the chat in focus, and sends a message there. */
  readonly askInChat: (message: UserMessage) => Promise<void>;
}
