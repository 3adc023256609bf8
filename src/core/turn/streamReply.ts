import type { ConversationEvent } from '../conversation/events.ts';
import type { Completion } from '../service/completion.ts';
import { ServiceError } from '../service/errors.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { Reply, type ReplyOptions } from './reply.ts';

/**
 * Sends a request, yields what comes in reply, and returns what it came to.
 * @throws what the client throws: nothing of a reply was received, or the signal aborted
 */
export async function* streamReply(
  request: CompletionRequest,
  reply: Reply,
  { client, clock, signal, describe }: ReplyOptions,
): AsyncGenerator<ConversationEvent, Completion> {
  for await (const event of client.stream(request, signal)) {
    switch (event.type) {
      case 'retry': {
        const { attempt, attempts, delay } = event;
        const resumeAt = clock.wall() + delay;
        const error = describe(event.error);
        reply.refused = true;
        yield { type: 'request-retry', retry: { attempt, attempts, resumeAt, error } };
        break;
      }
      case 'attempt':
        reply.refused = false;
        yield { type: 'request-start' };
        break;
      case 'reasoning':
        yield reply.reasoning(event.text);
        break;
      case 'text':
        yield* reply.text(event.text);
        break;
      case 'end':
        return event.completion;
    }
  }
  const { host } = client.address;
  throw new ServiceError('cut', 'The reply has no end', { host });
}

/**
 * Asks once, outside any conversation: yields the events that a turn of one request would have, down
 * to its end. Never throws: an error, and an aborted signal, are how it ends.
 */
export async function* askOnce(
  request: CompletionRequest,
  options: ReplyOptions,
): AsyncGenerator<ConversationEvent, void> {
  const reply = new Reply(options, { parts: [] });
  try {
    const completion = yield* streamReply(request, reply, options);
    yield* reply.read(completion, request);
    yield* reply.end(completion);
  } catch (error) {
    yield* reply.broken(error, request);
  }
}
