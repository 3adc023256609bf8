import { systemClock } from '../../core/support/clock.ts';
import { createLeases, firstFolder, nodeOfKept, type HostWindow } from '../workspace/window.ts';
import { Ledger } from './ledger.ts';

/**
 * Counts usage in the files that all windows share.
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
 * The file for the usage of a day: one file for each month on disk, one for each day elsewhere.
 * Appending elsewhere lists the segments of the file, and a month has too many of them.
 */
function usageFileOf(isOnDisk: boolean): (day: string) => string {
  return isOnDisk ? (day) => `${day.slice(0, 7)}.jsonl` : (day) => `${day}.jsonl`;
}
