import * as l10n from '@vscode/l10n';
import type { Price, Usage } from '../../../../src/core/conversation/usage.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import { Ledger, type PlannedRequest } from '../../../../src/host/usage/ledger.ts';
import { RequestAdmission } from '../../../../src/host/usage/requestAdmission.ts';
import type { SharedLines } from '../../../../src/host/usage/sharedLines.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import type { UsageContext } from '../../../../src/host/usage/usageTable.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';

/** Lines that all windows of a test share, by day. */
export class MemoryLog {
  readonly days = new Map<string, string[]>();
  /** As on a full disk. */
  broken = false;

  /** What one window sees of a day. */
  window(day: string): SharedLines {
    const lines = this.days.get(day) ?? [];
    this.days.set(day, lines);
    let read = 0;
    return {
      append: async (line) => {
        await pause();
        if (this.broken) throw new Error('disk full');
        lines.push(line);
        await pause();
      },
      next: async () => {
        await pause();
        const found = lines.slice(read);
        read = lines.length;
        return found;
      },
    };
  }

  get all(): readonly string[] {
    return [...this.days.values()].flat();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const noon = new Date(2030, 0, 31, 12).getTime();

export function ledgerOf(log: MemoryLog, clock = new ManualClock(noon)): Ledger {
  return new Ledger({
    lines: (day) => log.window(day),
    clock,
    workspace: 'file:///w',
    onError: () => undefined,
  });
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
  return { l10n, language: 'en', currency: '$', priceOf };
}

/** What a window decides with, on a log that others may share. */
export function admissionOn(
  ledger: Ledger,
  budget: BudgetSettings,
): { readonly admission: RequestAdmission; readonly meter: TokenRatios } {
  const meter = new TokenRatios(new FakeMemento());
  const admission = new RequestAdmission({
    ledger,
    meter,
    budget: () => budget,
    context: () => contextOf(() => undefined),
    maxReplyOf: () => undefined,
  });
  return { admission, meter };
}
