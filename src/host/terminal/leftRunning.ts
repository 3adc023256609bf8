import * as vscode from 'vscode';
import type { RunningProcess } from '../../core/terminal/processTree.ts';
import { notify } from '../dialogs.ts';
import type { TerminalProcesses } from '../workspace/platform.ts';

/** Names in the notification; a button needs no more. */
const maxNamed = 3;

/** Tells the person what a command that was stopped left running, and ends it if asked to. */
export async function offerToEnd(
  left: readonly RunningProcess[],
  processes: Pick<TerminalProcesses, 'end'> | undefined,
): Promise<void> {
  const names = left.slice(0, maxNamed).map(({ name }) => name);
  const list = left.length > maxNamed ? `${names.join(', ')}, …` : names.join(', ');
  const end = vscode.l10n.t('End Processes');
  const message = vscode.l10n.t('The stopped command left processes running: {0}', list);
  if ((await notify('warning', message, end)) === end) await processes?.end(left);
}
