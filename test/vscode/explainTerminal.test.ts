import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { UserMessage } from '../../src/core/conversation/conversation.ts';
import { TerminalCommands } from '../../src/host/tools/terminalCommands.ts';
import {
  explainLastCommand,
  explainTask,
  explainTerminal,
} from '../../src/host/tools/explainTerminal.ts';

describe('the explanation of a terminal', () => {
  let commands: TerminalCommands;
  let terminal: vscode.Terminal;
  const sentMessages: UserMessage[] = [];
  const ask = (question: UserMessage): Promise<void> => {
    sentMessages.push(question);
    return Promise.resolve();
  };
  const explain = (): Promise<void> => explainTerminal(commands, ask);

  before(async () => {
    commands = new TerminalCommands();
    commands.listen();
    terminal = vscode.window.createTerminal({ name: 'explained' });
    terminal.show();
    await integrationOf(terminal);
    await vscode.env.clipboard.writeText('mine');
  });

  after(() => {
    terminal.dispose();
    commands.dispose();
  });

  it('explains what to do if there is nothing to explain', async () => {
    await assert.rejects(explain(), /No command was found/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });

  it('is about the last command and its output without a selection', async () => {
    // VS Code sometimes loses the output of a command that ends at once.
    await run(terminal, 'sleep 0.2; ls /no/such/place');
    await explain();
    const text = sentMessages.at(-1)?.attachments[0]?.text ?? '';
    assert.match(text, /^\$ sleep 0\.2; ls \/no\/such\/place\n/);
    assert.match(text, /No such file/);
    assert.match(text, /\(Exit code 2\)$/);
    assert.doesNotMatch(text, /\u001b/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });

  it('is about the selection if there is one, and restores the clipboard', async () => {
    await run(terminal, 'echo selected-words');
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await explain();
    assert.match(sentMessages.at(-1)?.attachments[0]?.text ?? '', /selected-words/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });

  it('is about the last command on request, even if it did not fail', async () => {
    await run(terminal, 'sleep 0.2; echo last-words');
    await explainLastCommand(commands, ask);
    const text = sentMessages.at(-1)?.attachments[0]?.text ?? '';
    assert.match(text, /^\$ sleep 0\.2; echo last-words\nlast-words\n\(Exit code 0\)$/);
  });

  it('copies a command that ran before Aside was loaded', async () => {
    const late = new TerminalCommands();
    try {
      await explainLastCommand(late, ask);
    } finally {
      late.dispose();
    }
    const { text, attachments } = sentMessages.at(-1) ?? { text: '', attachments: [] };
    assert.equal(text, 'Explain this command and its output.');
    assert.match(attachments[0]?.text ?? '', /sleep 0\.2; echo last-words\s+last-words/);
    assert.equal(await vscode.env.clipboard.readText(), 'mine');
  });
});

describe('the explanation of a failed task', () => {
  it('has the output of its terminal, found by its process', async () => {
    const commands = new TerminalCommands();
    const sentMessages: UserMessage[] = [];
    const ask = (message: UserMessage): Promise<void> =>
      Promise.resolve(void sentMessages.push(message));
    // Stops recording, so the output must be found in the task's terminal.
    commands.dispose();
    try {
      const { processId, exitCode } = await runTask('sleep 0.2; echo built-nothing; exit 3');
      await explainTask({ name: 'build', exitCode, processId }, commands, ask);
      const { text, attachments } = sentMessages[0] ?? { text: '', attachments: [] };
      assert.equal(text, 'Explain why this task failed and how to fix it.');
      assert.match(attachments[0]?.text ?? '', /^Task: build\nExit code: 3\n[^]*built-nothing/);
      await explainTask({ name: 'gone', exitCode: 1, processId: undefined }, commands, ask);
      assert.equal(sentMessages[1]?.attachments[0]?.text, 'Task: gone\nExit code: 1');
    } finally {
      for (const candidate of vscode.window.terminals)
        if (candidate.name === 'build') candidate.dispose();
    }
  });
});

/** Runs a command as a task, and waits for its end. */
async function runTask(command: string): Promise<{ processId: number; exitCode: number }> {
  const execution = new vscode.ShellExecution(command);
  const { Workspace } = vscode.TaskScope;
  const task = new vscode.Task({ type: 'shell' }, Workspace, 'build', 'test', execution);
  const started = next(vscode.tasks.onDidStartTaskProcess);
  const ended = next(vscode.tasks.onDidEndTaskProcess);
  await vscode.tasks.executeTask(task);
  const [{ processId }, { exitCode = 0 }] = await Promise.all([started, ended]);
  return { processId, exitCode };
}

function next<T>(event: vscode.Event<T>): Promise<T> {
  return new Promise((resolve) => {
    const listening = event((value) => {
      listening.dispose();
      resolve(value);
    });
  });
}

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
