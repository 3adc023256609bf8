import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { CommandOutput } from '../../core/tools/commandOutput.ts';
import { copiedFromTerminal } from '../terminal/copiedFromTerminal.ts';

/** What the last command in a terminal printed, as far as shell integration tells. */
export class TerminalOutput implements Disposable {
  readonly #listening: readonly Disposable[];
  #last: string | undefined;

  constructor() {
    this.#listening = [
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => void this.#read(execution)),
    ];
  }

  /** Of the last command that was seen, else that VS Code copies; undefined where there is none. */
  async last(): Promise<string | undefined> {
    return this.#last ?? (await copied('workbench.action.terminal.copyLastCommandAndOutput'));
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  async #read(execution: vscode.TerminalShellExecution): Promise<void> {
    const output = new CommandOutput(() => undefined);
    await output.collect(execution.read());
    this.#last = `$ ${execution.commandLine.value}\n${output.text}`;
  }
}

/** What a command copies from the active terminal. */
async function copied(command: string): Promise<string | undefined> {
  if (vscode.window.activeTerminal === undefined) return undefined;
  const { clipboard } = vscode.env;
  const copy = (): Thenable<unknown> => vscode.commands.executeCommand(command);
  const text = await copiedFromTerminal({ clipboard, copy });
  return text.trim() === '' ? undefined : text;
}
