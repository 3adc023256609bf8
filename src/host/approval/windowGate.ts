import * as vscode from 'vscode';
import type { EditorView } from '../../core/approval/addresses.ts';
import { deniedPlaces, RealPlaces } from '../../core/approval/deniedPlaces.ts';
import type { Gate } from '../../core/approval/gate.ts';
import {
  type Grant,
  Grants,
  type GrantStore,
  readGrantRecord,
  storedGrantLifetime,
} from '../../core/approval/grants.ts';
import type { KnownSituation } from '../../core/approval/policy.ts';
import { WorkspaceGate, type WorkspaceGateOptions } from '../../core/approval/workspaceGate.ts';
import { systemClock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, type Event } from '../../core/support/event.ts';
import { workspaceIdentity } from '../../core/files/disk.ts';
import { type Location, segmentsOf, withSegments } from '../../core/files/places.ts';
import type { PathContext } from '../../core/files/resolveTarget.ts';
import type { ListedMemento } from '../platform/memento.ts';
import { openDocument } from '../platform/files.ts';
import {
  isThereAt,
  type Machine,
  toLocation,
  toUri,
  workspaceFolders,
} from '../platform/location.ts';
import { notebookUri, openNotebookAt } from '../platform/notebooks.ts';
import type { DiffViewer, TextViewer } from '../platform/readOnlyDocuments.ts';
import { ApprovalDialog, VscodeApprovalWindow } from './approvalDialog.ts';
import { grantLabel } from './approvalText.ts';
import { PanelDecisions } from './panelDecisions.ts';

interface WindowGateOptions extends Pick<WorkspaceGateOptions, 'onError' | 'isOfSkill'> {
  readonly context: StorageFolders;
  /** `globalState`, which stores the grants of workspaces. */
  readonly state: ListedMemento;
  readonly machine: Machine | undefined;
  readonly version: string;
  readonly diff: DiffViewer;
  readonly documents: TextViewer;
  readonly askAll: () => boolean;
  readonly tainted: (conversation: string | undefined) => boolean;
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
  const { machine, context, diff, documents } = options;
  const decisions = new PanelDecisions();
  const store = grantStore(options.state, () => systemClock.wall());
  const grants = new Grants(store, systemClock, options.version.split('.')[0] ?? '');
  const window = new VscodeApprovalWindow(diff, documents);
  const dialog = new ApprovalDialog(window, runsAs(machine), options.nameOf);
  const situation = situationOf(context, machine);
  const gate = new WorkspaceGate({
    ...options,
    grants,
    situation: (conversation) => ({
      ...situation(),
      askAll: options.askAll(),
      tainted: options.tainted(conversation),
    }),
    view: machine?.view,
    exists: isThereAt,
    editor: editorView,
    approver: {
      panel: (changes, forChat, call, signal) => decisions.wait(call, { changes, forChat }, signal),
      dialog: (request, signal) => dialog.ask(request, signal),
      describe: grantLabel,
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
      describe: grantLabel,
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
export function grantStore(state: ListedMemento, now: () => number): GrantStore {
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
      for (const stored of state.keys().filter((name) => name.startsWith(prefix))) {
        const grant = readGrantRecord(state.get(stored));
        const isOld = grant === undefined || now() - grant.since >= storedGrantLifetime;
        if (isOld) await state.update(stored, undefined);
      }
    },
  };
}

/** The folders in which VS Code stores what belongs to Aside. */
export interface StorageFolders {
  readonly globalStorageUri: vscode.Uri;
  readonly storageUri: vscode.Uri | undefined;
  readonly logUri: vscode.Uri;
}

/**
 * Returns a function that reads the current state of VS Code for the policy. The setting `askAll` and
 * the text in a chat, which only calls of tools depend on, count as harmless.
 */
export function situationOf(
  { globalStorageUri, storageUri, logUri }: StorageFolders,
  machine: Machine | undefined,
): () => KnownSituation & PathContext {
  const others = [storageUri, logUri].map((uri) => uri && toLocation(uri));
  const ours = ownPlaces(toLocation(globalStorageUri), others);
  const denied = deniedPlaces(machine?.homes ?? [], ours);
  return () => ({
    trusted: vscode.workspace.isTrusted,
    askAll: false,
    tainted: false,
    folders: workspaceFolders(),
    platform: machine?.platform ?? 'linux',
    home: machine?.homes.at(-1),
    denied,
  });
}

/** The places that nothing is read from without asking. */
export function deniedPlacesOf(
  context: StorageFolders,
  machine: Machine | undefined,
): () => Promise<readonly Location[]> {
  const situation = situationOf(context, machine);
  const places = new RealPlaces(machine?.view);
  return async () => (await places.find(situation())).denied;
}

/**
 * The storage of Aside, and the user data of this VS Code: settings, secrets, grants and history.
 * @param globalStorage the storage of Aside for all workspaces
 */
export function ownPlaces(
  globalStorage: Location,
  others: readonly (Location | undefined)[],
): readonly Location[] {
  const known = others.filter((location) => location !== undefined);
  // `<user data>/User/globalStorage/<extension>`
  const names = segmentsOf(globalStorage.path);
  const [user, folder] = names.slice(-3);
  const isInUserData = names.length > 3 && user === 'User' && folder === 'globalStorage';
  const userData = isInUserData ? [withSegments(globalStorage, names.slice(0, -3))] : [];
  return [globalStorage, ...userData, ...known];
}
