import * as vscode from 'vscode';
import { codeCommandOffers, type CodeCommandName } from '../../core/code/codeCommands.ts';
import { background } from '../../core/support/background.ts';
import { type Disposable, disposeAll, type Event } from '../../core/support/event.ts';
import {
  codeCommandId,
  commandIds,
  commands,
  titleCommandId,
  titleCommands,
  type CommandId,
  contextKeys,
} from '../contributions.ts';
import type { InstructionBox } from './instructionBox.ts';
import { lastTurn, type Conversation } from '../../core/conversation/conversation.ts';

/** A handler for each command except those on code; a missing one doesn't compile. */
export type CommandHandlers = Readonly<
  Record<keyof typeof commands, (...args: readonly unknown[]) => unknown>
>;

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

export function registerCommands(run: RunCommand): Disposable[] {
  return commandIds().map((id) =>
    vscode.commands.registerCommand(id, (...args: unknown[]) => run(id, args)),
  );
}

export function registerTitleCommands(run: (id: CommandId) => Promise<unknown>): Disposable[] {
  return titleCommands.map((name) =>
    vscode.commands.registerCommand(titleCommandId(name), () => run(commands[name])),
  );
}

/**
 * Runs commands by their handlers, and those on code by their declarations. Shows errors, except
 * those of commands that return a result to other code.
 *
 * @param onWillRun called before each command, with its id
 */
export function commandRunner(
  handlers: CommandHandlers,
  runOnCode: RunOnCode,
  showError: (error: unknown, what: string) => Promise<void>,
  onWillRun: (id: CommandId) => void,
): RunCommand {
  const handlersById = new Map(
    Object.entries(handlers).map(([name, handler]) => [`aside.${name}`, handler]),
  );
  return async (id, args, opened) => {
    try {
      onWillRun(id);
      const onCode = codeCommandOffers.find(({ name }) => codeCommandId(name) === id);
      if (onCode === undefined) return await handlersById.get(id)?.(...args);
      await runOnCode(onCode.name, args[0], opened);
      return undefined;
    } catch (error) {
      // It is called by other code, which handles the error itself.
      if (id === commands.ask) throw error;
      // The message isn't awaited: the command must not run until the person closes it.
      background(showError(error, id));
      return undefined;
    }
  };
}

type ContextKey = (typeof contextKeys)[keyof typeof contextKeys];

/** Sets context keys of VS Code, each only when its value changes. */
export class ContextFlags {
  readonly #values = new Map<ContextKey, boolean>();

  set(key: ContextKey, value: boolean): void {
    if (this.#values.get(key) === value) return;
    this.#values.set(key, value);
    background(vscode.commands.executeCommand('setContext', key, value));
  }
}

interface WindowChats {
  readonly all: readonly { readonly isBusy: boolean }[];
  readonly focused: {
    readonly isRunning: boolean;
    readonly conversation: Conversation;
  };
  readonly onDidChange: Event<unknown>;
  readonly onDidShow: Event<unknown>;
}

/** Sets context keys, so that the Command Palette lists only commands that can act on something. */
export class CommandContext implements Disposable {
  readonly #flags = new ContextFlags();
  readonly #listening: readonly Disposable[];

  /** @param running the requests outside chats */
  constructor(
    chats: WindowChats,
    running: { readonly isEmpty: boolean; readonly onDidChange: Event<unknown> },
  ) {
    const update = (): void => {
      const { conversation, isRunning } = chats.focused;
      const isAnyBusy = !running.isEmpty || chats.all.some(({ isBusy }) => isBusy);
      this.#flags.set(contextKeys.running, isRunning);
      this.#flags.set(contextKeys.hasChat, lastTurn(conversation) !== undefined);
      this.#flags.set(contextKeys.requestsRunning, isAnyBusy);
    };
    this.#listening = [
      chats.onDidChange(update),
      chats.onDidShow(update),
      running.onDidChange(update),
    ];
    update();
  }

  dispose(): void {
    disposeAll(this.#listening);
  }
}
