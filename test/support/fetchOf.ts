import assert from 'node:assert/strict';
import { ServiceError } from '../../src/core/service/errors.ts';
import type { Client } from '../../src/core/service/client.ts';
import { completionRequest } from '../../src/core/service/wire.ts';
import { delta, done, event } from './rawReply.ts';

/**
 * Serves the text, reasoning and end of a fake client as a service does, one event a read. An error
 * of the service before them is a refusal; with any other, the connection fails.
 *
 * @param paced resolves when the next event may be sent
 */
export function fetchOf(
  fake: Pick<Client, 'stream'>,
  paced: () => Promise<void> = () => Promise.resolve(),
): typeof fetch {
  return async (_address, { body, signal } = {}) => {
    assert.ok(typeof body === 'string');
    const request = completionRequest.parse(JSON.parse(body));
    const events = fake.stream(request, signal ?? undefined);
    const pieces = textsOf(events);
    let first: IteratorResult<string, void>;
    try {
      await paced();
      first = await pieces.next();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { kind, detail: message, code } = error;
      const status = error.status ?? (kind === 'bad-request' ? 400 : 500);
      return Response.json({ error: { message, code } }, { status });
    }
    let next: IteratorResult<string, void> | undefined = first;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (next === undefined) await paced();
        const { done: isOver, value } = next ?? (await pieces.next());
        next = undefined;
        if (isOver === true) controller.close();
        else controller.enqueue(new TextEncoder().encode(value));
      },
      cancel: async () => void (await pieces.return()),
    });
    return new Response(stream, { headers: { 'transfer-encoding': 'chunked' } });
  };
}

async function* textsOf(events: ReturnType<Client['stream']>): AsyncGenerator<string, void> {
  for await (const item of events) {
    if (item.type === 'text') yield delta(item.text);
    else if (item.type === 'reasoning')
      yield event({ choices: [{ delta: { reasoning_content: item.text } }] });
    else if (item.type === 'end') {
      const { finishReason: finish_reason, usage, doneSeen } = item.completion;
      const end = event({ choices: [{ delta: {}, finish_reason }], ...(usage && { usage }) });
      yield doneSeen ? end + done : end;
    }
  }
}
