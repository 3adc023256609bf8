import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import type { ChatAccount } from '../../../../src/host/usage/requestAdmission.ts';
import type { RequestPurpose } from '../../../../src/host/usage/usageRecord.ts';
import {
  admissionOn,
  countedIn,
  endOf,
  laterLedger,
  ledgerOf,
  MemoryLog,
  ofToday,
  usageOf,
} from './usageRig.ts';
import { runs } from '../../../support/sample.ts';

/** Tokens of one chunk of a reply; each token has four characters. */
const piece = 50;

/** A service that counts what it bills. `honors` says if it respects `max_tokens`. */
interface Service {
  billed: number;
  readonly honors: boolean;
  sent: number;
  /** The most tokens by which one reply exceeded its `max_tokens`. */
  overrun: number;
}

const schedules = runs(10_000, 40);

function newService(honors: boolean): Service {
  return { billed: 0, honors, sent: 0, overrun: -Infinity };
}

/** A simulated request: its window, its size and how it ends. */
interface Exchange {
  readonly window: number;
  /** Estimated tokens of the prompt, and the factor from there to the actual number. */
  readonly prompt: number;
  readonly error: number;
  readonly reply: number;
  readonly end: 'finish' | 'kill' | 'stop';
  readonly purpose: RequestPurpose;
  /** Number of earlier attempts, which failed after the service had read the prompt. */
  readonly retries?: number;
}

/**
 * For a request that was stopped or whose window was killed, only the estimate is known. The
 * estimate is exact here.
 */
function serviceClient(service: Service, exchange: Exchange): Pick<Client, 'stream'> {
  const { prompt, error, reply, end, retries = 0 } = exchange;
  let attempt = 0;
  return {
    async *stream(request): AsyncGenerator<CompletionEvent, void> {
      service.sent++;
      attempt++;
      const isExact = end !== 'finish' || error === 1;
      const promptTokens = isExact ? prompt : Math.round(prompt * error) + 4;
      if (attempt <= retries) {
        service.billed += prompt;
        throw Object.assign(new Error('The connection broke'), { code: 'ECONNRESET' });
      }
      service.billed += promptTokens;
      const limit = service.honors ? (request.max_tokens ?? Infinity) : Infinity;
      const length = Math.min(reply, limit);
      for (let written = 0; written < length;) {
        await new Promise((resolve) => setImmediate(resolve));
        const next = Math.min(piece, length - written);
        written += next;
        service.billed += next;
        service.overrun = Math.max(service.overrun, written - (request.max_tokens ?? Infinity));
        yield { type: 'text', text: 'word'.repeat(next) };
      }
      yield endOf(usageOf(promptTokens, length), length < reply ? 'length' : 'stop');
    },
  };
}

/** A window. Killing it opens a new one on the same log. */
class FakeWindow {
  readonly #log: MemoryLog;
  readonly #limit: number;
  #process;

  constructor(log: MemoryLog, limit: number) {
    this.#log = log;
    this.#limit = limit;
    this.#process = this.#open();
  }

  /** Sends one request; false if the budget refused it. */
  async send(service: Service, exchange: Exchange, chat?: ChatAccount): Promise<boolean> {
    const { clientOf } = this.#process;
    const process = this.#process;
    const isKilled = (): boolean => process !== this.#process;
    const { purpose } = exchange;
    const sender = { purpose, chat, service: 'https://a', model: 'm', demo: false };
    const client = clientOf(serviceClient(service, exchange), sender);
    const content = 'x'.repeat(exchange.prompt * 4);
    const request: CompletionRequest = { model: 'm', messages: [{ role: 'user', content }] };
    try {
      const events = client.stream(request);
      if (exchange.end === 'kill') await this.#kill(events, exchange.reply % 5);
      else await read(events, exchange.end === 'stop' ? 2 : Infinity, isKilled);
      return true;
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return !error.message.startsWith('Not sent');
    } finally {
      // A window that was killed writes nothing more.
      if (!isKilled()) await process.ledger.log.flush();
    }
  }

