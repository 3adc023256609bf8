import { systemClock } from '../../core/support/clock.ts';
import { createLeases, firstFolder, nodeOfKept, type HostWindow } from '../workspace/window.ts';
import { Ledger } from './ledger.ts';

/**
 * Creates the ledger on files that all windows share.
 *
 * @param written returns the written id of an origin's model
 */
export function createLedger(
  window: HostWindow,
  written: (origin: string, id: string) => string,
): Ledger {
  return new Ledger({
    files: window.keptFiles.folder('usage'),
    fileOf: usageFileOf(nodeOfKept(window) !== undefined),
    written,
    clock: systemClock,
    leases: createLeases(window, 'windows'),
    workspace: firstFolder(),
    onError: (what, error) => window.log.error(what, error),
  });
}

/**
 * The log file of a day: one per month on disk, one per day elsewhere, where appending lists the
 * segments of the file, and a month would have too many.
 */
function usageFileOf(isOnDisk: boolean): (day: string) => string {
  return isOnDisk ? (day) => `${day.slice(0, 7)}.jsonl` : (day) => `${day}.jsonl`;
}
