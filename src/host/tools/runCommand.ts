import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Gate } from '../../core/approval/gate.ts';
import { systemClock } from '../../core/support/clock.ts';
import { masksIn } from '../../core/support/secretTokens.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { followCommand } from '../../core/tools/followCommand.ts';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import { commandRefusal } from '../../core/tools/shellCommands.ts';
import { defineTool, type Tool, type ToolContext } from '../../core/tools/tool.ts';
import type { WorkspaceFolder } from '../../core/files/places.ts';
import type { CommandTerminals } from './commandTerminals.ts';
import { toUri, workspaceFolders } from '../platform/location.ts';

const schema = z.strictObject({
  command: z.string().check(z.maxLength(20_000)),
  folder: z.optional(z.string()),
  background: z.optional(z.boolean().check(z.describe('For servers: leaves it running'))),
  seconds: z.optional(z.number().check(z.minimum(1), z.maximum(86_400), z.describe('Time limit'))),
});

/**
 * `run_command`: runs a command in the person's terminal after approval of its exact text.
 *
 * @param terminals undefined without Node
 * @param onLeftRunning tells the person which processes the command of a call left running
 */
export function runCommandTool(
  gate: Gate,
  terminals: CommandTerminals | undefined,
  onLeftRunning: (context: ToolContext, processes: readonly RunningProcess[]) => void,
): Tool {
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
    problem: () => commandsProblem(terminals !== undefined, workspaceFolders()),
    async run({ command: written, folder: path = '', background = false, seconds }, context) {
      if (terminals === undefined) throw new ToolError('Commands cannot run here.');
      // Trimmed before approval, so that the approved text is exactly what the terminal gets.
      const command = written.replaceAll('\r\n', '\n').replace(/^\n+|\n+$/g, '');
      const { shell } = terminals;
      const refusal = commandRefusal(command, shell);
      if (refusal !== undefined) throw new ToolError(refusal);
      if (masksIn(command).length > 0)
        throw new ToolError('A mask stands for a secret that you cannot use in a command.');
      return gate.run({ command, folder: path, shell }, context, async ({ value }) => {
        if (value.cwd.location.scheme !== 'file') throw new ToolError('Commands cannot run here.');
        if (value.shell !== terminals.shell)
          throw new ToolError('The shell changed in the meantime.', 'denied');
        const folder = toUri(value.cwd.location);
        const running = await terminals.start(value.command, folder, value.shell, context.signal);
        return followCommand(running, {
          clock: systemClock,
          context,
          background,
          limit: seconds === undefined ? undefined : seconds * 1000,
          onLeftRunning: (processes) => onLeftRunning(context, processes),
        });
      });
    },
  });
}

/**
 * The reason why commands can't run in this window; undefined if they can. They run in folders on
 * the disk, whose links Aside follows before it asks.
 */
export function commandsProblem(
  hasNode: boolean,
  folders: readonly WorkspaceFolder[],
): string | undefined {
  if (!hasNode) return vscode.l10n.t('Commands need VS Code on the desktop or in a remote window.');
  const isVirtual =
    folders.length > 0 && folders.every(({ location }) => location.scheme !== 'file');
  return isVirtual
    ? vscode.l10n.t('Commands need a folder on a disk, not a virtual workspace.')
    : undefined;
}
