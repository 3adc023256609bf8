import type { ReplyFault } from './faults.ts';
import type { BodyStep } from './httpResponse.ts';
import { interrupt, interruptWhole } from './interruption.ts';
import { messageOf, type Delta, type FinishedReply } from './scriptedReply.ts';

/** The fields that every object of one reply starts with (sections 2.1 and 2.7). */
export interface Envelope {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly model: string;
}

/**
 * The reply as Server-Sent Events (section 4.1, rule 2): role, text, finish reason, usage if it is
 * reported, and `[DONE]`. Each token is a separate chunk.
 */
export function streamSteps(
  envelope: Envelope,
  reply: FinishedReply,
  usage: unknown,
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  const event = (choices: readonly object[], more: object, tokens: number): BodyStep => ({
    text: `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    tokens,
  });
  const choice = (delta: object, finish: string | null, tokens: number): BodyStep =>
    event([{ index: 0, delta, finish_reason: finish }], {}, tokens);
  const isEarly = fault?.kind === 'early-finish';
  return interrupt(
    {
      opening: [choice({ role: 'assistant', content: '' }, null, 0)],
      deltas: reply.deltas,
      closing: [
        choice({}, reply.finishReason, 0),
        ...(usage === undefined ? [] : [event([], { usage }, 0)]),
        { text: 'data: [DONE]\n\n', tokens: 0 },
      ],
      chunk: (delta: Delta) => choice(delta, isEarly ? reply.finishReason : null, 1),
    },
    fault,
  );
}

/** The reply in one piece (section 2.1). */
export function wholeSteps(
  envelope: Envelope,
  reply: FinishedReply,
  usage: unknown,
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  const message = messageOf(reply.deltas);
  const choices = [{ index: 0, message, finish_reason: reply.finishReason }];
  const body = { ...envelope, object: 'chat.completion', choices, usage };
  return interruptWhole({ text: JSON.stringify(body), tokens: reply.deltas.length }, fault);
}
