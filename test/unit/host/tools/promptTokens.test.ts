import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { emptyConversation, type Turn } from '../../../../src/core/conversation/conversation.ts';
import type { ChatMode } from '../../../../src/core/conversation/mode.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import type { Tool, ToolDefinition } from '../../../../src/core/tools/tool.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { ownToolsHere } from '../../../support/readToolsHere.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';

const hello: Turn = turnWith({ question: userMessage('hello'), status: 'waiting' });

const toolboxOptions = {
  clock: new ManualClock(),
  redactor: createRedactor(),
  onError: assert.ifError,
};

/** Tokens of a request, including four per message for the tokens around it. */
function tokensOf(tools: readonly ToolDefinition[]): number {
  const settings = { instructions: '', stream: true, options: {} };
  const request = buildRequest(emptyConversation('c'), hello, settings, tools);
  const messages = request.messages.map(({ content }) => countTokens(content ?? '') + 4);
  const described = request.tools === undefined ? 0 : countTokens(JSON.stringify(request.tools));
  return messages.reduce((sum, count) => sum + count, described);
}

describe('the prompt of a greeting', () => {
  let tools: readonly Tool[];
  let definitions: readonly ToolDefinition[];
  before(async () => {
    tools = await ownToolsHere();
    definitions = tools.map(({ definition }) => definition);
  });

  const tokensIn = (mode: ChatMode): number => {
    const box = new Toolbox(tools, toolboxOptions).inMode(() => mode);
    return tokensOf(box?.definitions ?? []);
  };

  for (const [mode, most] of [
    ['chat', 60],
    ['ask', 700],
    ['agent', 1000],
  ] as const)
    it(`has at most ${most} tokens in the mode ${mode}`, () => {
      const tokens = tokensIn(mode);
      assert.ok(tokens <= most, `${tokens} tokens`);
    });

  it('has at most 150 tokens of system message, also with tools', () => {
    const settings = { instructions: '', stream: true, options: {} };
    for (const tools of [[], definitions]) {
      const request = buildRequest(emptyConversation('c'), hello, settings, tools);
      const [system] = request.messages;
      assert.equal(system?.role, 'system');
      const tokens = countTokens(system.content);
      assert.ok(tokens <= 150, `${tokens} tokens`);
    }
  });
});
