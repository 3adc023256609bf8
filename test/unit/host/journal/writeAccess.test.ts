import assert from 'node:assert/strict';
import { UserError } from '../../../../src/host/errors.ts';
import { WriteAccess } from '../../../../src/host/journal/writeAccess.ts';

describe('the right to write a chat', () => {
  it('is refused with the reason while another window has it, or asks for it', () => {
    const access = new WriteAccess();
    for (const state of ['read', 'leave'] as const) {
      access.set(state, 'Open elsewhere.');
      assert.throws(() => access.requireWrite(), new UserError('Open elsewhere.'));
      assert.deepEqual([access.mayWrite, access.isReadOnly], [false, state === 'read']);
    }
    access.set('write');
    access.requireWrite();
    assert.deepEqual([access.mayWrite, access.isReadOnly], [true, false]);
  });

  it('ends with the chat, without an error that is shown', () => {
    const access = new WriteAccess();
    access.close();
    assert.equal(access.mayWrite, false);
    assert.throws(() => access.requireWrite(), { name: 'AbortError' });
  });
});
