import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { commands } from '../contributions.ts';
import { notify } from '../dialogs.ts';
import type { HostWindow } from '../workspace/window.ts';
import { TaskNotices, type FailedTask } from './taskNotices.ts';

interface TaskNeeds {
  readonly isModelSelected: () => boolean;
  readonly explain: (task: FailedTask) => Promise<void>;
}

/** Creates the notices about tasks that failed. */
export function createTaskNotices(
  { context, settings, errors }: HostWindow,
  { isModelSelected, explain }: TaskNeeds,
): TaskNotices {
  return new TaskNotices({
    state: context.workspaceState,
    isWanted: () =>
      vscode.workspace.isTrusted && settings.current().notify === 'all' && isModelSelected(),
    notify: (message, buttons) => notify('information', message, ...buttons),
    explain,
    onError: (error) => background(errors.show(error, commands.explainLastCommand)),
    clock: systemClock,
  });
}
