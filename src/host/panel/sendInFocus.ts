import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { Connection } from '../connection/connection.ts';
import type { ModelChoice } from '../connection/modelChoice.ts';
import type { OpenChats } from '../chat/openChats.ts';

interface SendingConnection {
  readonly connection: Connection;
  readonly choice: ModelChoice;
  /** Asks the person to connect and select a model if there is none. */
  readonly requireModel: () => Promise<string>;
}

/** Shows the chat in focus, and sends a message there. */
export async function sendInFocus(
  message: UserMessage,
  chats: OpenChats,
  { requireModel }: SendingConnection,
): Promise<void> {
  const model = await requireModel();
  await chats.reveal(true);
  await chats.focused.send(message, model);
}

/**
 * The model for a message of a page. If the person had to connect first, the page is focused again.
 */
export async function modelForPage(
  { connection, choice, requireModel }: SendingConnection,
  chats: OpenChats,
): Promise<string> {
  const { id } = choice.current();
  const isReady = connection.stateOf(id).kind !== 'none' && id !== '';
  const model = await requireModel();
  if (!isReady) await chats.reveal(false);
  return model;
}
