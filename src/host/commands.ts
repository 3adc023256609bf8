import * as vscode from 'vscode';
import { codeCommandOffers, type CodeCommandName } from '../core/code/codeCommands.ts';
import { background } from '../core/support/background.ts';
import type { Disposable } from '../core/support/event.ts';
import type { InstructionBox } from './instructionBox.ts';
import {
  codeCommandId,
  commandIds,
  commands,
  featureCommands,
  titleCommandId,
  titleCommands,
  type CommandId,
} from './contributions.ts';

type Handler = (...args: readonly unknown[]) => unknown;

type CommandFeature = keyof typeof featureCommands;

/** The handlers of a feature's commands; a missing one does not compile. */
export type CommandsOf<Feature extends CommandFeature> = Readonly<
  Record<keyof (typeof featureCommands)[Feature], Handler>
>;

/** The handlers of all commands except those on code. Features are loaded on first use. */
type FeatureCommands = {
  readonly [Feature in CommandFeature]: () => CommandsOf<Feature> | Promise<CommandsOf<Feature>>;
};

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

interface CommandRunnerOptions {
  readonly features: FeatureCommands;
  readonly runOnCode: RunOnCode;
  readonly showError: (error: unknown, what: string) => Promise<void>;
  readonly onWillRun: (id: string) => void;
}

/**
 * Runs commands by the handlers of their features, and code commands by their declarations. Shows
 * errors, except those of commands that return a result to other code.
 */
export function commandRunner(options: CommandRunnerOptions): RunCommand {
  const { features, runOnCode, showError, onWillRun } = options;
  return async (id, args, opened) => {
    try {
      const onCode = codeCommandOffers.find(({ name }) => codeCommandId(name) === id);
      onWillRun(id);
      if (onCode === undefined) return await runOfFeature(id, args, features);
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

type Handlers = Readonly<Record<string, Handler>>;

/** Runs the command of a feature that is never loaded separately. */
function runOfFeature(id: CommandId, args: readonly unknown[], features: FeatureCommands): unknown {
  const loaders = new Map<string, () => Handlers | Promise<Handlers>>(Object.entries(features));
  const name = id.slice(id.indexOf('.') + 1);
  const [feature = ''] = Object.entries(featureCommands).find(([, ids]) => name in ids) ?? [];
  const handlers = loaders.get(feature)?.();
  return handlers instanceof Promise
    ? handlers.then((loaded) => loaded[name]?.(...args))
    : handlers?.[name]?.(...args);
}
