import * as vscode from 'vscode';
import { readShellCommands } from '../../core/code/shellCommands.ts';
import { revealInvisible } from '../../core/support/invisible.ts';
import { Refusal } from '../refusal.ts';

/** Where a command is put that the person runs. */
export interface CommandLine {
  put(command: string): Promise<void>;
}

/** More is no command that anybody reads before running it. */
const longestText = 20_000;

/**
 * "Run in Terminal": puts a command of a reply into a terminal and leaves it to the person to run
 * it. Of several, the person chooses one: with the end of a line the shell would run what is before
 * it.
 * @throws {Refusal}
 */
export async function runInTerminal(text: string, terminals: CommandLine): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Refusal(vscode.l10n.t('Trust this workspace to run commands of a reply in it.'));
  }
  const commands = text.length > longestText ? undefined : readShellCommands(text);
  if (commands === undefined) {
    throw new Refusal(
      vscode.l10n.t(
        'These lines belong together, and a terminal would run each as soon as it comes. Copy them, read them, and paste them yourself, or open them as a new file.',
      ),
    );
  }
  for (const command of commands) refuseHidden(command);
  const chosen = await chooseOne(commands);
  if (chosen !== undefined) await terminals.put(chosen);
}

/** To a shell, control characters are keys; and nobody would know what they run (threats: I4). */
function refuseHidden(command: string): void {
  if (!/\p{Cc}/u.test(command) && revealInvisible(command).count === 0) return;
  throw new Refusal(
    vscode.l10n.t(
      'This command has characters that are not seen, or that a terminal takes for keys. Type it yourself if you know what it does.',
    ),
  );
}

async function chooseOne(commands: readonly string[]): Promise<string | undefined> {
  const [only, ...others] = commands;
  if (only === undefined) {
    throw new Refusal(vscode.l10n.t('There is no command in this block.'));
  }
  if (others.length === 0) return only;
  // In a label `$(name)` would be an icon.
  const items = commands.map((command) => ({ label: command.replaceAll('$(', '$ ('), command }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Run in Terminal'),
    placeHolder: vscode.l10n.t('Choose the command to put into the terminal. Nothing runs yet.'),
  });
  return chosen?.command;
}
