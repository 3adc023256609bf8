import { zeroUsage, type Usage } from '../../core/conversation/usage.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { anyEvent, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { logUnavailable } from './budgetUi.ts';
import type { UsageLog } from './usageLog.ts';
import { tokensPerLine, type LoggedOutcome, type UsageRecord } from './usageRecord.ts';
import { addModelUsage, type UsageByModel } from './usageByModel.ts';

/** A request before it is sent: what its record has then, with the usage so far. */
export interface PlannedRequest extends Omit<
  UsageRecord,
  'id' | 'state' | 'at' | 'day' | 'workspace' | 'usage' | 'reserve'
> {
  readonly usage: () => Usage;
  /** True if a budget applies, so that the usage of other windows must be read first. */
  readonly hasBudget: boolean;
}

/** Ends a request with its usage. Resolves when that is stored. */
export type EndRequest = (usage: Usage, outcome: LoggedOutcome) => Promise<void>;

export interface OpenedRequest<Allowed> {
  readonly allowed: Allowed;
  /**
   * Logs the usage so far, at most every two seconds unless much was received; otherwise returns
   * undefined. If this process is killed, the log has the usage up to when the promise resolved.
   */
  readonly note: () => Promise<void> | undefined;
  readonly end: EndRequest;
}

interface RunningRequest {
  readonly planned: PlannedRequest;
  readonly end: EndRequest;
  record: UsageRecord;
  /** Time of the last line, by the monotonic clock. */
  notedAt: number;
}

/** Milliseconds between two lines of a request that receives something, or nothing. */
const noteInterval = { active: 2000, silent: 60_000 };

/**
 * Counts the usage of this window's requests from the moment they are sent: in the session, which
 * starts with the window, and in the log of all windows.
 */
export class Ledger implements Disposable {
  /** The usage of all windows. */
  readonly log: UsageLog;
  readonly #clock: Clock;
  readonly #workspace: string;
  readonly #onError: (what: string, error: unknown) => void;
  readonly #changed = new Emitter<undefined>();
  readonly #running = new Map<string, RunningRequest>();
  #beat: Disposable | undefined;
  /** Requests that have ended, except the demo's. */
  #paidSession: UsageByModel = new Map();
  #demoSession: UsageByModel = new Map();
  /** Runs tasks in order, so that each request includes the ones before it. */
  readonly #tasks = new TaskQueue();
  #stored: Promise<unknown> = Promise.resolve();

  /** Fires when usage in the session or the log changes. */
  readonly onDidChange: Event<undefined>;

  /** The written id of a model of a service, under which usage is shown. */
  readonly written: (service: string, model: string) => string;

  /** @param workspace the workspace of this window; empty without one */
  constructor(
    log: UsageLog,
    clock: Clock,
    workspace: string,
    written: (service: string, model: string) => string,
    onError: (what: string, error: unknown) => void,
  ) {
    this.log = log;
    this.#clock = clock;
    this.#workspace = workspace;
    this.written = written;
    this.#onError = onError;
    this.onDidChange = anyEvent(this.#changed.event, this.log.onDidChange);
  }

  get session(): UsageByModel {
    return [...this.demoSession].reduce(
      (sum, [model, usage]) => addModelUsage(sum, model, usage),
      this.paidSession,
    );
  }

  /** The session's usage without the demo, which is free. */
  get paidSession(): UsageByModel {
    return this.#withRunning(this.#paidSession, false);
  }

  get demoSession(): UsageByModel {
    return this.#withRunning(this.#demoSession, true);
  }

  /** Today's usage of all windows, except the demo's. */
  get today(): UsageByModel {
    const { today, sums } = this.log;
    return sums
      .filter(({ day, demo }) => day === today && !demo)
      .reduce<UsageByModel>(
        (all, { service, model, usage }) => addModelUsage(all, this.written(service, model), usage),
        new Map(),
      );
  }

  /** Reads what other windows wrote. */
  async refresh(): Promise<void> {
    try {
      await this.log.refresh();
    } catch (error) {
      this.#onError('Reading the usage', error);
    }
  }

  /**
   * Reserves the maximum usage of a request, and logs that it is sent. Requests of several windows
   * reserve in the order of their lines, so that together they stay within a budget.
   *
   * @param allow decides by what the log counts now; if it throws, the promise rejects
   * @throws {UserError} if a budget applies and the log can't be read or written
   */
  open<Allowed extends { readonly reserve: RequestTokens }>(
    planned: PlannedRequest,
    allow: () => Allowed,
  ): Promise<OpenedRequest<Allowed>> {
    return this.#tasks.run(async () => {
      const { usage, hasBudget, ...fields } = planned;
      const counts = hasBudget && !planned.demo;
      if (counts)
        await this.log.refresh().catch((error: unknown) => {
          this.#onError('Reading the usage', error);
          throw logUnavailable();
        });
      const first = allow();
      const record: UsageRecord = {
        ...fields,
        id: newId(),
        state: 'sent',
        at: this.#clock.wall(),
        day: this.log.today,
        workspace: this.#workspace,
        usage: usage(),
        reserve: first.reserve,
      };
      if (!counts) {
        this.log.count(record);
        await this.log.append(record);
        return this.#run(planned, record, first);
      }
      // Other windows may have written their requests first: the line's place decides.
      let last: Allowed | undefined;
      let refusal: Error | undefined;
      let isWritten = true;
      try {
        isWritten = await this.log.claim(record, () => {
          try {
            last = allow();
          } catch (error) {
            refusal = error instanceof Error ? error : new Error(String(error));
          }
        });
      } catch (error) {
        this.#onError('Reading the usage', error);
        refusal = logUnavailable();
      }
      if (!isWritten) throw logUnavailable();
      this.log.count(record);
      if (refusal !== undefined) {
        background(this.#store({ ...record, ...ended(zeroUsage), outcome: 'refused' }));
        throw refusal;
      }
      // Other requests may have ended meanwhile, but no more is reserved than the line says.
      const isLess = last !== undefined && last.reserve.reply < first.reserve.reply;
      return this.#run(planned, record, isLess && last !== undefined ? last : first);
    });
  }

