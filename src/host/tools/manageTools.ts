import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import type { ManagedGrants } from '../approval/windowGate.ts';
import type { Skills } from '../context/skills.ts';
import type { EnabledTools } from './enabledTools.ts';
import { listExternalTools, tooLargeTools } from './externalTools.ts';
import {
  manageLines,
  type ManagedItem,
  type ManageLine,
  type OwnTool,
  type UnavailableTool,
} from './manageItems.ts';
import { notify, answerOf } from '../dialogs.ts';

interface ManageToolsOptions {
  readonly enabledTools: EnabledTools;
  readonly available: readonly OwnTool[];
  readonly unavailable: readonly UnavailableTool[];
  readonly grants: ManagedGrants;
  readonly skills: Skills;
  readonly tokensOf: (characters: number) => number;
}

interface Item extends vscode.QuickPickItem {
  /** Undefined for a heading. */
  readonly thing?: ManagedItem;
}

/** `aside.manageTools`: selects the tools that the model may use, and lists approvals. */
export async function manageTools(options: ManageToolsOptions): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    // No tool runs in an untrusted workspace, so there is nothing to select.
    const manage = vscode.l10n.t('Manage Workspace Trust');
    const message = vscode.l10n.t('Trust this workspace to use tools.');
    const chosen = await notify('information', message, manage);
    if (chosen === manage) await vscode.commands.executeCommand('workbench.trust.manage');
    return;
  }
  const pick = new ManageQuickPick(options);
  await pick.show();
}

/** The quick pick. Checkboxes take effect on OK; revoking an approval takes effect immediately. */
class ManageQuickPick {
  readonly #options: ManageToolsOptions;
  readonly #pick = vscode.window.createQuickPick<Item>();
  readonly #revoke: vscode.QuickInputButton;

  constructor(options: ManageToolsOptions) {
    this.#options = options;
    this.#revoke = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Revoke') };
    this.#pick.title = vscode.l10n.t('Manage Tools');
    this.#pick.placeholder = vscode.l10n.t('Select the tools the model can use');
    this.#pick.canSelectMany = true;
    this.#pick.matchOnDescription = true;
    this.#pick.matchOnDetail = true;
    this.#pick.keepScrollPosition = true;
  }

  /** Resolves when it is closed and the selection is stored. */
  async show(): Promise<void> {
    this.#pick.busy = true;
    this.#pick.show();
    const accepted = answerOf<[all: readonly Item[], selected: readonly Item[]]>(
      this.#pick,
      (answer) => [
        this.#pick.onDidAccept(() => answer([this.#pick.items, this.#pick.selectedItems])),
        this.#pick.onDidTriggerItemButton(({ item }) => background(this.#revokeItem(item))),
      ],
    );
    await this.#refreshItems();
    this.#pick.busy = false;
    const choice = await accepted;
    if (choice === undefined) return;
    const { enabledTools, grants, skills } = this.#options;
    const [all, selected] = choice;
    const listed = all.flatMap(({ thing }) => thing ?? []);
    const picked = selected.flatMap(({ thing }) => thing ?? []);
    await enabledTools.setOwnEnabled(namesOf(listed), namesOf(picked));
    await enabledTools.setExternalEnabled(identitiesOf(listed), identitiesOf(picked));
    for (const thing of listed) {
      const isPicked = picked.includes(thing);
      if (thing.type === 'grant' && !isPicked) await grants.revoke(thing.grant);
      if (thing.type === 'skill' && isPicked !== (thing.skill.isAllowed === true))
        await skills.decide([thing.skill], isPicked);
    }
  }

  async #refreshItems(): Promise<void> {
    const { enabledTools, available, unavailable, grants, skills, tokensOf } = this.#options;
    const content = {
      available: available.map(({ label, definition }) => {
        const isUsed = enabledTools.isOwnEnabled(definition.function.name);
        return { label, definition, isUsed };
      }),
      unavailable,
      skills: await skills.read(),
      external: await listExternalTools(enabledTools),
      tooLarge: tooLargeTools(),
      grants: await grants.list(),
      describe: (grant: Parameters<ManagedGrants['describe']>[0]) => grants.describe(grant),
      tokensOf,
      language: vscode.env.language,
    };
    const lines = manageLines(content);
    this.#pick.items = lines.map((line) => this.#item(line));
    this.#pick.selectedItems = this.#pick.items.filter((_, index) => isPicked(lines[index]));
  }

  #item(line: ManageLine): Item {
    if ('heading' in line) {
      return { label: line.heading, kind: vscode.QuickPickItemKind.Separator };
    }
    const { label, description, detail, thing } = line;
    return {
      label,
      description,
      thing,
      ...(detail === undefined ? {} : { detail }),
      buttons: thing.type === 'grant' ? [this.#revoke] : [],
    };
  }

  async #revokeItem({ thing }: Item): Promise<void> {
    if (thing?.type !== 'grant') return;
    await this.#options.grants.revoke(thing.grant);
    const isOther = (item: Item): boolean => item.thing !== thing;
    const selected = this.#pick.selectedItems.filter(isOther);
    this.#pick.items = this.#pick.items.filter(isOther);
    this.#pick.selectedItems = selected;
  }
}

function isPicked(line: ManageLine | undefined): boolean {
  return line !== undefined && 'thing' in line && line.isPicked;
}

function namesOf(things: readonly ManagedItem[]): readonly string[] {
  return things.flatMap((thing) => (thing.type === 'own' ? thing.name : []));
}

function identitiesOf(things: readonly ManagedItem[]): readonly string[] {
  return things.flatMap((thing) => (thing.type === 'external' ? thing.identity : []));
}
