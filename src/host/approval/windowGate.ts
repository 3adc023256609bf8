import * as vscode from 'vscode';
import type { EditorView } from '../../core/approval/addresses.ts';
import type { Gate } from '../../core/approval/gate.ts';
import type { Grant } from '../../core/approval/grantScope.ts';
import {
  Grants,
  readGrantRecord,
  storedGrantLifetime,
  type GrantStore,
} from '../../core/approval/grants.ts';
import { WorkspaceGate, type WorkspaceGateOptions } from '../../core/approval/workspaceGate.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { workspaceIdentity } from '../../core/workspace/disk.ts';
import type { Memento } from '../memento.ts';
import { openDocument } from '../workspace/files.ts';
import { isThereAt, toUri, type Machine } from '../workspace/location.ts';
import { notebookUri } from '../workspace/notebookFiles.ts';
import { openNotebookAt } from '../workspace/notebooks.ts';
import type { DiffViewer, TextViewer } from '../workspace/readOnlyDocuments.ts';
import { ApprovalDialog, askWithDiff, VscodeApprovalWindow } from './approvalDialog.ts';
import { grantLabel } from './approvalText.ts';
import { PanelDecisions } from './panelDecisions.ts';
import { situationOf, type SituationOptions } from './situation.ts';

interface WindowGateOptions
  extends SituationOptions, Pick<WorkspaceGateOptions, 'onError' | 'isOfSkill'> {
  readonly context: SituationOptions['context'] & {
    readonly globalState: Memento & { keys(): readonly string[] };
  };
  readonly version: string;
  readonly clock: Clock;
  readonly diff: DiffViewer;
  readonly documents: TextViewer;
  /** Fires with a chat that was closed or read again, which ends its grants. */
  readonly onDidEndChat: Event<string>;
  /** Fires when the key or the service changes, which ends the grants of all chats. */
  readonly onDidChangeService: Event<unknown>;
  /** Returns the name of the calling chat if there are several; otherwise an empty text. */
  readonly nameOf: (conversation: string | undefined) => string;
}

export interface ManagedGrants {
  list(): Promise<readonly Grant[]>;
  revoke(grant: Grant): Promise<void>;
  describe(grant: Grant): string;
}

export interface WindowGate extends Disposable {
  readonly gate: Gate;
  readonly decisions: PanelDecisions;
  readonly grants: ManagedGrants;
  /** True if a chat has grants, which end when it is read again. */
  readonly hasGrants: (conversation: string) => boolean;
}

/** Creates the gate of this window, with its dialogs and its stored grants. */
export function createWindowGate(options: WindowGateOptions): WindowGate {
  const { clock, machine, context, nameOf } = options;
  const decisions = new PanelDecisions();
  const grants = new Grants({
    store: grantStore(context.globalState, () => clock.wall()),
    clock,
    major: options.version.split('.')[0] ?? '',
  });
  const dialogs = new VscodeApprovalWindow(options.diff, options.documents);
  const dialog = new ApprovalDialog({
    dialogs,
    runsAs: runsAs(machine),
    nameOf,
    takesReason: true,
  });
  const describe = (grant: Grant): string => grantLabel(grant);
  const situation = situationOf(options);
  const gate = new WorkspaceGate({
    ...options,
    grants,
    situation,
    view: machine?.view,
    exists: isThereAt,
    editor: editorView,
    approver: {
      panel: (changes, forChat, call, signal) => decisions.wait(call, { changes, forChat }, signal),
      dialog: (request, signal) => askWithDiff(dialog, options.diff, request, signal),
      describe,
    },
  });
  const workspace = async (): Promise<string> =>
    workspaceIdentity(situation().folders, machine?.view);
  const end = (): void => grants.endAll();
  const subscriptions = [
    options.onDidEndChat((conversation) => grants.endChat(conversation)),
    options.onDidChangeService(end),
    vscode.workspace.onDidChangeWorkspaceFolders(end),
    vscode.workspace.onDidGrantWorkspaceTrust(end),
  ];
  return {
    gate,
    decisions,
    grants: {
      list: async () => grants.list(await workspace()),
      revoke: async (grant) => grants.revoke(grant, await workspace()),
      describe,
    },
    hasGrants: (conversation) => grants.hasOfChat(conversation),
    dispose: () => disposeAll(subscriptions),
  };
}

export function runsAs(machine: Machine | undefined): {
  readonly host: string;
  readonly user: string;
} {
  return machine ?? { host: vscode.env.remoteName ?? 'web', user: '?' };
}

const editorView: EditorView = {
  opens(target, openedAs) {
    const notebook = notebookUri(target);
    if (notebook === undefined) {
      return openedAs === undefined || openDocument(target) !== undefined ? undefined : 'document';
    }
    if (openedAs !== 'editor') return openNotebookAt(notebook) === undefined ? 'cells' : undefined;
    const isVisible = vscode.window.visibleNotebookEditors.some(
      (editor) => editor.notebook.uri.toString() === notebook.toString(),
    );
    return isVisible ? undefined : 'notebook';
  },
  read: async (location) => vscode.workspace.fs.readFile(toUri(location)),
};

const prefix = 'aside.approvals ';

/**
 * Stores the grants of each workspace in VS Code's global state, which no repository and no tool
 * can write, and which isn't synchronized to other machines.
 */
export function grantStore(
  state: Memento & { keys(): readonly string[] },
  now: () => number,
): GrantStore {
  const dropOld = async (): Promise<void> => {
    for (const key of state.keys().filter((name) => name.startsWith(prefix))) {
      const grant = readGrantRecord(state.get(key));
      if (grant === undefined || now() - grant.since >= storedGrantLifetime) {
        await state.update(key, undefined);
      }
    }
  };
  // Quoted, so that no name of a workspace is the beginning of another one's.
  const keyOf = (workspace: string): string => prefix + JSON.stringify(workspace);
  return {
    read(workspace) {
      const start = keyOf(workspace);
      const keys = state.keys().filter((key) => key.startsWith(start));
      return keys.map((key) => state.get(key));
    },
    async write(workspace, key, record) {
      await state.update(`${keyOf(workspace)} ${key}`, record);
      await dropOld();
    },
  };
}
