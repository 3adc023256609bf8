import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import type {
  ToolCallPart,
  ToolOutcome,
  Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { defineTool } from '../../../../src/core/tools/tool.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import { findRepeated } from '../../../../src/core/turn/runCalls.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { anyLook } from '../../../support/toolTurn.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';

const edit = defineTool({
  ...anyLook,
  name: 'edit',
  category: 'edit',
  description: 'Edits.',
  schema: z.strictObject({}),
  title: () => 'Edit',
  run: () => Promise.resolve(''),
});
const toolbox = new Toolbox([edit], {
  clock: new ManualClock(),
  redactor: createRedactor(),
  onError: assert.ifError,
});

function made(name: string, text: string, status: ToolOutcome = 'done'): ToolCallPart {
  return { type: 'tool-call', id: `${name}${text}`, name, arguments: text, round: 1, status };
}

function repeated(
  parts: readonly ToolCallPart[],
  ...calls: readonly (readonly [string, string])[]
) {
  const turn: Turn = turnWith({ question: userMessage(''), status: 'calling', parts });
  const nextCalls = calls.map(([name, text]) => ({ id: 'x', name, arguments: text }));
  return findRepeated(nextCalls, turn, toolbox);
}

describe('findRepeated', () => {
  it('finds the third of three equal calls, however their JSON is written', () => {
    const twice = [made('read', '{"a":1}'), made('read', '{ "a": 1 }')];
    assert.equal(repeated(twice, ['read', '{"a" :1}']), 'read');
    assert.equal(repeated(twice, ['read', '{"a":2}']), undefined);
    assert.equal(repeated(twice.slice(1), ['read', '{"a":1}']), undefined);
  });

  it('finds equal calls whose fields are in another order', () => {
    const deep = [
      made('read', '{"a":1,"b":[{"c":2,"d":3}]}'),
      made('read', '{"b":[{"d":3,"c":2}],"a":1}'),
    ];
    assert.equal(repeated(deep, ['read', '{"b":[{"c":2,"d":3}],"a":1}']), 'read');
    assert.equal(repeated(deep, ['read', '{"b":[{"c":3,"d":2}],"a":1}']), undefined);
    const list = [made('read', '{"a":[1,2]}'), made('read', '{"a":[1,2]}')];
    assert.equal(repeated(list, ['read', '{"a":[2,1]}']), undefined);
  });

  it('compares invalid JSON as text', () => {
    assert.equal(repeated([made('read', 'no'), made('read', 'no')], ['read', 'no']), 'read');
  });

  it('counts equal calls in one message', () => {
    const call = ['read', '{}'] as const;
    assert.equal(repeated([], call, call), undefined);
    assert.equal(repeated([], call, call, call), 'read');
  });

  it('finds an edit that failed before, but not one that succeeded', () => {
    assert.equal(repeated([made('edit', '{}', 'failed')], ['edit', '{}']), 'edit');
    assert.equal(repeated([made('edit', '{}')], ['edit', '{}']), undefined);
    assert.equal(repeated([made('read', '{}', 'failed')], ['read', '{}']), undefined);
  });

  it('counts from the beginning after another edit', () => {
    const before = [made('read', '{}'), made('read', '{}'), made('edit', '{"b":1}')];
    assert.equal(repeated(before, ['read', '{}']), undefined);
    const failed = [made('read', '{}'), made('read', '{}'), made('edit', '{"b":1}', 'failed')];
    assert.equal(repeated(failed, ['read', '{}']), 'read');
  });
});