  /** `aside.resetUsage`: resets the session, but not the day. */
  resetSession(): void {
    this.#paidSession = new Map();
    this.#demoSession = new Map();
    this.#changed.fire(undefined);
  }

  /** Ends running requests when the window closes. Resolves when everything is stored. */
  async close(): Promise<void> {
    for (const { planned, end } of this.#running.values())
      background(end(planned.usage(), 'stopped'));
    await this.#stored;
    await this.log.flush();
  }

  dispose(): void {
    this.#beat?.dispose();
    this.#changed.dispose();
    this.log.dispose();
  }

  #withRunning(sum: UsageByModel, demo: boolean): UsageByModel {
    return [...this.#running.values()]
      .filter(({ planned }) => planned.demo === demo)
      .reduce(
        (all, { planned: { service, model, usage } }) =>
          addModelUsage(all, this.written(service, model), usage()),
        sum,
      );
  }

  /** Counts a request of this window from now on. */
  #run<Allowed>(
    planned: PlannedRequest,
    sent: UsageRecord,
    allowed: Allowed,
  ): OpenedRequest<Allowed> {
    const clock = this.#clock;
    const started = clock.monotonic();
    const end: EndRequest = (used, outcome) => {
      if (!this.#running.delete(sent.id)) return Promise.resolve();
      const model = this.written(planned.service, planned.model);
      if (used.requests > 0 && planned.demo)
        this.#demoSession = addModelUsage(this.#demoSession, model, used);
      else if (used.requests > 0) this.#paidSession = addModelUsage(this.#paidSession, model, used);
      const over = used.completion_tokens - sent.reserve.reply;
      const overrun = sent.reserve.reply > 0 && over > 0 ? over : undefined;
      const duration = Math.round(clock.monotonic() - started);
      const storing = this.#store({ ...sent, ...ended(used), duration, overrun, outcome });
      this.#changed.fire(undefined);
      return storing;
    };
    const request: RunningRequest = { planned, end, record: sent, notedAt: started };
    this.#running.set(sent.id, request);
    this.#keepAlive();
    this.#changed.fire(undefined);
    const note = (): Promise<void> | undefined => {
      const unwritten = planned.usage().total_tokens - request.record.usage.total_tokens;
      if (!this.#running.has(sent.id) || unwritten <= 0) return undefined;
      const isDue = clock.monotonic() - request.notedAt >= noteInterval.active;
      return isDue || unwritten >= tokensPerLine ? this.#progress(request) : undefined;
    };
    return { allowed, end, note };
  }

  async #progress(request: RunningRequest): Promise<void> {
    request.record = { ...request.record, usage: request.planned.usage() };
    request.notedAt = this.#clock.monotonic();
    this.log.count(request.record);
    await this.log.appendProgress(request.record);
  }

  /** Keeps the reserve of requests that receive nothing, as their model thinks. */
  #keepAlive(): void {
    if (this.#running.size === 0) return;
    const clock = this.#clock;
    this.#beat ??= clock.after(noteInterval.silent, () => {
      this.#beat = undefined;
      for (const request of this.#running.values())
        if (clock.monotonic() - request.notedAt >= noteInterval.silent)
          background(this.#progress(request));
      this.#keepAlive();
    });
  }

  /** Counts immediately, and stores a line in the log of the day of sending. */
  #store(used: UsageRecord): Promise<void> {
    this.log.count(used);
    const storing = this.log.append(used).then((isWritten) => {
      if (isWritten) background(this.refresh());
    });
    this.#stored = Promise.all([this.#stored, storing]);
    return storing;
  }
}

function ended(usage: Usage): Pick<UsageRecord, 'state' | 'usage' | 'reserve'> {
  return { state: 'used', usage, reserve: { prompt: 0, reply: 0 } };
}
