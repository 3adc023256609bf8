import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Approved, Gate, PlannedCommand } from '../../core/approval/gate.ts';
import type { Clock } from '../../core/support/clock.ts';
import { masksIn } from '../../core/support/secretTokens.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { followCommand } from '../../core/terminal/followCommand.ts';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import { commandRefusal } from '../../core/terminal/shellCommands.ts';
import { defineTool, type Tool, type ToolContext } from '../../core/tools/tool.ts';
import type { Target } from '../../core/workspace/places.ts';
import type { StartCommand } from '../terminal/commandTerminals.ts';
import { toUri } from '../workspace/location.ts';

export interface RunCommandOptions {
  readonly gate: Gate;
  readonly terminals: StartCommand;
  readonly clock: Clock;
  /** Tells the person which processes the command of a call left running. */
  readonly onLeftRunning: (
    call: Pick<ToolContext, 'turn' | 'call'>,
    processes: readonly RunningProcess[],
  ) => void;
}

const schema = z.strictObject({
  command: z.string().check(z.maxLength(20_000)),
  folder: z.optional(z.string()),
  background: z.optional(z.boolean().check(z.describe('For servers: leaves it running'))),
  seconds: z.optional(z.number().check(z.minimum(1), z.maximum(86_400), z.describe('Time limit'))),
});
type Args = z.infer<typeof schema>;

/** `run_command`: runs a command in the person's terminal after approval of its exact text. */
export function runCommandTool(options: RunCommandOptions): Tool {
  return defineTool({
    name: 'run_command',
    category: 'run',
    icon: 'terminal',
    label: vscode.l10n.t('Run Command'),
    summary: { many: vscode.l10n.t('Run {0} commands') },
    description: 'Runs a shell command after approval. Returns exit code and output.',
    schema,
    title({ command, background }) {
      const [line = '', ...more] = command.trim().split(/\r?\n/);
      const summary = more.length === 0 ? line : `${line} …`;
      return background === true
        ? vscode.l10n.t('Run {0} in the background', summary)
        : vscode.l10n.t('Run {0}', summary);
    },
    run: (args, context) => run(args, options, context),
  });
}

async function run(args: Args, options: RunCommandOptions, context: ToolContext): Promise<string> {
  const { gate, terminals } = options;
  // Trimmed before approval, so that the approved text is exactly what the terminal gets.
  const command = args.command.replaceAll('\r\n', '\n').replace(/^\n+|\n+$/g, '');
  const { shell } = terminals;
  const refusal = commandRefusal(command, shell);
  if (refusal !== undefined) throw new ToolError(refusal);
  if (masksIn(command).length > 0) {
    throw new ToolError('A mask stands for a secret that you cannot use in a command.');
  }
  return gate.run({ command, folder: args.folder ?? '', shell }, context, (approved) =>
    start(approved, args, options, context),
  );
}

async function start(
  { value }: Approved<PlannedCommand & { readonly cwd: Target }>,
  { background = false, seconds }: Args,
  { terminals, clock, onLeftRunning }: RunCommandOptions,
  context: ToolContext,
): Promise<string> {
  const { command, cwd, shell } = value;
  if (cwd.location.scheme !== 'file') {
    throw new ToolError('Commands cannot run here.');
  }
  if (shell !== terminals.shell)
    throw new ToolError('The shell changed in the meantime.', 'denied');
  const folder = toUri(cwd.location);
  const running = await terminals.start(command, { folder, shell }, context.signal);
  const limit = seconds === undefined ? undefined : seconds * 1000;
  return followCommand(running, {
    clock,
    context,
    background,
    limit,
    onLeftRunning: (processes) => onLeftRunning(context, processes),
  });
}
