import * as vscode from 'vscode';
import { codeCommandOffers, type CodeCommandName } from '../core/code/codeCommands.ts';
import { background } from '../core/support/background.ts';
import type { Disposable } from '../core/support/event.ts';
import type { InstructionBox } from './instructionBox.ts';
import {
  codeCommandId,
  commandIds,
  commands,
  titleCommandId,
  titleCommands,
  type CommandId,
} from './contributions.ts';

type CommandName = keyof typeof commands;
type Handler = (...args: readonly unknown[]) => unknown;

/** A handler for each contributed command that is not on code; a missing one does not compile. */
export type CommandHandlers = Readonly<Record<CommandName, Handler>>;

/** Runs a command with its arguments. The box of **Edit…** may be open already. */
export type RunCommand = (
  id: CommandId,
  args: readonly unknown[],
  opened?: InstructionBox,
) => Promise<unknown>;

type RunOnCode = (
  name: CodeCommandName,
  argument: unknown,
  opened?: InstructionBox,
) => Promise<void>;

/** Registers all commands. */
export function registerCommands(run: RunCommand): Disposable[] {
  return commandIds().map((id) =>
    vscode.commands.registerCommand(id, (...args: unknown[]) => run(id, args)),
  );
}

/** Registers the commands in the title of the view. */
export function registerTitleCommands(run: (id: CommandId) => Promise<unknown>): Disposable[] {
  return titleCommands.map((name) =>
    vscode.commands.registerCommand(titleCommandId(name), () => run(commands[name])),
  );
}

/**
 * Runs commands by their handlers, and code commands by their declarations. Errors are shown to the
 * person, except those of commands for other code.
 */
export function commandRunner(
  handlers: CommandHandlers,
  runOnCode: RunOnCode,
  showError: (error: unknown, what: string) => Promise<void>,
  onWillRun: (id: string) => void,
): RunCommand {
  const byId = new Map<string, Handler>(
    Object.entries(handlers).map(([name, handler]) => [`aside.${name}`, handler]),
  );
  return async (id, args, opened) => {
    try {
      const onCode = codeCommandOffers.find(({ name }) => codeCommandId(name) === id);
      onWillRun(id);
      if (onCode === undefined) return await byId.get(id)?.(...args);
      await runOnCode(onCode.name, args[0], opened);
      return undefined;
    } catch (error) {
      // These are called by other code, which handles the error itself.
      if (id === commands.ask || (id === commands.compare && args.length > 0)) throw error;
      // The message isn't awaited: the command must not run until the person closes it.
      background(showError(error, id));
      return undefined;
    }
  };
}
