import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { exposedToolDefinition, exposedTools } from '../../../../src/core/tools/exposedTools.ts';
import { canBeEnabled } from '../../../../src/core/tools/externalTool.ts';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { readToolsHere } from '../../../support/readToolsHere.ts';

const words = z.string().check(z.minLength(1));
const texts = z.record(z.string(), z.string());
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

function readProject(file: string): string {
  return readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
}

function contributedTools() {
  return manifest.parse(JSON.parse(readProject('package.json'))).contributes.languageModelTools;
}

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

  it('stand in package.json with the labels and icons of our own list', () => {
    const labels = texts.parse(JSON.parse(readProject('package.nls.json')));
    const contributed = contributedTools().map(({ displayName, icon }) => {
      return { label: labels[displayName.replace(/^%|%$/g, '')], icon };
    });
    const own = tools.map(({ label, icon }) => ({ label, icon: `$(${icon})` }));
    assert.deepEqual(contributed, own);
  });

  it('stand in package.json with the words and schemas of our own requests', () => {
    const contributed = contributedTools().map(({ name, modelDescription, inputSchema }) => {
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
