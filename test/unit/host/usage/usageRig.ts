import {
  ServiceClient,
  type Client,
  type CompletionEvent,
} from '../../../../src/core/service/client.ts';
import { LearnedFactStore } from '../../../../src/core/service/learnedFacts.ts';
import { RequestUsage } from '../../../../src/core/service/requestUsage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import type { Price, Usage } from '../../../../src/core/conversation/usage.ts';
import type { Clock } from '../../../../src/core/support/clock.ts';
import type { KeptPart } from '../../../../src/host/platform/keptFiles.ts';
import type { BudgetSettings } from '../../../../src/host/platform/settingValues.ts';
import { Ledger, type PlannedRequest } from '../../../../src/host/usage/ledger.ts';
import {
  RequestAdmission,
  type ChatAccount,
  type Sender,
} from '../../../../src/host/usage/requestAdmission.ts';
import type { UsageFiles } from '../../../../src/host/usage/usageMonth.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { UsageLog } from '../../../../src/host/usage/usageLog.ts';
import {
  monthsLater,
  writeUsageRecord,
  type UsageRecord,
} from '../../../../src/host/usage/usageRecord.ts';
import type { UsageByModel, UsageContext } from '../../../../src/host/usage/usageByModel.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import { fetchOf } from '../../../support/fetchOf.ts';
import { clockWithoutRetryWaits, ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';

/** The usage log that all windows of a test share. */
export class MemoryLog implements UsageFiles {
  /** File texts by name. */
  readonly files = new Map<string, string>();
  /** True to fail like a full disk. */
  broken = false;

  /** All lines, ordered by file name. */
  get all(): readonly string[] {
    return [...this.files.keys()]
      .filter((name) => name.endsWith('.jsonl'))
      .toSorted()
      .flatMap((name) => linesOf(this.files.get(name) ?? ''));
  }

  /** Adds lines, including damaged ones, as another program would. */
  add(name: string, ...lines: readonly string[]): void {
    this.files.set(name, (this.files.get(name) ?? '') + lines.map((line) => `${line}\n`).join(''));
  }

  async names(): Promise<readonly string[]> {
    await pause();
    return [...this.files.keys()].toSorted();
  }

  async read(name: string): Promise<string | undefined> {
    await pause();
    return this.files.get(name);
  }

  async readOn(name: string, from?: string, bytes = Infinity): Promise<KeptPart | undefined> {
    await pause();
    const text = this.files.get(name);
    if (text === undefined) return undefined;
    const start = Number(from ?? 0);
    if (start > text.length) return this.readOn(name, undefined, bytes);
    // A part ends with a line, as on a disk.
    const cut = text.indexOf('\n', start + bytes);
    const end = cut < 0 ? text.length : cut + 1;
    const isStart = from === undefined || start === 0;
    return {
      text: text.slice(start, end),
      end: String(end),
      isStart,
      isWhole: end === text.length,
    };
  }

  async append(name: string, lines: string): Promise<void> {
    await pause();
    if (this.broken) throw new Error('disk full');
    this.files.set(name, (this.files.get(name) ?? '') + lines);
    await pause();
  }

  async remove(name: string): Promise<void> {
    await pause();
    this.files.delete(name);
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const noon = new Date(2030, 0, 31, 12).getTime();
export const today = '2030-01-31';

/** A window of its own, which is killed by not using it any more. */
export function ledgerOf(
  files: UsageFiles,
  clock: Clock = new ManualClock(noon),
  written: (service: string, model: string) => string = (_, model) => model,
): Ledger {
  const noError = (): void => undefined;
  const usageLog = new UsageLog(files, (day) => `${day.slice(0, 7)}.jsonl`, clock, noError);
  return new Ledger(usageLog, clock, 'file:///w', written, noError);
}

/** A window that opens three minutes later, when the windows that were killed count as gone. */
export async function laterLedger(log: MemoryLog): Promise<Ledger> {
  const ledger = ledgerOf(log, new ManualClock(noon + 180_000));
  await ledger.refresh();
  return ledger;
}

type Counts = (request: Pick<UsageRecord, 'day' | 'chat'>) => boolean;

/** A request of today; in a budget of the day. */
export const ofToday: Counts = ({ day }) => day === today;

/** What of the month's usage counts in a budget for these requests. */
export function countedIn({ thisMonth }: UsageLog, counts: Counts = () => true) {
  const ended = thisMonth.ended.filter((sum) => !sum.demo && counts(sum));
  return {
    tokens: ended.reduce((sum, { usage }) => sum + usage.total_tokens, 0),
    cost: ended.reduce((sum, { cost }) => sum + cost, 0),
    reserved: thisMonth.running
      .filter((request) => !request.demo && counts(request))
      .map(({ reserve }) => reserve),
  };
}

export function accountOf(id: string, usage: UsageByModel = new Map()): ChatAccount {
  return {
    id: () => id,
    turn: () => undefined,
    usage: () => usage,
    saved: () => Promise.resolve(),
  };
}

export function usageOf(prompt: number, completion = 0, more: Partial<Usage> = {}): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    cached_tokens: 0,
    requests: 1,
    estimated: false,
    ...more,
  };
}

/** A request that has ended, as the log has it. */
export function usedRecord(id: string, more: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id,
    state: 'used',
    at: noon,
    day: today,
    service: 's',
    model: 'm',
    workspace: 'w',
    chat: 'c',
    purpose: 'chat',
    usage: usageOf(10, 5),
    demo: false,
    reserve: { prompt: 0, reply: 0 },
    ...more,
  };
}

