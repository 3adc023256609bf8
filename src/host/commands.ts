import * as vscode from 'vscode';
import type { Disposable } from '../core/support/disposable.ts';
import type { commands } from './contributions.ts';

/** What runs each contributed command: one that is forgotten does not compile. */
export type CommandHandlers = Readonly<
  Record<keyof typeof commands, (...given: readonly unknown[]) => unknown>
>;

/** Registers all commands. */
export function registerCommands(handlers: CommandHandlers): Disposable[] {
  return Object.entries(handlers).map(([name, handler]) =>
    vscode.commands.registerCommand(`aside.${name}`, handler),
  );
}
