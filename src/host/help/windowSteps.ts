import * as vscode from 'vscode';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Event } from '../../core/support/event.ts';
import type { ConnectionState } from '../../protocol/messages.ts';
import type { HostWindow } from '../workspace/window.ts';
import { WalkthroughSteps } from './walkthrough.ts';

interface StepNeeds {
  readonly connection: {
    readonly state: ConnectionState;
    readonly onDidChange: Event<ConnectionState>;
  };
  readonly chats: { readonly onDidChange: Event<{ readonly change: ChatChange }> };
}

/** Completes steps of the walkthrough as the person takes them. */
export function followSteps(
  { context, settings }: HostWindow,
  { connection, chats }: StepNeeds,
): WalkthroughSteps {
  const steps = new WalkthroughSteps({
    setContext: (key, value) =>
      background(vscode.commands.executeCommand('setContext', key, value)),
    state: context.globalState,
    clock: systemClock,
  });
  steps.noteConnection(connection.state);
  steps.noteSettings(settings.current());
  context.subscriptions.push(
    steps,
    connection.onDidChange((state) => steps.noteConnection(state)),
    settings.onDidChange(() => steps.noteSettings(settings.current())),
    // VS Code gives the walkthrough's tab no input.
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      if (opened.some(({ input }) => input === undefined)) steps.noteOpened();
    }),
    chats.onDidChange(({ change }) => {
      if (change.type === 'event') steps.noteEvent(change.event);
    }),
  );
  return steps;
}