/** The line of a request that has ended at noon of a day. */
export function line(id: string, day: string, more: Partial<UsageRecord> = {}): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date, 12).getTime();
  return writeUsageRecord(usedRecord(id, { at, day, ...more }));
}

/** Fills this many months with lines. */
export function fillMonths(log: MemoryLog, months: number, lines: number): void {
  for (let ago = 0; ago < months; ago++) {
    const month = monthsLater('2030-01', -ago);
    const days = Array.from({ length: lines }, (_, index) =>
      line(`${ago} ${index}`, `${month}-${String((index % 28) + 1).padStart(2, '0')}`),
    );
    log.add(`${month}.jsonl`, ...days);
  }
}

/** The end of a reply with this usage. */
export function endOf(usage: Usage, finishReason = 'stop'): CompletionEvent {
  const end = { toolCalls: [], finishReason, fault: undefined, doneSeen: true, malformedEvents: 0 };
  return { type: 'end', completion: { ...end, usage } };
}

export function planned(estimate: number, more: Partial<PlannedRequest> = {}): PlannedRequest {
  return {
    purpose: 'chat',
    chat: 'c',
    service: 'https://api.test',
    model: 'm',
    usage: () => usageOf(estimate, 0, { estimated: true }),
    demo: false,
    hasBudget: true,
    ...more,
  };
}

export function contextOf(priceOf: (model: string) => Price | undefined): UsageContext {
  return { language: 'en', currency: '$', priceOf };
}

/** Admission of requests, on a log that other windows may share. */
export function admissionOn(
  ledger: Ledger,
  budget: BudgetSettings | 'invalid',
  more: Partial<ConstructorParameters<typeof RequestAdmission>[0]> = {},
) {
  const meter = new TokenRatios(new FakeMemento());
  const learned = new LearnedFactStore();
  const admission = new RequestAdmission({
    ledger,
    meter,
    settings: currentSettings(() => ({ budget })),
    nameOf: () => undefined,
    learned,
    ...more,
  });
  return {
    admission,
    meter,
    learned,
    admit: (request: CompletionRequest, sender: Sender, signal?: AbortSignal) =>
      admission.admit(request, new RequestUsage(request, meter), sender, signal),
    /**
     * A client of a fake service whose requests are admitted, with estimates that learn nothing. The
     * service sends the next event once the reader wants it, so that both have seen as much.
     */
    clientOf: (service: Pick<Client, 'stream'>, sender: Sender): Client => {
      let isWanted = false;
      let want = (): void => undefined;
      const paced = (): Promise<void> =>
        new Promise((resolve) => {
          const go = (): void => {
            isWanted = false;
            want = () => undefined;
            resolve();
          };
          if (isWanted) go();
          else want = go;
        });
      const client = new ServiceClient({
        baseUrl: 'https://a/v1',
        apiKey: 'sk-x',
        fetch: fetchOf(service, paced),
        clock: clockWithoutRetryWaits,
        silenceLimit: 60_000,
        service: sender.service,
        model: sender.model,
        learned,
        meter: { estimate: (...text) => meter.estimate(...text), learn: () => undefined },
        priceOf: (model) => admission.priceOf(model),
        admit: (request, used, signal) => admission.admit(request, used, sender, signal),
      });
      return {
        address: client.address,
        async *stream(request, signal) {
          const events = client.stream(request, signal);
          try {
            for (;;) {
              isWanted = true;
              want();
              const next = await events.next();
              if (next.done === true) return;
              yield next.value;
            }
          } finally {
            await events.return();
          }
        },
      };
    },
  };
}
