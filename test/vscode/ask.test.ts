import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { commands } from '../../src/host/contributions.ts';

const finishedTurn = z.strictObject({
  text: z.string(),
  finishReason: z.string(),
  model: z.string().check(z.minLength(1)),
  usage: z.strictObject({
    prompt_tokens: z.int().check(z.positive()),
    completion_tokens: z.int().check(z.nonnegative()),
    total_tokens: z.int().check(z.positive()),
    estimated: z.boolean(),
  }),
  toolCalls: z.array(z.unknown()),
});

const reason = z.object({ finishReason: z.string() });

describe('aside.ask, in the demo', () => {
  before(async () => {
    await vscode.commands.executeCommand(commands.useDemo);
  });

  it('resolves with the finished turn', async () => {
    const { text, finishReason, usage, toolCalls } = await ask('What can you do?');
    assert.match(text, /Aside/);
    assert.equal(finishReason, 'stop');
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    assert.equal(usage.estimated, false);
    assert.deepEqual(toolCalls, []);
  });

  it('uses another model for one turn only', async () => {
    const first = await ask('Hello');
    const other = await ask('Hello', { model: 'meta/llama-70b' });
    const last = await ask('Hello');
    assert.equal(other.model, 'meta/llama-70b');
    assert.notEqual(first.model, other.model);
    assert.equal(last.model, first.model);
  });

  it('replies to simultaneous messages in order', async () => {
    const turns = await Promise.all([ask('Hello'), ask('What can you do?'), ask('Hello')]);
    assert.deepEqual(
      turns.map((turn) => turn.finishReason),
      ['stop', 'stop', 'stop'],
    );
  });

  it('estimates the usage that the service did not send', async () => {
    const { usage } = await ask('/fault no-usage Hello', { newChat: true });
    assert.equal(usage.estimated, true);
  });

  it('keeps the text of a reply that was cut', async () => {
    const { text, finishReason } = await ask('/fault cut 40 What can you do?');
    assert.equal(finishReason, 'cut');
    assert.equal(text.length, 40);
  });

  it('rejects with the displayed message', async () => {
    await assert.rejects(ask('/fault 402 Hello'), /402/);
    await assert.rejects(ask('/fault 404 Hello'), /404/);
  });

  it('stops the running turn, and works afterwards', async () => {
    const prompt = '/fault stall 40 What can you do?';
    const turnPromise = vscode.commands.executeCommand(commands.ask, prompt, { newChat: true });
    // Stopped before its request was sent, it has used nothing; before any text it may reject.
    const end = Promise.resolve(turnPromise).then(
      (turn) => reason.parse(turn).finishReason,
      String,
    );
    let outcome = 'running';
    while (outcome === 'running') {
      await vscode.commands.executeCommand(commands.stop);
      outcome = await Promise.race([end, setImmediate('running')]);
    }
    assert.match(outcome, /stopped/i);
    assert.equal((await ask('Hello')).finishReason, 'stop');
  });

  it('needs a string as prompt', async () => {
    await assert.rejects(async () => vscode.commands.executeCommand(commands.ask, 42));
  });
});

async function ask(
  prompt: string,
  options: { readonly model?: string; readonly newChat?: boolean } = {},
): Promise<z.infer<typeof finishedTurn>> {
  return finishedTurn.parse(await vscode.commands.executeCommand(commands.ask, prompt, options));
}
