import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import { anyEvent, type Disposable } from '../core/support/event.ts';
import { lazy, lazyMethods } from '../core/support/lazy.ts';
import { commands } from '../host/contributions.ts';
import { notify } from '../host/dialogs.ts';
import { BudgetNotices } from '../host/usage/budgetNotices.ts';
import { usageContext } from '../host/usage/statusBar.ts';
import type { Features } from './features.ts';
import type { WindowScope } from './windowScope.ts';

/** Shows budget notices in the window that has the focus. */
export function createBudgetNotices({ window, connection, chats, usage }: WindowScope): Disposable {
  const { context, settings } = window;
  const { ledger, budgets, onDidChange } = usage;
  return new BudgetNotices({
    budgets,
    settings: () => settings.current().budget,
    state: context.globalState,
    isWanted: () => settings.current().notify === 'all' && vscode.window.state.focused,
    isReplying: () => chats.focused.chat.isBusy,
    context: () => usageContext(settings),
    notify: (message, buttons) => notify('information', message, ...buttons),
    run: (action) => vscode.commands.executeCommand(commands[action]),
    onDidChange: anyEvent<unknown>(ledger.onDidChange, settings.onDidChange, onDidChange),
    onDidAlert: connection.service.onDidExceedBudget,
  });
}

/** Offers to explain tasks that fail. The notices are loaded when the first task starts. */
export function watchTasks(
  { window, connection }: WindowScope,
  { terminal }: Features,
): Disposable {
  const { explainTask } = lazyMethods(terminal.load, 'explainTask');
  const notices = lazy(async () =>
    (await import('../host/terminal/windowTasks.ts')).createTaskNotices(window, {
      isModelSelected: () => connection.choice.current().id !== '',
      explain: explainTask,
    }),
  );
  const { started, ended } = lazyMethods(notices.load, 'started', 'ended');
  return vscode.Disposable.from(
    vscode.tasks.onDidStartTaskProcess(({ execution, processId }) =>
      background(started(execution, processId)),
    ),
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) =>
      background(ended(execution, exitCode)),
    ),
  );
}
