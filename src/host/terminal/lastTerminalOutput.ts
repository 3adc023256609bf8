import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { CommandOutput } from '../../core/terminal/commandOutput.ts';

/** A text in the clipboard that shows afterwards whether something was copied. */
const marker = 'Aside reads the selection of the terminal.';

/** The output of the last command in a terminal with shell integration. */
export class LastTerminalOutput implements Disposable {
  readonly #listening: readonly Disposable[];
  #last: string | undefined;

  constructor() {
    this.#listening = [
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => void this.#read(execution)),
    ];
  }

  /** The last command and its output: the one seen here, else the one that VS Code copies. */
  async last(): Promise<string | undefined> {
    return this.#last ?? (await copyLastCommand());
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

/** The last command of the active terminal and its output, where VS Code knows them. */
export async function copyLastCommand(): Promise<string | undefined> {
  if (vscode.window.activeTerminal === undefined) return undefined;
  const { clipboard } = vscode.env;
  const copy = (): Thenable<unknown> =>
    vscode.commands.executeCommand('workbench.action.terminal.copyLastCommandAndLastCommandOutput');
  const text = await copyTerminalSelection({ clipboard, copy });
  return text.trim() === '' ? undefined : text;
}

/** The clipboard, and the way to copy from a terminal to it. */
interface TerminalCopyOptions {
  readonly clipboard: {
    readText(): PromiseLike<string>;
    writeText(text: string): PromiseLike<void>;
  };
  /** Copies the selection or the last command of the active terminal, if there is one. */
  readonly copy: () => PromiseLike<unknown>;
}

/**
 * Copies text from the active terminal; empty where nothing was copied. VS Code gives access to it only
 * by the clipboard, whose own text is restored afterwards, also after an error.
 */
export async function copyTerminalSelection({
  clipboard,
  copy,
}: TerminalCopyOptions): Promise<string> {
  const before = await clipboard.readText();
  // A clipboard without text may have an image, which could not be restored.
  if (before !== '') await clipboard.writeText(marker);
  try {
    await copy();
    const copied = await clipboard.readText();
    return copied === marker ? '' : copied;
  } finally {
    if ((await clipboard.readText()) !== before) await clipboard.writeText(before);
  }
}
