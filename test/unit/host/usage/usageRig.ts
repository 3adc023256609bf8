import type { Client } from '../../../../src/core/service/client.ts';
import { LearnedFactStore } from '../../../../src/core/service/learnedFacts.ts';
import { meteredClient } from '../../../../src/core/service/meteredClient.ts';
import { RequestUsage } from '../../../../src/core/service/requestUsage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { background } from '../../../../src/core/support/background.ts';
import type { Price, Usage } from '../../../../src/core/conversation/usage.ts';
import type { KeptPart } from '../../../../src/host/keptFiles.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { Ledger, type PlannedRequest } from '../../../../src/host/usage/ledger.ts';
import { RequestAdmission, type Sender } from '../../../../src/host/usage/requestAdmission.ts';
import type { UsageFiles } from '../../../../src/host/usage/usageMonth.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import type { WriteModel } from '../../../../src/host/usage/usageSums.ts';
import type { UsageContext } from '../../../../src/host/usage/usageTable.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryLeases } from '../chat/memoryLeases.ts';
import { FakeMemento } from '../fakes.ts';

/** The usage log that all windows of a test share. */
export class MemoryLog implements UsageFiles {
  /** File texts by name. */
  readonly files = new Map<string, string>();
  /** True to fail like a full disk. */
  broken = false;
  /** The leases of the windows, and the ids of running processes. */
  readonly leases = new MemoryLeases();
  readonly running = new Set<number>();

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

  async readOn(name: string, from?: string): Promise<KeptPart | undefined> {
    await pause();
    const text = this.files.get(name);
    if (text === undefined) return undefined;
    const start = Number(from ?? 0);
    const isStart = from === undefined || start > text.length;
    const part = isStart ? text : text.slice(start);
    return { text: part, end: String(text.length), isStart };
  }

  async append(name: string, lines: string): Promise<void> {
    await pause();
    if (this.broken) throw new Error('disk full');
    this.files.set(name, (this.files.get(name) ?? '') + lines);
    await pause();
  }

  async write(name: string, text: string): Promise<void> {
    await pause();
    if (this.broken) throw new Error('disk full');
    this.files.set(name, text);
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

export function ledgerOf(
  log: MemoryLog,
  clock = new ManualClock(noon),
  written?: WriteModel,
): Ledger {
  return windowOf(log, clock, written).ledger;
}

/** A window in its own process, which `kill` ends. */
export function windowOf(
  log: MemoryLog,
  clock = new ManualClock(noon),
  written?: WriteModel,
): { readonly ledger: Ledger; readonly kill: () => void; readonly isKilled: () => boolean } {
  const id = (lastProcess += 1);
  log.running.add(id);
  const host = { machine: 'm', id, isRunning: (other: number) => log.running.has(other) };
  const leases = new Leases({
    files: log.leases,
    host,
    workspace: '',
    // A separate clock: setting the test's clock must not make other windows look silent.
    clock: new ManualClock(noon),
  });
  const ledger = new Ledger({
    files: log,
    leases,
    fileOf: (day) => `${day.slice(0, 7)}.jsonl`,
    clock,
    written,
    workspace: 'file:///w',
    onError: () => undefined,
  });
  const kill = (): void => void log.running.delete(id);
  return { ledger, kill, isKilled: () => !log.running.has(id) };
}

let lastProcess = 0;

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

export function planned(estimate: number, more: Partial<PlannedRequest> = {}): PlannedRequest {
  return {
    purpose: 'chat',
    chat: 'c',
    service: 'https://api.test',
    model: 'm',
    usage: () => usageOf(estimate, 0, { estimated: true }),
    demo: false,
    isLimited: true,
    ...more,
  };
}

export function contextOf(priceOf: (model: string) => Price | undefined): UsageContext {
  return { language: 'en', currency: '$', priceOf };
}

/** Admission of requests, on a log that other windows may share. */
export function admissionOn(
  ledger: Ledger,
  budget: BudgetSettings,
  more: Partial<ConstructorParameters<typeof RequestAdmission>[0]> = {},
) {
  const meter = new TokenRatios(new FakeMemento());
  const learned = new LearnedFactStore();
  const admission = new RequestAdmission({
    ledger,
    meter,
    budget: () => budget,
    refreshBudget: () => Promise.resolve(),
    context: () => contextOf(() => undefined),
    maxReplyOf: () => undefined,
    learned,
    ...more,
  });
  return {
    admission,
    meter,
    learned,
    admit: (request: CompletionRequest, sender: Sender, signal?: AbortSignal) =>
      admission.admit(request, new RequestUsage(request, meter), sender, signal),
    /** A client whose requests are admitted, with estimates that learn nothing. */
    clientOf: (service: Client, sender: Sender): Client =>
      meteredClient(service, {
        meter: { estimate: (...text) => meter.estimate(...text), learn: () => undefined },
        admit: (request, used, signal) => admission.admit(request, used, sender, signal),
        facts: () => learned.of(sender.service, sender.model),
        onLearned: (facts) => background(learned.learn(sender.service, sender.model, facts)),
      }),
  };
}
