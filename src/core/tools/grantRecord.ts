import * as z from 'zod/mini';
import type { CommandScope } from './grantScope.ts';

/** How long a stored grant holds, in milliseconds: 90 days. */
export const longestStored = 90 * 24 * 60 * 60 * 1000;

const location = z.object({ scheme: z.string(), authority: z.string(), path: z.string() });

const storedGrant = z.object({
  id: z.string(),
  command: z.string(),
  folder: location,
  shell: z.string(),
  since: z.number(),
  uses: z.number(),
  /** The extension's version before the first dot: another one asks again. */
  major: z.string(),
});

/** A grant that outlives the window. */
export type StoredGrant = z.infer<typeof storedGrant>;

const record = z.object({ version: z.literal(1), grants: z.array(z.unknown()) });

/** What is stored for a workspace. A record of another version, or a damaged grant, counts as none. */
export function readGrantRecord(stored: unknown): readonly StoredGrant[] {
  const { data } = record.safeParse(stored);
  return (data?.grants ?? []).flatMap((grant) => storedGrant.safeParse(grant).data ?? []);
}

/** The value to store for a workspace. */
export function writeGrantRecord(grants: readonly StoredGrant[]): unknown {
  return { version: 1, grants };
}

/** The scope of a stored grant. */
export function scopeOfStored({ command, folder, shell }: StoredGrant): CommandScope {
  return { type: 'command', command, folder, shell };
}
