import * as vscode from 'vscode';
import { codeCommandOffers, type CodeCommandName } from '../core/code/codeCommands.ts';
import type { Disposable } from '../core/support/event.ts';
import { codeCommandId, commandIds, commands, type CommandId } from './contributions.ts';

type CommandName = keyof typeof commands;
type Handler = (...given: readonly unknown[]) => unknown;

/** What runs each command that is not on code: one that is forgotten does not compile. */
export type CommandHandlers = Readonly<Record<CommandName, Handler>>;

/** Runs a command with what it was given. */
export type RunCommand = (id: CommandId, given: readonly unknown[]) => Promise<unknown>;

/** Registers all commands. */
export function registerCommands(run: RunCommand): Disposable[] {
  return commandIds().map((id) =>
    vscode.commands.registerCommand(id, (...given: unknown[]) => run(id, given)),
  );
}

/**
 * Runs commands by their handlers, and those on code by what they declare. An error of one that a
 * person runs is shown to that person.
 */
export function commandRunner(
  handlers: CommandHandlers,
  runOnCode: (name: CodeCommandName, given: unknown) => Promise<void>,
  showError: (error: unknown, what: string) => Promise<void>,
): RunCommand {
  const byId = new Map<string, Handler>(
    Object.entries(handlers).map(([name, handler]) => [`aside.${name}`, handler]),
  );
  for (const { name } of codeCommandOffers) {
    byId.set(codeCommandId(name), (given) => runOnCode(name, given));
  }
  return async (id, given) => {
    try {
      return await byId.get(id)?.(...given);
    } catch (error) {
      // Other code calls it, and wants to know how it went.
      if (id === commands.ask) throw error;
      // Not awaited: a message that nobody answers would keep the command running.
      void showError(error, id);
      return undefined;
    }
  };
}
