import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BilledTokens } from '../../src/local/account.ts';
import type { LocalService } from '../../src/local/service.ts';
import { readUsageRecord, type UsageRecord } from '../../src/host/usage/usageRecord.ts';

/** Collects the tokens that the service bills, one value per request. */
export function watchBilling({ account }: LocalService): readonly BilledTokens[] {
  const billed: BilledTokens[] = [];
  const charge = account.charge.bind(account);
  account.charge = (price, tokens) => {
    billed.push(tokens);
    charge(price, tokens);
  };
  return billed;
}

/**
 * Compares billed tokens with Aside's usage. Reported tokens must be equal, and every other billed
 * request must be counted as an estimate.
 */
export async function findMiscount(
  folder: string,
  billed: readonly BilledTokens[],
): Promise<string | undefined> {
  return miscountOf(await readLines(folder), billed);
}

/** @param lines all lines of the usage log */
export function miscountOf(
  lines: readonly string[],
  billed: readonly BilledTokens[],
): string | undefined {
  const counted = readUsage(lines).filter(({ usage }) => usage.requests > 0);
  const reported = counted.filter(({ usage }) => !usage.estimated);
  const unmatched = billed.map(({ prompt, completion }) => `${prompt}+${completion}`);
  for (const { usage } of reported) {
    const index = unmatched.indexOf(`${usage.prompt_tokens}+${usage.completion_tokens}`);
    if (index < 0) return `Counted as reported, but not billed: ${JSON.stringify(usage)}`;
    unmatched.splice(index, 1);
  }
  const estimated = counted.length - reported.length;
  return estimated >= unmatched.length
    ? undefined
    : `Billed ${billed.length} requests, counted ${reported.length} and estimated ${estimated}.`;
}

async function readLines(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n'));
}

/** Last line of each request. */
function readUsage(lines: readonly string[]): readonly UsageRecord[] {
  const requests = new Map<string, UsageRecord>();
  for (const line of lines) {
    const record = readUsageRecord(line);
    if (record !== undefined) requests.set(record.id, record);
  }
  return [...requests.values()];
}
