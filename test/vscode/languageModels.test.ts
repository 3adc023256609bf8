import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { commands } from '../../src/host/contributions.ts';
import { localModels } from '../../src/local/models.ts';
import { itButNotOn } from './support/itButNotOn.ts';

const model = 'mistral/mistral-small';
const listed = z.array(
  z.object({ id: z.string(), vendor: z.string(), maxInputTokens: z.number() }),
);
const reply = z.object({
  parts: z.array(
    z.object({
      text: z.optional(z.string()),
      callId: z.optional(z.string()),
      name: z.optional(z.string()),
      input: z.optional(z.unknown()),
      mimeType: z.optional(z.string()),
      json: z.optional(z.string()),
    }),
  ),
  error: z.optional(
    z.object({ name: z.string(), code: z.optional(z.string()), message: z.string() }),
  ),
});
const usage = z.object({
  prompt_tokens: z.int().check(z.positive()),
  completion_tokens: z.int().check(z.positive()),
  total_tokens: z.int().check(z.positive()),
});

type Reply = z.infer<typeof reply>;

/** Sends a message through the extension in `test/vscode/foreignTool`. */
async function send(text: string, more: object = {}): Promise<Reply> {
  const request = { id: model, messages: [{ role: 'user', text }], ...more };
  return reply.parse(await vscode.commands.executeCommand('foreignTool.send', request));
}

function textOf({ parts }: Reply): string {
  return parts.map(({ text = '' }) => text).join('');
}

describe('the models of Aside for other extensions, in the demo', () => {
  before(async () => {
    await vscode.extensions.getExtension('aside-test.foreign-tool')?.activate();
    await vscode.commands.executeCommand(commands.useDemo);
  });

  it('are those of the service', async () => {
    const models = listed.parse(await vscode.commands.executeCommand('foreignTool.models'));
    assert.deepEqual(
      models.map(({ id }) => id).toSorted(),
      localModels.map(({ id }) => id).toSorted(),
    );
    assert.ok(models.every((model) => model.vendor === 'aside' && model.maxInputTokens > 0));
  });

  it('stream text, and report their usage as VS Code’s chat reads it', async () => {
    const received = await send('What can you do?');
    assert.equal(received.error, undefined);
    assert.match(textOf(received), /Aside/);
    const usageParts = received.parts.filter(({ mimeType }) => mimeType === 'usage');
    assert.equal(usageParts.length, 1);
    const counts = usage.parse(JSON.parse(usageParts[0]?.json ?? ''));
    assert.equal(counts.prompt_tokens + counts.completion_tokens, counts.total_tokens);
  });

  it('accept the parameters of the service', async () => {
    const { parts, error } = await send('What can you do?', { modelOptions: { max_tokens: 3 } });
    assert.equal(error, undefined);
    const usagePart = parts.find(({ mimeType }) => mimeType === 'usage');
    assert.ok(usage.parse(JSON.parse(usagePart?.json ?? '')).completion_tokens <= 3);
    const wrong = await send('Hello', { modelOptions: { temperature: 9 } });
    assert.match(wrong.error?.message ?? '', /temperature/);
  });

  // VS Code 1.106 doesn't report the cancellation of a running request.
  itButNotOn(
    'oldest',
    'stop where the extension cancels',
    'VS Code passes no cancellation on',
    async () => {
      const whole = await send('What can you do?');
      const cancelled = await send('What can you do?', { cancelAfter: 1 });
      assert.ok(textOf(cancelled).length < textOf(whole).length);
    },
  );

  it('stop with everything else', async () => {
    const stopping = { characters: 5, command: commands.stopAll };
    const stopped = await send('/fault stall 20 What can you do?', { runAfter: stopping });
    assert.match(stopped.error?.message ?? '', /cancell?ed/i);
    assert.notEqual(textOf(stopped), '');
  });

  it('count tokens', async () => {
    const counts = await vscode.commands.executeCommand('foreignTool.count', {
      id: model,
      text: 'word '.repeat(100),
    });
    const [ofText, ofMessage] = z.tuple([z.number(), z.number()]).parse(counts);
    assert.ok(ofText > 50 && ofText < 500, String(ofText));
    assert.equal(ofText, ofMessage);
  });

  it('call tools, and continue with their results', async () => {
    const tools = [
      {
        name: 'read_file',
        description: 'Reads a file.',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      },
    ];
    const question = { role: 'user', text: 'What is in README.md?' };
    const { Required } = vscode.LanguageModelChatToolMode;
    const first = await send('', { messages: [question], tools, toolMode: Required });
    assert.equal(first.error, undefined);
    const call = first.parts.find(({ callId }) => callId !== undefined);
    assert.ok(call, JSON.stringify(first));
    const messages = [
      question,
      { role: 'assistant', call },
      { role: 'user', result: { callId: call.callId, text: 'A recipe for soup.' } },
    ];
    const second = await send('', { messages, tools });
    assert.equal(second.error, undefined);
    assert.notEqual(textOf(second), '');
  });

  it('refuse an unknown model', async () => {
    const { error } = await send('Hello', { id: 'no/such-model' });
    assert.match(error?.message ?? '', /no\/such-model/);
  });
});
