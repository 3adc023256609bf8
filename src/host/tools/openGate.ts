import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import type { Event } from '../../core/support/emitter.ts';
import type { Gate } from '../../core/tools/gate.ts';
import type { Grant } from '../../core/tools/grantScope.ts';
import { Grants } from '../../core/tools/grants.ts';
import { WorkspaceGate, type GateNeeds } from '../../core/tools/workspaceGate.ts';
import { workspaceIdentity } from '../../core/tools/workspaceIdentity.ts';
import type { Memento } from '../memento.ts';
import { ApprovalDialog } from './approvalDialog.ts';
import { VscodeApprovalWindow, type ShowDiff } from './approvalWindow.ts';
import { grantStore } from './grantStore.ts';
import { grantWords } from './grantWords.ts';
import type { Machine } from './machine.ts';
import { PanelDecisions } from './panelDecisions.ts';
import { situationOf, type SituationNeeds } from './situation.ts';

export interface OpenGateNeeds
  extends SituationNeeds, Pick<GateNeeds, 'addsRemoteReference' | 'countChangedLines' | 'onError'> {
  readonly context: SituationNeeds['context'] & {
    readonly globalState: Memento & { keys(): readonly string[] };
  };
  readonly version: string;
  readonly clock: Clock;
  readonly diff: ShowDiff;
  /** Another chat, key or service: what was allowed in the chat ends. */
  readonly chatEnds: Event<unknown>;
}

/** What the person allowed, for them to look through. */
export interface ManagedGrants {
  readonly onDidChange: Event<unknown>;
  list(): Promise<readonly Grant[]>;
  revoke(grant: Grant): Promise<void>;
  /** Names a grant, in words for the person. */
  describe(grant: Grant): string;
}

export interface OpenGate extends Disposable {
  readonly gate: Gate;
  readonly decisions: PanelDecisions;
  readonly grants: ManagedGrants;
}

/** Makes the gate of this window, with all that it asks and remembers. */
export function openGate(needs: OpenGateNeeds): OpenGate {
  const { clock, machine, context } = needs;
  const decisions = new PanelDecisions();
  const grants = new Grants({
    store: grantStore(context.globalState, () => clock.wall()),
    clock,
    major: needs.version.split('.')[0] ?? '',
    newId: () => crypto.randomUUID(),
  });
  const dialogs = new VscodeApprovalWindow(needs.diff);
  const dialog = new ApprovalDialog({ dialogs, runsAs: runsAs(machine), clock, l10n: vscode.l10n });
  const describe = (grant: Grant): string => grantWords(grant, vscode.l10n);
  const situation = situationOf(needs);
  const gate = new WorkspaceGate({
    ...needs,
    grants,
    situation,
    view: machine?.view,
    approver: {
      panel: (changes, forChat, call, signal) => decisions.wait(call, { changes, forChat }, signal),
      dialog: (question, signal) => dialog.ask(question, signal),
      describe,
    },
  });
  const workspace = async (): Promise<string> =>
    workspaceIdentity(situation().folders, machine?.view);
  const end = (): void => grants.endChat();
  const subscriptions = [
    dialogs,
    needs.chatEnds(end),
    vscode.workspace.onDidChangeWorkspaceFolders(end),
    vscode.workspace.onDidGrantWorkspaceTrust(end),
  ];
  return {
    gate,
    decisions,
    grants: {
      onDidChange: grants.onDidChange,
      list: async () => grants.list(await workspace()),
      revoke: async (grant) => grants.revoke(grant, await workspace()),
      describe,
    },
    dispose: () => disposeAll(subscriptions),
  };
}

function runsAs(machine: Machine | undefined): { readonly host: string; readonly user: string } {
  return machine ?? { host: vscode.env.remoteName ?? 'web', user: '?' };
}
