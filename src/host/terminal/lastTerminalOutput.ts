import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { CommandOutput } from '../../core/terminal/commandOutput.ts';

/** What the last command in a terminal printed, as far as shell integration tells. */
export class LastTerminalOutput implements Disposable {
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
  const text = await copyTerminalSelection({ clipboard, copy });
  return text.trim() === '' ? undefined : text;
}

/** What is needed to look at what a terminal shows. */
interface TerminalCopyOptions {
  readonly clipboard: {
    readText(): PromiseLike<string>;
    writeText(text: string): PromiseLike<void>;
  };
  /** Copies from the active terminal what is selected, or its last command; does nothing where nothing is. */
  readonly copy: () => PromiseLike<unknown>;
}

/** Stands in the clipboard for a moment: it may be what was copied last. */
const marker = 'Aside reads the selection of the terminal.';

/**
 * What is copied from the active terminal; empty where nothing is. VS Code has no other way to its
 * texts than the clipboard, whose own is put back, whatever goes wrong.
 */
export async function copyTerminalSelection({
  clipboard,
  copy,
}: TerminalCopyOptions): Promise<string> {
  const before = await clipboard.readText();
  // Without a text there may be a picture, which could not be put back.
  if (before !== '') await clipboard.writeText(marker);
  try {
    await copy();
    const copied = await clipboard.readText();
    return copied === marker ? '' : copied;
  } finally {
    if ((await clipboard.readText()) !== before) await clipboard.writeText(before);
  }
}
