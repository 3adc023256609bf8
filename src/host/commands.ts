import * as vscode from 'vscode';
import type { Disposable } from '../core/support/disposable.ts';
import type { commands } from './contributions.ts';

type CommandName = keyof typeof commands;

/** What runs each contributed command: one that is forgotten does not compile. */
export type CommandHandlers = Readonly<
  Record<CommandName, (...given: readonly unknown[]) => unknown>
>;

/** `aside.ask` is called by other code, which wants to know how it went. */
const rejecting = new Set<string>(['ask'] satisfies CommandName[]);

/** Registers all commands. An error of one that a person runs is shown to that person. */
export function registerCommands(
  handlers: CommandHandlers,
  showError: (error: unknown, what: string) => Promise<void>,
): Disposable[] {
  return Object.entries(handlers).map(([name, handler]) =>
    vscode.commands.registerCommand(`aside.${name}`, async (...given: unknown[]) => {
      try {
        return await handler(...given);
      } catch (error) {
        if (rejecting.has(name)) throw error;
        // Not awaited: a message that nobody answers would keep the command running.
        void showError(error, `aside.${name}`);
        return undefined;
      }
    }),
  );
}
