import { readGrantRecord, longestStored } from '../../core/tools/grantRecord.ts';
import type { GrantStore } from '../../core/tools/grants.ts';
import type { Memento } from '../memento.ts';

const prefix = 'aside.approvals ';

/**
 * Keeps what is always allowed in the user's data of VS Code, a record for each workspace: no
 * repository and no tool reaches it, and it is not synchronised to other machines.
 */
export function grantStore(
  state: Memento & { keys(): readonly string[] },
  now: () => number,
): GrantStore {
  const dropOld = async (): Promise<void> => {
    for (const key of state.keys().filter((one) => one.startsWith(prefix))) {
      const grants = readGrantRecord(state.get(key));
      if (grants.every(({ since }) => now() - since >= longestStored)) {
        await state.update(key, undefined);
      }
    }
  };
  return {
    read: (workspace) => state.get(prefix + workspace),
    async write(workspace, record) {
      await state.update(prefix + workspace, record);
      await dropOld();
    },
  };
}
