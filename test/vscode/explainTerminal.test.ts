import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { UserMessage } from '../../src/core/conversation/conversation.ts';
import { explainTerminal } from '../../src/host/terminal/explainTerminal.ts';
import { FailedCommands } from '../../src/host/terminal/failedCommands.ts';

describe('the explanation of a terminal', () => {
  let failed: FailedCommands;
  let terminal: vscode.Terminal;
  const asked: UserMessage[] = [];
  const ask = (question: UserMessage): Promise<void> => {
    asked.push(question);
    return Promise.resolve();
  };
  const explain = (): Promise<void> => explainTerminal({ failed, ask });

  before(async () => {
    failed = new FailedCommands();
    terminal = vscode.window.createTerminal({ name: 'explained' });
    terminal.show();
    await integrationOf(terminal);
    await vscode.env.clipboard.writeText('mine');
  });

  after(() => {
    terminal.dispose();
    failed.dispose();
  });

  it('says what to do while there is nothing to explain', async () => {
    await assert.rejects(explain(), /Nothing is selected/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });

  it('is about the last command that failed, with its output', async () => {
    // VS Code loses the output of a command that ends at once, now and then.
    await run(terminal, 'sleep 0.2; ls /no/such/place');
    await run(terminal, 'true');
    await explain();
    const text = asked.at(-1)?.attachments[0]?.text ?? '';
    assert.match(text, /^\$ sleep 0\.2; ls \/no\/such\/place\n/);
    assert.match(text, /No such file/);
    assert.match(text, /\(Exit code 2\)$/);
    assert.doesNotMatch(text, /\u001b/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });

  it('is about what is selected, where something is, and leaves the clipboard as it was', async () => {
    await run(terminal, 'echo selected-words');
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await explain();
    assert.match(asked.at(-1)?.attachments[0]?.text ?? '', /selected-words/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });
});

async function integrationOf(terminal: vscode.Terminal): Promise<vscode.TerminalShellIntegration> {
  if (terminal.shellIntegration !== undefined) return terminal.shellIntegration;
  return new Promise((resolve) => {
    const listening = vscode.window.onDidChangeTerminalShellIntegration((change) => {
      if (change.terminal !== terminal) return;
      listening.dispose();
      resolve(change.shellIntegration);
    });
  });
}

/** Resolves when the command has ended. */
async function run(terminal: vscode.Terminal, command: string): Promise<void> {
  const integration = await integrationOf(terminal);
  await new Promise<void>((resolve) => {
    const listening = vscode.window.onDidEndTerminalShellExecution(({ execution }) => {
      if (execution.commandLine.value !== command) return;
      listening.dispose();
      resolve();
    });
    integration.executeCommand(command);
  });
}
