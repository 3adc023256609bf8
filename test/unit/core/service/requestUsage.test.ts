import assert from 'node:assert/strict';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { ServiceError, type ServiceErrorKind } from '../../../../src/core/reply/errors.ts';
import { promptCharacters, RequestUsage } from '../../../../src/core/service/requestUsage.ts';

function characters(...messages: readonly WireMessage[]): number {
  return promptCharacters({ model: 'm', messages: [...messages] });
}

describe('promptCharacters', () => {
  it('counts calls as well as text', () => {
    const question: WireMessage = { role: 'user', content: 'Look.' };
    const call = { name: 'look', arguments: '{"name":"a"}' };
    const calls: WireMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: call }],
    };
    const result: WireMessage = { role: 'tool', tool_call_id: 'c', content: 'This is a.' };
    assert.equal(characters(question), 5);
    assert.equal(characters(question, calls, result), 5 + 4 + 12 + 10);
  });
});

describe('RequestUsage', () => {
  const meter = { estimate: () => 5, learn: () => undefined };
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
  const countedAfter = (error: unknown): number =>
    new RequestUsage(request, meter).ofFailure(error, false).requests;

  it('counts a request with a response, or with an unknown outcome', () => {
    const kinds: readonly ServiceErrorKind[] = ['timeout', 'cut', 'no-reply', 'unreadable'];
    for (const kind of kinds) assert.equal(countedAfter(new ServiceError(kind, '')), 1, kind);
    const cause = Object.assign(new Error('no'), { code: 'ECONNRESET' });
    assert.equal(countedAfter(new ServiceError('network', '', { cause })), 1);
  });

  it('does not count a request that a status or a failed connection refused', () => {
    for (const status of [400, 402, 429, 503])
      assert.equal(countedAfter(new ServiceError('server-error', '', { status })), 0);
    const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    assert.equal(countedAfter(new ServiceError('network', '', { cause })), 0);
  });
});
