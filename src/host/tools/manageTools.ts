import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { ManagedGrants } from '../approval/openGate.ts';
import type { TickedTools } from './enabledTools.ts';
import { listForeignTools } from './externalTools.ts';
import { manageLines, type ManagedThing, type ManageLine } from './manageItems.ts';

interface ManageToolsNeeds {
  readonly ticked: TickedTools;
  /** Aside's tools here, used or not. */
  readonly own: () => readonly ToolDefinition[];
  readonly grants: ManagedGrants;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
}

interface Item extends vscode.QuickPickItem {
  /** Absent for a heading. */
  readonly thing?: ManagedThing;
}

/** One showing of the list. Ticks count when the person says OK, a revoked approval at once. */
class ManageQuickPick {
  readonly #needs: ManageToolsNeeds;
  readonly #pick = vscode.window.createQuickPick<Item>();
  readonly #revoke: vscode.QuickInputButton;

  constructor(needs: ManageToolsNeeds) {
    this.#needs = needs;
    this.#revoke = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Revoke') };
    this.#pick.title = vscode.l10n.t('Manage Tools');
    this.#pick.placeholder = vscode.l10n.t('Tick what the model may use');
    this.#pick.canSelectMany = true;
    this.#pick.matchOnDetail = true;
    this.#pick.keepScrollPosition = true;
  }

  /** Resolves when it is closed and what was chosen is kept. */
  async show(): Promise<void> {
    this.#pick.busy = true;
    this.#pick.show();
    const isAccepted = this.#closed();
    await this.#draw();
    this.#pick.busy = false;
    const chosen = await isAccepted;
    if (chosen !== undefined) await this.#keep(chosen);
  }

  /** What was ticked and what there was, or undefined where the person left. */
  #closed(): Promise<Choice | undefined> {
    return new Promise((resolve) => {
      const disposables: Disposable[] = [
        this.#pick,
        this.#pick.onDidAccept(() => {
          resolve(choiceOf(this.#pick.items, this.#pick.selectedItems));
          this.#pick.hide();
        }),
        this.#pick.onDidTriggerItemButton(({ item }) => void this.#revokeItem(item)),
        this.#pick.onDidHide(() => {
          resolve(undefined);
          disposeAll(disposables);
        }),
      ];
    });
  }

  async #draw(): Promise<void> {
    const { ticked, own, grants, tokensOf } = this.#needs;
    const content = {
      own: own().map((definition) => {
        return { definition, isUsed: ticked.isUsed(definition.function.name) };
      }),
      foreign: await listForeignTools(ticked),
      grants: await grants.list(),
      describe: (grant: Parameters<ManagedGrants['describe']>[0]) => grants.describe(grant),
      tokensOf,
      language: vscode.env.language,
    };
    const lines = manageLines(content, vscode.l10n);
    this.#pick.items = lines.map((line) => this.#item(line));
    this.#pick.selectedItems = this.#pick.items.filter((_, index) => isTicked(lines[index]));
  }

  #item(line: ManageLine): Item {
    if ('heading' in line) {
      return { label: line.heading, kind: vscode.QuickPickItemKind.Separator };
    }
    const { label, description, detail, thing } = line;
    return {
      ...{ label, description, thing },
      ...(detail === undefined ? {} : { detail }),
      buttons: thing.type === 'grant' ? [this.#revoke] : [],
    };
  }

  async #revokeItem({ thing }: Item): Promise<void> {
    if (thing?.type !== 'grant') return;
    await this.#needs.grants.revoke(thing.grant);
    const isOther = (item: Item): boolean => item.thing !== thing;
    const selected = this.#pick.selectedItems.filter(isOther);
    this.#pick.items = this.#pick.items.filter(isOther);
    this.#pick.selectedItems = selected;
  }

  async #keep({ shown, picked }: Choice): Promise<void> {
    const { ticked, grants } = this.#needs;
    await ticked.setUsed(namesOf(shown), namesOf(picked));
    await ticked.setTicked(identitiesOf(shown), identitiesOf(picked));
    for (const thing of shown) {
      if (thing.type === 'grant' && !picked.includes(thing)) await grants.revoke(thing.grant);
    }
  }
}

interface Choice {
  readonly shown: readonly ManagedThing[];
  readonly picked: readonly ManagedThing[];
}

function choiceOf(items: readonly Item[], selected: readonly Item[]): Choice {
  const things = (of: readonly Item[]): readonly ManagedThing[] =>
    of.flatMap(({ thing }) => thing ?? []);
  return { shown: things(items), picked: things(selected) };
}

function isTicked(line: ManageLine | undefined): boolean {
  return line !== undefined && 'thing' in line && line.isTicked;
}

function namesOf(things: readonly ManagedThing[]): readonly string[] {
  return things.flatMap((thing) => (thing.type === 'own' ? thing.name : []));
}

function identitiesOf(things: readonly ManagedThing[]): readonly string[] {
  return things.flatMap((thing) => (thing.type === 'foreign' ? thing.identity : []));
}

/** `aside.manageTools`: which tools the model may use, and what is approved. */
export async function manageTools(needs: ManageToolsNeeds): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await offerTrust();
    return;
  }
  const pick = new ManageQuickPick(needs);
  await pick.show();
}

/** In a workspace that nobody trusts no tool runs, so there is nothing to choose. */
async function offerTrust(): Promise<void> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  const message = vscode.l10n.t('Trust this workspace to use tools.');
  const answer = await vscode.window.showInformationMessage(message, manage);
  if (answer === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}
