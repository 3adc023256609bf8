import assert from 'node:assert/strict';
import { FaultQueue, RequestedFaults, type Fault } from '../../../src/local/faults.ts';
import { createService } from '../../../src/local/service.ts';
import { complete, post, user } from './serviceRequests.ts';

/** Reads a body up to its end or error. */
async function readBody(response: Response): Promise<{ text: string; error: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of response.body ?? []) text += decoder.decode(piece);
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

// Tests of the client show what each fault does to a stream.
describe('a fault of the local service', () => {
  it("in one piece: cut and malformed aren't JSON, socket breaks, error is an error object", async () => {
    const whole = async (fault: Fault): Promise<{ text: string; error: unknown }> => {
      const service = createService({ pace: 0 });
      service.faults.push(fault);
      return readBody(await post(service, {}));
    };
    assert.equal((await whole({ kind: 'cut', after: 7 })).text.length, 7);
    const malformed = await whole({ kind: 'malformed', after: 0 });
    assert.throws(() => void JSON.parse(malformed.text), SyntaxError);
    assert.ok((await whole({ kind: 'socket', after: 7 })).error instanceof TypeError);
    assert.match((await whole({ kind: 'error', after: 0 })).text, /^\{"error":/);
  });

  it('applies in order, to the requests that it is for', () => {
    const queue = new FaultQueue();
    queue.push(
      { kind: 'cut', after: 1 },
      { kind: 'empty', on: 'completions' },
      { kind: 'html', times: 2 },
    );
    assert.equal(queue.next('models')?.kind, 'html');
    for (const kind of ['cut', 'empty', 'html', undefined])
      assert.equal(queue.next('completions')?.kind, kind);
    assert.equal(queue.length, 0);
  });
});

describe('a fault requested in a message', () => {
  it('is named by its kind or a status, with a number', () => {
    const faults: readonly (readonly [text: string, fault: Fault | undefined])[] = [
      ['/fault cut 12 hello', { kind: 'cut', after: 12 }],
      ['/fault stall', { kind: 'stall', after: 120 }],
      ['/fault slow', { kind: 'slow', pace: 250 }],
      ['/fault no-usage', { kind: 'no-usage' }],
      ['/fault refused', { kind: 'refused' }],
      ['please /fault 429', { kind: 'status', status: 429, retryAfter: 3 }],
      ['/fault nonsense hello', undefined],
    ];
    for (const [text, fault] of faults)
      assert.deepEqual(new RequestedFaults().next(text), fault, text);
  });

  it('fails the given number of times, then succeeds once, and so on', async () => {
    const service = createService({ pace: 0 });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1)
      statuses.push((await post(service, { messages: [user('/fault 503 2')] })).status);
    assert.deepEqual(statuses, [503, 503, 200, 503, 503, 200]);
  });

  it('applies only in the last paragraph of the last message, and is removed from it', async () => {
    const service = createService({ pace: 0 });
    const earlier = [user('/fault 500'), { role: 'assistant', content: 'No.' }, user('hello')];
    for (const messages of [[user('/fault 500\n\nhello')], earlier])
      assert.match((await complete(service, { messages })).content, /^Hello/);
  });
});
