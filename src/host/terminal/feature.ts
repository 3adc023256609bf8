import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { CommandsOf } from '../commands.ts';
import { explainLastCommand, explainTask, explainTerminal } from './explainTerminal.ts';
import type { FailedTask } from './taskNotices.ts';
import { TerminalCommands } from './terminalCommands.ts';

export interface TerminalFeature extends Disposable {
  readonly commands: CommandsOf<'terminal'>;
  /** Commands that ran in terminals since the feature was loaded. */
  readonly history: TerminalCommands;
  explainTask(task: FailedTask): Promise<void>;
}

/** @param ask shows the chat and sends a message there */
export function createTerminal(ask: (message: UserMessage) => Promise<void>): TerminalFeature {
  const commands = new TerminalCommands();
  return {
    commands: {
      explainTerminal: () => explainTerminal({ commands, ask }),
      explainLastCommand: () => explainLastCommand({ commands, ask }),
    },
    history: commands,
    explainTask: (task) => explainTask(task, { commands, ask }),
    dispose: () => commands.dispose(),
  };
}
