import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { exposedToolDefinition, exposedTools } from '../../../../src/core/tools/exposedTools.ts';
import { canBeEnabled } from '../../../../src/core/tools/externalTool.ts';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { readToolsHere } from '../../../support/readToolsHere.ts';

const words = z.string().check(z.minLength(1));
const manifest = z.object({
  contributes: z.object({
    languageModelTools: z.array(
      z.strictObject({
        name: words,
        displayName: words,
        userDescription: words,
        modelDescription: words,
        inputSchema: z.record(z.string(), z.unknown()),
        toolReferenceName: words,
        canBeReferencedInPrompt: z.literal(true),
        icon: words,
        tags: z.array(words),
        when: z.literal('isWorkspaceTrusted'),
      }),
    ),
  }),
});

describe('the tools for other chats', () => {
  let tools: readonly Tool[];
  before(async () => {
    tools = await readToolsHere();
  });

  it('only read', () => {
    assert.deepEqual(
      tools.map(({ name }) => name),
      exposedTools,
    );
    assert.deepEqual(new Set(tools.map(({ category }) => category)), new Set(['read']));
  });

  it('are declared in package.json with the same descriptions and schemas', () => {
    const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
    const { languageModelTools } = manifest.parse(JSON.parse(text)).contributes;
    const contributed = languageModelTools.map(({ name, modelDescription, inputSchema }) => {
      return { name, modelDescription, inputSchema };
    });
    assert.deepEqual(contributed, tools.map(exposedToolDefinition));
  });

  it('are not listed as external tools', () => {
    for (const { name } of tools.map(exposedToolDefinition)) {
      assert.equal(canBeEnabled({ name, inputSchema: undefined }), false);
    }
  });
});
