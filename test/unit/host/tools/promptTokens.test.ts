import assert from 'node:assert/strict';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { emptyConversation, type Turn } from '../../../../src/core/conversation/conversation.ts';
import type { ToolDefinition } from '../../../../src/core/tools/tool.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import { ownToolsHere } from '../../../support/readToolsHere.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';

const hello: Turn = turnWith({ question: userMessage('hello'), status: 'waiting' });

/** Tokens of what the model reads, with the marks around each message that count as some. */
function tokensOf(tools: readonly ToolDefinition[]): number {
  const settings = { instructions: '', stream: true, options: {} };
  const request = buildRequest(emptyConversation('c'), hello, settings, tools);
  const messages = request.messages.map(({ content }) => countTokens(content ?? '') + 4);
  const described = request.tools === undefined ? 0 : countTokens(JSON.stringify(request.tools));
  return messages.reduce((sum, count) => sum + count, described);
}

describe('the prompt of a greeting', () => {
  let definitions: readonly ToolDefinition[];
  before(async () => {
    definitions = (await ownToolsHere()).map(({ definition }) => definition);
  });

  it('has at most 160 tokens without tools', () => {
    const tokens = tokensOf([]);
    assert.ok(tokens <= 160, `${tokens} tokens`);
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

  it('grows by at most 1,500 tokens with all tools', () => {
    assert.equal(definitions.length, 13);
    const added = tokensOf(definitions) - tokensOf([]);
    assert.ok(added <= 1500, `${added} tokens`);
  });

  it('names each tool and each of its parameters in words', () => {
    for (const { function: described } of definitions) {
      assert.match(described.name, /^[a-z]+(_[a-z]+)*$/);
      assert.match(described.description, /^[A-Z].*\.$/);
      assert.equal(described.parameters['type'], 'object');
    }
  });
});
