import * as vscode from 'vscode';
import type { Disposable } from '../core/support/event.ts';
import { commands } from './contributions.ts';

type CommandName = keyof typeof commands;
type CommandId = (typeof commands)[CommandName];
type Handler = (...given: readonly unknown[]) => unknown;

/** A handler for each contributed command; a missing one does not compile. */
export type CommandHandlers = Readonly<Record<CommandName, Handler>>;

/** Runs a command with its arguments. */
export type RunCommand = (id: CommandId, given: readonly unknown[]) => Promise<unknown>;

/** `aside.ask` is called by other code, which gets its errors. */
const rejecting: readonly CommandId[] = [commands.ask];

/** Registers all commands. */
export function registerCommands(run: RunCommand): Disposable[] {
  return Object.values(commands).map((id) =>
    vscode.commands.registerCommand(id, (...given: unknown[]) => run(id, given)),
  );
}

/** Runs commands by their handlers. Errors are shown, except those of commands for other code. */
export function commandRunner(
  handlers: CommandHandlers,
  showError: (error: unknown, what: string) => Promise<void>,
): RunCommand {
  const byId = new Map<string, Handler>(
    Object.entries(handlers).map(([name, handler]) => [`aside.${name}`, handler]),
  );
  return async (id, given) => {
    try {
      return await byId.get(id)?.(...given);
    } catch (error) {
      if (rejecting.includes(id)) throw error;
      // Not awaited: the command must not run until the person closes the message.
      void showError(error, id);
      return undefined;
    }
  };
}
