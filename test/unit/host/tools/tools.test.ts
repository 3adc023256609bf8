import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { emptyConversation, type Turn } from '../../../../src/core/conversation/conversation.ts';
import type { ChatMode } from '../../../../src/core/conversation/mode.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { findToolsName } from '../../../../src/core/tools/findTools.ts';
import type { Tool, ToolDefinition } from '../../../../src/core/tools/tool.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { ownToolsHere } from '../../../support/readToolsHere.ts';

const { commandsProblem } = await withoutVsCode(
  () => import('../../../../src/host/tools/runCommand.ts'),
);
const { ownToolNames } = await withoutVsCode(() => import('../../../../src/host/tools/tools.ts'));

describe('the tools of Aside', () => {
  let tools: readonly Tool[];
  before(async () => {
    tools = await ownToolsHere();
  });

  it('have icons that exist', () => {
    const css = import.meta.resolve('@vscode/codicons/dist/codicon.css');
    const rules = readFileSync(new URL(css), 'utf8');
    for (const { icon, name } of tools) {
      assert.ok(rules.includes(`\n.codicon-${icon}:before {`), `${name}: no codicon ${icon}`);
    }
  });

  it('have the names that are kept from other tools', () => {
    const names = tools.map(({ name }) => name);
    assert.deepEqual([findToolsName, ...names], ownToolNames);
  });

  it('lack commands, with a reason, without Node or a disk', () => {
    const at = (scheme: string) => ({
      name: '',
      location: { scheme, authority: '', path: '/work' },
    });
    assert.equal(commandsProblem(true, []), undefined);
    assert.equal(commandsProblem(true, [at('file')]), undefined);
    assert.equal(commandsProblem(true, [at('memfs'), at('file')]), undefined);
    assert.match(commandsProblem(true, [at('memfs')]) ?? '', /virtual workspace/);
    for (const folders of [[], [at('memfs')], [at('file')]]) {
      assert.match(commandsProblem(false, folders) ?? '', /desktop or in a remote window/);
    }
  });
});

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
    ['ask', 720],
    ['agent', 1080],
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
