import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, titleCommandId, titleCommands } from '../../src/host/contributions.ts';

describe('activation', () => {
  it('finds the extension and activates it', async () => {
    const extension = vscode.extensions.getExtension('aside-chat.aside');
    assert.ok(extension, 'VS Code does not know the extension.');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const ofTitle = titleCommands.map((name) => titleCommandId(name));
    const all = [...Object.values(commands), ...ofTitle];
    const missing = all.filter((id) => !registered.has(id));
    assert.deepEqual(missing, []);
  });
});
