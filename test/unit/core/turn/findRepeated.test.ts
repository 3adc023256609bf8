import assert from 'node:assert/strict';
import type {
  ToolCallPart,
  ToolOutcome,
  Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { findRepeated } from '../../../../src/core/turn/findRepeated.ts';

function made(name: string, text: string, status: ToolOutcome = 'done'): ToolCallPart {
  return { type: 'tool-call', id: `${name}${text}`, name, arguments: text, round: 1, status };
}

function repeated(
  parts: readonly ToolCallPart[],
  ...calls: readonly (readonly [string, string])[]
) {
  const turn: Turn = {
    ...{ id: 't', question: { text: '', attachments: [] }, model: 'm', status: 'calling' },
    ...{ parts, startedAt: 0, runningSince: 0, duration: 0 },
  };
  const asked = calls.map(([name, text]) => ({ id: 'x', name, arguments: text }));
  return findRepeated(asked, turn, (name) => name === 'edit');
}

describe('findRepeated', () => {
  it('finds the third of the same calls, however its JSON is written', () => {
    const twice = [made('read', '{"a":1}'), made('read', '{ "a": 1 }')];
    assert.equal(repeated(twice, ['read', '{"a" :1}']), 'read');
    assert.equal(repeated(twice, ['read', '{"a":2}']), undefined);
    assert.equal(repeated(twice.slice(1), ['read', '{"a":1}']), undefined);
  });

  it('counts the calls of one message', () => {
    const call = ['read', '{}'] as const;
    assert.equal(repeated([], call, call), undefined);
    assert.equal(repeated([], call, call, call), 'read');
  });

  it('finds a change that failed before, not one that worked', () => {
    assert.equal(repeated([made('edit', '{}', 'failed')], ['edit', '{}']), 'edit');
    assert.equal(repeated([made('edit', '{}')], ['edit', '{}']), undefined);
    assert.equal(repeated([made('read', '{}', 'failed')], ['read', '{}']), undefined);
  });

  it('begins anew after another change', () => {
    const before = [made('read', '{}'), made('read', '{}'), made('edit', '{"b":1}')];
    assert.equal(repeated(before, ['read', '{}']), undefined);
    const failed = [made('read', '{}'), made('read', '{}'), made('edit', '{"b":1}', 'failed')];
    assert.equal(repeated(failed, ['read', '{}']), 'read');
  });
});
