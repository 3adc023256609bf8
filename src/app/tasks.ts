import * as vscode from 'vscode';
import { lazy } from '../core/support/async.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable } from '../core/support/event.ts';
import { commands } from '../host/contributions.ts';
import type { Base } from './hostWindow.ts';
import type { ConnectionServices } from './connection.ts';
import type { Features } from './features.ts';
import { notify } from '../host/dialogs.ts';

/** Follows tasks. What tells of one that failed is loaded when the first of them starts. */
export function watchTasks(
  { context, settings, errors }: Base,
  { choice }: ConnectionServices,
  { code }: Features,
): Disposable {
  const onError = (error: unknown): void =>
    background(errors.show(error, commands.explainLastCommand));
  const notices = lazy(async () => {
    const { TaskNotices } = await import('../host/terminal/taskNotices.ts');
    return new TaskNotices({
      state: context.workspaceState,
      isWanted: () =>
        vscode.workspace.isTrusted &&
        settings.current().notify === 'all' &&
        choice.current().id !== '',
      notify: (message, buttons) => notify('information', message, ...buttons),
      explain: async (task) => (await code.load()).explainTask(task),
      onError,
      clock: systemClock,
    });
  });
  const listening = [
    vscode.tasks.onDidStartTaskProcess(async ({ execution, processId }) => {
      (await notices.load()).started(execution, processId);
    }),
    vscode.tasks.onDidEndTaskProcess(async ({ execution, exitCode }) => {
      (await notices.load()).ended(execution, exitCode);
    }),
  ];
  return { dispose: () => disposeAll(listening) };
}
