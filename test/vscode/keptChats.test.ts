import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { commands } from '../../src/host/contributions.ts';

const exportedChat = z.looseObject({
  title: z.optional(z.string()),
  pinned: z.optional(z.boolean()),
  turns: z.array(z.looseObject({ id: z.string() })),
});

describe('saved chats, in the demo', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aside-kept-'));
    await vscode.commands.executeCommand(commands.useDemo);
  });
  after(() => rm(folder, { recursive: true }));

  const fileNamed = (name: string): vscode.Uri => vscode.Uri.file(join(folder, name));

  /** Exports the open chat. Undefined if it is empty. */
  async function exported(format: 'json' | 'markdown' = 'json'): Promise<string | undefined> {
    const to = fileNamed('chat');
    await rm(to.fsPath, { force: true });
    await vscode.commands.executeCommand(commands.exportChat, undefined, { format, to });
    return readFile(to.fsPath, 'utf8').catch(() => undefined);
  }

  async function openChat(): Promise<z.infer<typeof exportedChat>> {
    return exportedChat.parse(JSON.parse((await exported()) ?? ''));
  }

  /** A chat without its ids, which an import replaces. */
  function content(chat: unknown): unknown {
    const text = JSON.stringify(chat, (key, value: unknown) =>
      key === 'id' || key === 'firstSent' ? '' : value,
    );
    return JSON.parse(text);
  }

  it('are renamed, pinned, exported, and imported as the same chat', async () => {
    await vscode.commands.executeCommand(commands.ask, 'What can you do?', { newChat: true });
    await vscode.commands.executeCommand(commands.renameChat, undefined, 'About <b>Aside</b>');
    await vscode.commands.executeCommand(commands.pinChat);
    const chat = await openChat();
    assert.deepEqual([chat.title, chat.pinned], ['About <b>Aside</b>', true]);
    const markdown = (await exported('markdown')) ?? '';
    assert.ok(markdown.startsWith('# About \\<b\\>Aside\\</b\\>\n'), markdown);
    assert.match(markdown, /^## You$/m);

    await writeFile(fileNamed('again.json').fsPath, JSON.stringify(chat));
    await vscode.commands.executeCommand(commands.importChat, fileNamed('again.json'));
    const again = await openChat();
    assert.deepEqual(content(again), content(chat));
    assert.notEqual(again.turns[0]?.id, chat.turns[0]?.id);
    // The imported chat can be continued.
    await vscode.commands.executeCommand(commands.ask, 'Hello');
    assert.equal((await openChat()).turns.length, 2);
  });

  it('are copied as Markdown', async () => {
    await vscode.commands.executeCommand(commands.copyChat);
    assert.equal(await vscode.env.clipboard.readText(), await exported('markdown'));
  });

  it('are replaced by a new chat when they are deleted', async () => {
    await vscode.commands.executeCommand(commands.ask, 'Hello', { newChat: true });
    assert.ok((await exported()) !== undefined);
    await vscode.commands.executeCommand(commands.deleteChat);
    assert.equal(await exported(), undefined);
    await vscode.commands.executeCommand(commands.ask, 'Hello');
    assert.equal((await openChat()).turns.length, 1);
  });

  it('are not changed when a forged file is imported', async () => {
    const before = await openChat();
    const text = JSON.stringify(before);
    const forged = [
      text.replace('"status":"finished"', '"status":"streaming"'),
      text.replace('"status":"finished"', '"status":"finished","pause":{"reason":"rounds"}'),
      text.replace('"parts":[', '"parts":[{"type":"tool-call","status":"asking"},'),
      text.replace('"version":1', '"version":2'),
      text.slice(0, -1),
      '['.repeat(200_000),
      'Hello',
    ];
    for (const [index, forgery] of forged.entries()) {
      assert.notEqual(forgery, text);
      const uri = fileNamed(`forged ${index}.json`);
      await writeFile(uri.fsPath, forgery);
      await vscode.commands.executeCommand(commands.importChat, [uri]);
      assert.deepEqual(await openChat(), before);
    }
  });
});
