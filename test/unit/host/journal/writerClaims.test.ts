import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WriterClaims } from '../../../../src/host/journal/writerClaims.ts';
import type { LeaseFiles } from '../../../../src/host/leaseFolder.ts';
import { Leases, noProcess } from '../../../../src/host/leases.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryLeases } from '../chat/memoryLeases.ts';

const chats = ['a', 'b', 'c'];

/** The claims of one window. Windows with the same files see each other. */
function claimsOn(files: LeaseFiles, clock = new ManualClock()) {
  const errors: string[] = [];
  const leases = new Leases({ files, host: noProcess, workspace: '', clock });
  const claims = new WriterClaims(leases, (what) => errors.push(what));
  return { claims, leases, errors };
}

/** Lease files that can't be written; `isReadable` says if they can be read. */
function brokenFiles(isReadable: boolean): LeaseFiles {
  const files = new MemoryLeases();
  const fail = (): Promise<never> => Promise.reject(new Error('EIO'));
  return {
    names: () => (isReadable ? files.names() : fail()),
    read: () => Promise.resolve(undefined),
    create: fail,
    replace: fail,
    remove: fail,
  };
}

describe('WriterClaims', () => {
  it('lets one of several windows write each chat, and tells the others', async () => {
    const steps = fc.array(
      fc.record({
        window: fc.nat(2),
        chat: fc.constantFrom(...chats),
        act: fc.constantFrom('claim', 'claim', 'release', 'transfer'),
      }),
      { maxLength: 15 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (acts) => {
        const files = new MemoryLeases();
        const windows = [0, 1, 2].map(() => claimsOn(files));
        for (const { window, chat, act } of acts) {
          const { claims } = windows[window] ?? claimsOn(files);
          if (act === 'claim') {
            const isFree = await claims.claim(chat);
            assert.equal(claims.holds(chat), isFree);
            assert.equal(claims.isElsewhere(chat), !isFree);
          } else if (claims.holds(chat)) {
            await claims[act](chat);
            assert.equal(claims.isElsewhere(chat), act === 'transfer');
          }
          for (const id of chats)
            assert.ok(windows.filter((candidate) => candidate.claims.holds(id)).length <= 1);
        }
        for (const { leases, errors } of windows) {
          leases.dispose();
          assert.deepEqual(errors, []);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('claims everything where no other window can write', async () => {
    const claims = new WriterClaims(undefined, (what) => assert.fail(what));
    assert.equal(await claims.claim('a'), true);
    assert.equal(await claims.takeOver('a'), true);
    assert.equal(await claims.choose('a'), 'a');
    assert.equal(claims.holds('never claimed'), true);
    assert.equal(await claims.holder('a'), undefined);
  });

  for (const isReadable of [true, false])
    it(`shows a chat that can't be claimed as its own (folder readable: ${isReadable})`, async () => {
      const { claims, errors } = claimsOn(brokenFiles(isReadable));
      assert.equal(await claims.claim('a'), true);
      assert.equal(claims.isElsewhere('a'), false);
      assert.equal(claims.holds('a'), false);
      assert.deepEqual(errors, ['Opening the chat a']);
    });

  it('chooses the chat of a closed window only if another window has the saved one', async () => {
    const files = new MemoryLeases();
    const clock = new ManualClock();
    const [before, other, next] = [0, 1, 2].map(() => claimsOn(files, clock));
    assert.ok(before !== undefined && other !== undefined && next !== undefined);
    await before.claims.claim('abandoned');
    before.leases.dispose();
    assert.equal(await other.claims.choose('saved'), 'saved');
    // The closed window has not renewed its lease since.
    await clock.advance(120_000);
    assert.equal(await next.claims.choose('saved'), 'abandoned');
    assert.equal(next.claims.isElsewhere('saved'), true);
    for (const { leases } of [other, next]) leases.dispose();
  });
});