  /** Sends a request and stops reading in the middle, so that its end is never written. */
  async #kill(events: AsyncGenerator<CompletionEvent, void>, received: number): Promise<void> {
    for (let count = 0; count <= received; count++) await nextOf(events);
    this.#process = this.#open();
  }

  #open() {
    const ledger = ledgerOf(this.#log);
    return { ledger, ...admissionOn(ledger, { day: this.#limit, unit: 'tokens' }) };
  }
}

/** Reads a reply until the window is killed. */
async function read(
  events: AsyncGenerator<CompletionEvent, void>,
  most: number,
  isKilled: () => boolean,
): Promise<void> {
  for (let count = 0; count < most && !isKilled(); count++)
    if ((await nextOf(events)).done === true) return;
  if (!isKilled()) await events.return();
}

/** The next event of the service, without the usage that is reported before the request is sent. */
async function nextOf(
  events: AsyncGenerator<CompletionEvent, void>,
): Promise<IteratorResult<CompletionEvent, void>> {
  for (;;) {
    const next = await events.next();
    if (next.done === true || !('usage' in next.value)) return next;
  }
}

const purpose = fc.constantFrom<RequestPurpose>('edit', 'chat', 'provider:a.b', 'provider:c.d');

const request = fc.record<Exchange>({
  window: fc.nat(2),
  purpose,
  prompt: fc.integer({ min: 1, max: 3000 }),
  error: fc.double({ min: 0.8, max: 1.1, noNaN: true }),
  reply: fc.integer({ min: 0, max: 6000 }),
  end: fc.constantFrom('finish', 'finish', 'finish', 'kill', 'stop'),
  retries: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

/** Requests whose usage is known exactly: the estimate is exact, or the service reports it. */
const exactUsage = {
  purpose,
  prompt: fc.integer({ min: 1, max: 3000 }),
  error: fc.constant(1),
  reply: fc.nat(6000),
  end: fc.constantFrom('finish', 'finish', 'stop'),
} as const;

/** Groups of requests. Those of a group run concurrently, the groups one after the other. */
const groupsOf = (sent: fc.Arbitrary<Exchange>) =>
  fc.array(fc.array(sent, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
const limit = fc.integer({ min: 100, max: 20_000 });

async function play(
  service: Service,
  groups: readonly (readonly Exchange[])[],
  most: number,
): Promise<MemoryLog> {
  const log = new MemoryLog();
  const windows = [0, 1, 2].map(() => new FakeWindow(log, most));
  for (const group of groups) {
    const before = service.billed;
    const sent = service.sent;
    await Promise.all(
      group.map(async (request) => windows[request.window]?.send(service, request)),
    );
    if (before > most) assert.equal(service.sent, sent, 'Nothing is sent any more.');
  }
  return log;
}

/** Usage that a window counts when it opens later. */
async function countedLater(log: MemoryLog) {
  return countedIn((await laterLedger(log)).log, ofToday);
}

describe('a budget', () => {
  it('is never exceeded, by several windows at once, stops and kills', async () => {
    await fc.assert(
      fc.asyncProperty(groupsOf(request), limit, async (generated, most) => {
        const service = newService(true);
        const log = await play(service, generated, most);
        assert.ok(service.billed <= most, `${service.billed} of ${most}`);
        assert.deepEqual((await countedLater(log)).reserved, [], 'Nothing stays reserved.');
      }),
      { numRuns: schedules },
    );
  }).timeout(120_000);

  it('is exceeded by at most one piece of each reply, if max_tokens is ignored', async () => {
    const exact = { ...exactUsage, window: fc.nat(2), end: fc.constant('finish' as const) };
    const long = fc.record<Exchange>({ ...exact, reply: fc.nat(120_000) });
    await fc.assert(
      fc.asyncProperty(groupsOf(long), limit, async (generated, most) => {
        const service = newService(false);
        const log = await play(service, generated, most);
        const atOnce = Math.max(0, ...generated.map((group) => group.length));
        assert.ok(service.billed < most + piece * atOnce, `${service.billed} of ${most}`);
        assert.equal(
          (await countedLater(log)).tokens,
          service.billed,
          'What exceeds the budget is in the ledger.',
        );
      }),
      { numRuns: schedules / 5 },
    );
  }).timeout(120_000);
});

describe('the ledger', () => {
  const unlimited = 1_000_000_000;

  it('has at least 98 % of what the service billed, whenever windows are killed', async () => {
    const sent = fc.record({
      ...exactUsage,
      window: fc.nat(1),
      end: fc.constantFrom<Exchange['end']>('finish', 'kill', 'kill', 'stop'),
    });
    await fc.assert(
      fc.asyncProperty(groupsOf(sent), async (generated) => {
        const service = newService(true);
        const { tokens, reserved } = await countedLater(await play(service, generated, unlimited));
        assert.ok(tokens >= 0.98 * service.billed, `${tokens} of ${service.billed}`);
        assert.deepEqual(reserved, []);
      }),
      { numRuns: 100 },
    );
  });

  it('has what the service billed, over two windows, stops and retries', async () => {
    const sent = fc.record({ ...exactUsage, window: fc.nat(1), retries: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(groupsOf(sent), async (generated) => {
        const service = newService(true);
        const anew = ledgerOf(await play(service, generated, unlimited));
        await anew.refresh();
        const sums = anew.log.sums.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
        assert.equal(sums, service.billed);
        assert.equal(countedIn(anew.log, ofToday).tokens, service.billed);
      }),
      { numRuns: 100 },
    );
  });
});
