import assert from 'node:assert/strict';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { promptCharacters } from '../../../../src/core/turn/requestUsage.ts';

function characters(...messages: readonly WireMessage[]): number {
  return promptCharacters({ model: 'm', messages: [...messages] });
}

describe('promptCharacters', () => {
  it('counts what was called, and not only what was said', () => {
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
