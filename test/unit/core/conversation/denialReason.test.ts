import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { readEvent, writeEvent } from '../../../../src/core/conversation/record.ts';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { chatFileOf } from '../../../../src/core/history/chatFile.ts';
import { importEvents } from '../../../../src/core/history/chatImport.ts';
import { markdownOf } from '../../../../src/core/history/markdownExport.ts';
import { longestReason, DeniedByPerson } from '../../../../src/core/support/toolError.ts';
import { demoKey } from '../../../../src/local/service.ts';
import { defineTool } from '../../../../src/core/tools/tool.ts';
import { anyLook, toolRig } from '../../../support/toolTurn.ts';

function deniedTool(reason: string) {
  return defineTool({
    ...anyLook,
    name: 'edit',
    category: 'edit',
    description: 'Edits.',
    schema: z.strictObject({}),
    title: () => 'Edit',
    run: () => Promise.reject(new DeniedByPerson(reason)),
  });
}

async function callOf(reason: string) {
  const rig = toolRig({ script: [[['edit', {}]], 'I see.'], list: [deniedTool(reason)] });
  const { parts } = await rig.ask();
  return { rig, call: parts.find((part) => part.type === 'tool-call') };
}

describe('the reason why a person denied a call', () => {
  it('is sent to the model, stays with the call, and is restored from the journal', async () => {
    const { rig, call } = await callOf('Keep the\nold name.');
    assert.deepEqual([call?.status, call?.denialReason], ['denied', 'Keep the old name.']);
    const result = rig
      .requests()
      .at(-1)
      ?.messages.find(({ role }) => role === 'tool');
    assert.match(JSON.stringify(result), /Their reason: Keep the old name\./);
    const read: readonly ConversationEvent[] = rig.events.map((event, index) => {
      const stored = readEvent(writeEvent(event, index + 1))?.event;
      assert.ok(stored);
      return stored;
    });
    const again = read.reduce(reduce, emptyConversation('c'));
    const callAgain = again.turns[0]?.parts.find((part) => part.type === 'tool-call');
    assert.equal(callAgain?.denialReason, 'Keep the old name.');
  });

  it('is one line of limited length, without keys and secrets, also in exports', async () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const typed = `Not ${demoKey},\r\nnor ${token}\u202e. ${'Because. '.repeat(1200)}`;
    const { rig, call } = await callOf(typed);
    const reason = call?.denialReason ?? '';
    assert.match(reason, /^Not ‹key›, nor ghp_‹masked [^›]+›\\u\{202e\}\. Because\. [^\n]*…$/);
    assert.ok(reason.length <= longestReason + 100);
    const sent = JSON.stringify(rig.requests().at(-1));
    assert.ok(sent.includes(reason.slice(-100)) && !/Secrets shown/.test(reason));
    const file = chatFileOf(rig.chat.conversation, (text) => text);
    const again = importEvents(file).reduce(reduce, emptyConversation('c'));
    const callAgain = again.turns[0]?.parts.find((part) => part.type === 'tool-call');
    assert.equal(callAgain?.denialReason, reason);
    assert.ok(markdownOf(file).includes(`Their reason: ${reason}`));
    for (const text of [sent, JSON.stringify(rig.events), JSON.stringify(file)])
      assert.ok(!text.includes(demoKey) && !text.includes(token));
  });

  it('is undefined if the person typed nothing', async () => {
    const { call } = await callOf('  \n ');
    assert.equal(call?.status, 'denied');
    assert.equal('denialReason' in call, false);
    assert.match(call.result ?? '', /ask what they would like instead/);
  });
});
