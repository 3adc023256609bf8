import * as vscode from 'vscode';
import type { Disposable } from '../core/support/event.ts';
import { commands } from './contributions.ts';

type CommandName = keyof typeof commands;
type CommandId = (typeof commands)[CommandName];
type Handler = (...given: readonly unknown[]) => unknown;

/** What runs each contributed command: one that is forgotten does not compile. */
export type CommandHandlers = Readonly<Record<CommandName, Handler>>;

/** Runs a command with what it was given. */
export type RunCommand = (id: CommandId, given: readonly unknown[]) => Promise<unknown>;

/** `aside.ask` is called by other code, which wants to know how it went. */
const rejecting: readonly CommandId[] = [commands.ask];

/** Registers all commands. */
export function registerCommands(run: RunCommand): Disposable[] {
  return Object.values(commands).map((id) =>
    vscode.commands.registerCommand(id, (...given: unknown[]) => run(id, given)),
  );
}

/** Runs commands by their handlers. An error of one that a person runs is shown to that person. */
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
      // Not awaited: a message that nobody answers would keep the command running.
      void showError(error, id);
      return undefined;
    }
  };
}
