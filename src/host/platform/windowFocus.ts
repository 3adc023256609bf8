import * as vscode from 'vscode';
import type { Event } from '../../core/support/event.ts';

/** Whether VS Code's window has the focus of the machine. */
export interface WindowFocus {
  isFocused(): boolean;
  readonly onDidChange: Event<unknown>;
}

export const windowFocus: WindowFocus = {
  isFocused: () => vscode.window.state.focused,
  onDidChange: (listener) => vscode.window.onDidChangeWindowState(listener),
};
