import { hashOf } from '../support/id.ts';
import { readImageHeader } from '../support/image.ts';
import {
  messagesOf,
  type AttachedImage,
  type Attachment,
  type Conversation,
} from './conversation.ts';
import { turnsOfAllPaths } from './paths.ts';

/**
 * The record of an image, derived from its bytes alone; the file name doesn't matter.
 *
 * @returns undefined if services don't accept the format
 */
export async function attachedImageOf(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<AttachedImage | undefined> {
  const header = readImageHeader(bytes);
  if (header === undefined) return undefined;
  return { ...header, size: bytes.length, hash: await hashOf(bytes) };
}

/** All images attached to messages. */
export function imagesIn(
  messages: readonly { readonly attachments: readonly Attachment[] }[],
): AttachedImage[] {
  return messages.flatMap(({ attachments }) =>
    attachments.flatMap(({ image }) => (image === undefined ? [] : [image])),
  );
}

/** The images of all messages of a chat, on every path. */
export function imagesOfChat(conversation: Conversation): AttachedImage[] {
  return imagesIn(turnsOfAllPaths(conversation).flatMap(messagesOf));
}
