import type { Reply } from '../reply.ts';
import type { ReadMessage } from './attachments.ts';
import { findNames, languageOf } from './codeFacts.ts';
import { countLines } from './describeAttachments.ts';
import { topicReply } from './topics.ts';

/** The same answers as one JSON object. */
export function jsonReply({ question, attachments }: ReadMessage): Reply {
  const files = attachments.map((attachment) => ({
    path: attachment.path,
    language: languageOf(attachment),
    lines: countLines(attachment.code),
    defines: findNames(attachment.code).map(({ kind, name }) => ({ kind, name })),
  }));
  const value =
    files.length > 0
      ? { question, files, demo: true }
      : { question, answer: topicReply(question).content, demo: true };
  return { content: JSON.stringify(value, null, 2) };
}
