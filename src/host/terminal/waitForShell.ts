import * as vscode from 'vscode';
import { raceAbort } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { trimEndOf } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';

/** Milliseconds for a shell to start, which its startup files and a busy machine can delay. */
const startLimit = 20_000;
/** Milliseconds after the start in which a shell reports its folder. */
const folderLimit = 1000;

const withoutIntegration =
  'The command did not run: the shell of this terminal does not report when a command ends. Ask the person to run it, or to turn on shell integration (terminal.integrated.shellIntegration.enabled).';
const elsewhere =
  'The command did not run: the startup files of the shell change to a different folder.';

/**
 * Waits until the shell of a new terminal can report the end of commands, and its folder.
 * @throws {ToolError} if it can't, or starts in another folder; when the signal aborts
 */
export async function waitForShell(
  terminal: vscode.Terminal,
  folder: vscode.Uri,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const until = (isTrue: () => boolean, limit: number): Promise<boolean> =>
    raceAbort(waitUntil(terminal, isTrue, limit, clock), signal);
  if (!(await until(() => terminal.shellIntegration !== undefined, startLimit))) {
    throw new ToolError(withoutIntegration);
  }
  await until(() => terminal.shellIntegration?.cwd !== undefined, folderLimit);
  const cwd = terminal.shellIntegration?.cwd;
  // The command was approved for this folder and no other (threats: I4).
  if (cwd !== undefined && !isSameFolder(cwd, folder)) throw new ToolError(elsewhere);
}

/** Resolves with true once the condition holds; with false on timeout or if the terminal is closed. */
export function waitUntil(
  terminal: vscode.Terminal,
  isTrue: () => boolean,
  limit: number,
  clock: Clock,
): Promise<boolean> {
  const subscriptions: Disposable[] = [];
  const becameTrue = new Promise<boolean>((resolve) => {
    const check = (): void => {
      if (isTrue()) resolve(true);
    };
    subscriptions.push(
      vscode.window.onDidChangeTerminalShellIntegration(check),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) resolve(false);
      }),
      clock.after(limit, () => resolve(false)),
    );
    check();
  });
  return becameTrue.finally(() => disposeAll(subscriptions));
}

export function isSameFolder(a: vscode.Uri, b: vscode.Uri): boolean {
  return keyOf(a) === keyOf(b);
}

/** Normalizes a path: on Windows, the case varies, even that of the drive letter. */
function keyOf({ path }: vscode.Uri): string {
  const folder = trimEndOf(path, '/');
  return /^\/[a-z]:/i.test(folder) ? folder.toLowerCase() : folder;
}
