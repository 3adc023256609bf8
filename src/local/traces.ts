import { ApiError } from './httpResponse.ts';
import type { RequestMessage } from './request.ts';
import type { Delta } from './scriptedReply.ts';

/**
 * Parts of earlier messages with calls that a model requires. `turn`: reasoning since the last user
 * message; `chat`: reasoning in the whole chat; `signature`: a signature on the first call of each
 * message since the last user message; `refused`: none of these.
 */
export type TraceRule = 'ignored' | 'turn' | 'chat' | 'signature' | 'refused';

/** Refuses messages that break the rule of their model, as services do. */
export function checkTraces(messages: readonly RequestMessage[], rule: TraceRule): void {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const { tool_calls: calls, reasoning_content: reasoning } = message;
    const [first] = calls ?? [];
    const isInTurn = index > start;
    if (rule === 'refused' && (reasoning !== undefined || first?.['extra_content'] !== undefined))
      throw refused(`Unknown parameter: 'messages[${index}].reasoning_content'.`);
    if (first === undefined) continue;
    if (
      (rule === 'chat' || (rule === 'turn' && isInTurn)) &&
      (typeof reasoning !== 'string' || reasoning === '')
    )
      throw refused('The `reasoning_content` in the thinking mode must be passed back to the API.');
    if (
      rule === 'signature' &&
      isInTurn &&
      JSON.stringify(first['extra_content']) !== JSON.stringify(signatureOf(first.id))
    )
      throw refused('Function call is missing a thought_signature in functionCall parts.');
  }
}

/** The deltas of a reply, whose first call is signed. */
export function signed(deltas: readonly Delta[]): readonly Delta[] {
  const index = deltas.findIndex(({ tool_calls: calls }) => calls?.[0]?.id !== undefined);
  const call = deltas[index]?.tool_calls?.[0];
  if (call?.id === undefined) return deltas;
  return deltas.with(index, { tool_calls: [{ ...call, extra_content: signatureOf(call.id) }] });
}

function signatureOf(id: string): { readonly google: { readonly thought_signature: string } } {
  return { google: { thought_signature: btoa(`${id}/\u{ff}+?`) } };
}

function refused(message: string): ApiError {
  return new ApiError(400, message);
}
