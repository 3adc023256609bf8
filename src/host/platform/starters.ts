import * as vscode from 'vscode';
import { anyEvent, type Event } from '../../core/support/event.ts';
import type { StarterFacts } from '../../protocol/messages.ts';
import { hasKnownChanges } from './git.ts';
import { labelFor, fileOf } from './location.ts';

/** Subjects in the window for the first message of a chat, with an event for their changes. */
export interface StarterSource {
  current(): StarterFacts;
  readonly onDidChange: Event<unknown>;
}

/** Finds subjects; none in an untrusted workspace, which the model can't read. */
export function findStarters(): StarterSource {
  const { workspace } = vscode;
  return {
    current() {
      if (!workspace.isTrusted || (workspace.workspaceFolders ?? []).length === 0) return {};
      const file = openFile();
      return {
        hasFolder: true,
        ...(hasKnownChanges() ? { hasChanges: true } : {}),
        ...(file === undefined ? {} : { file }),
      };
    },
    onDidChange: anyEvent<unknown>(
      vscode.window.onDidChangeActiveTextEditor,
      workspace.onDidSaveTextDocument,
      workspace.onDidChangeWorkspaceFolders,
      workspace.onDidGrantWorkspaceTrust,
    ),
  };
}

/** The path of the file in the active editor. Files with a dot in front often hold settings and keys. */
function openFile(): string | undefined {
  const { activeTextEditor } = vscode.window;
  if (activeTextEditor === undefined) return undefined;
  const uri = fileOf(activeTextEditor.document.uri);
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return undefined;
  const label = labelFor(uri);
  return /(?:^|\/)\.[^/]*$/.test(label) ? undefined : label;
}
