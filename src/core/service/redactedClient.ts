import { RedactedText, type Redactor } from '../support/redact.ts';
import type { Client, CompletionEvent } from './client.ts';
import type { Completion } from '../reply/completion.ts';
import type { CallTrace, ToolCall } from '../reply/toolCallAssembler.ts';
import { isObject, parseJson, writeJson, type JsonObject } from '../support/json.ts';

/**
 * Redacts known keys in replies: a service that echoes a request must not put a key into the
 * conversation, which is stored on disk.
 */
export function redactedClient(client: Client, redactor: Redactor): Client {
  return {
    ...client,
    async *stream(request, ...options) {
      const pending = { text: new RedactedText(redactor), reasoning: new RedactedText(redactor) };
      try {
        for await (const event of client.stream(request, ...options)) {
          if (event.type === 'end') yield* remainders(pending);
          yield* redactEvent(event, pending, redactor);
        }
      } catch (error) {
        yield* remainders(pending);
        throw error;
      }
    },
  };
}

type Pending = Readonly<Record<'text' | 'reasoning', RedactedText>>;

function* redactEvent(
  event: CompletionEvent,
  pending: Pending,
  redactor: Redactor,
): Generator<CompletionEvent, void> {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      yield* nonEmptyEvent(event.type, pending[event.type].push(event.text));
      return;
    case 'end':
      yield { type: 'end', completion: redactCompletion(event.completion, redactor) };
      return;
    default:
      yield event;
  }
}

function* remainders(pending: Pending): Generator<CompletionEvent, void> {
  yield* nonEmptyEvent('reasoning', pending.reasoning.end());
  yield* nonEmptyEvent('text', pending.text.end());
}

function* nonEmptyEvent(
  type: 'text' | 'reasoning',
  text: string,
): Generator<CompletionEvent, void> {
  if (text !== '') yield { type, text };
}

function redactCompletion(completion: Completion, { redact }: Redactor): Completion {
  const { toolCalls, finishReason } = completion;
  return {
    ...completion,
    finishReason: finishReason === undefined ? undefined : redact(finishReason),
    toolCalls: toolCalls.map(({ id, name, arguments: json, trace }) => ({
      id: redact(id),
      name: redact(name),
      arguments: redact(json),
      ...(trace !== undefined && redactTrace(trace, redact)),
    })),
  };
}

/** A trace stays as it came, byte for byte, unless a known key is in it, also as a name. */
function redactTrace(trace: CallTrace, redact: Redactor['redact']): Pick<ToolCall, 'trace'> {
  const json = writeJson(trace);
  const redacted = redact(json);
  if (redacted === json) return { trace };
  const { message, call } = objectOf(parseJson(redacted));
  return { trace: { message: objectOf(message), call: objectOf(call) } };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
