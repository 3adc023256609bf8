import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { JournalFiles } from '../../../../src/host/journal/journalFiles.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

/** A window in a browser that writes a chat while it may. */
class WritingWindow {
  readonly #leases: Leases;
  readonly #journals: JournalFiles;

  constructor(folder: string, id: number, clock: ManualClock) {
    const host = { machine: 'm', id, isRunning: () => true };
    const files = virtualFiles(join(folder, 'leases'));
    this.#leases = new Leases({ files, host, workspace: 'w', clock });
    const chats = virtualFiles(join(folder, 'chats'));
    this.#journals = new JournalFiles(chats, clock, this.#leases);
  }

  /** False if another window writes the chat. */
  async write(line: string): Promise<boolean> {
    const mayWrite = await this.#leases.claim('c');
    if (mayWrite) await this.#journals.append('c', `${line}\n`);
    return mayWrite;
  }

  /**
   * Writes a line without a lease, as is done with lines that an earlier window could not write.
   */
  async add(line: string): Promise<boolean> {
    await this.#journals.append('c', `${line}\n`);
    return true;
  }

  release(): Promise<void> {
    return this.#leases.release('c');
  }

  takeOver(): Promise<boolean> {
    return this.#leases.takeOver('c');
  }

  dispose(): void {
    this.#leases.dispose();
  }

  async read(): Promise<readonly string[]> {
    return ((await this.#journals.read('c')) ?? '').split('\n').slice(0, -1);
  }
}

describe('the segments of a chat', () => {
  it('are in the order in which windows wrote them, however they alternate', async () => {
    const act = fc.constantFrom('write', 'write', 'write', 'add', 'release', 'takeOver');
    const steps = fc.array(fc.record({ act, by: fc.nat(1) }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const time = new ManualClock();
        const folder = await TemporaryFolder.create();
        const windows = [1, 2].map((id) => new WritingWindow(folder.path, id, time));
        const written: string[] = [];
        for (const [index, { act: name, by }] of all.entries()) {
          const window = windows[by];
          assert.ok(window !== undefined);
          const line = `line ${index}`;
          if (name === 'release') await window.release();
          else if (name === 'takeOver') {
            const taking = { isOver: false };
            const over = window.takeOver().finally(() => (taking.isOver = true));
            while (!taking.isOver) await time.advance(100);
            await over;
          } else if (await window[name](line)) written.push(line);
          // Longer than a listing of leases is trusted.
          await time.advance(300);
        }
        const stored = (await windows[0]?.read()) ?? [];
        assert.deepEqual(stored.toSorted(), written.toSorted());
        // The order is known only if all lines were written with a lease.
        if (all.every(({ act: name }) => name !== 'add')) assert.deepEqual(stored, written);
        for (const window of windows) window.dispose();
        await folder.dispose();
      }),
      { numRuns: runs(20, 5) },
    );
  });
});
