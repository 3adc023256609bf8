import * as vscode from 'vscode';
import type { Grant } from '../../core/approval/grants.ts';
import { formatTokens, shownCount } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { oneLine } from '../../core/support/text.ts';
import { externalToolDefinition } from '../../core/tools/externalTool.ts';
import { maxExternalTools } from '../../core/tools/findTools.ts';
import type { Tool, ToolDefinition } from '../../core/tools/tool.ts';
import { mostListedSkills } from '../../core/turn/instructionScope.ts';
import type { ManagedGrants } from '../approval/windowGate.ts';
import { isListedSkill, type Skill, type Skills } from '../context/skills.ts';
import { notify, answerOf } from '../platform/dialogs.ts';
import type { EnabledTools } from './enabledTools.ts';
import { listExternalTools, tooLargeTools, type ListedExternalTool } from './externalTools.ts';
import { findToolsTool } from './findTools.ts';

/** What the person manages: tools, skills and approvals. */
interface Managed {
  /** The built-in tools. */
  readonly tools: readonly Tool[];
  readonly enabledTools: EnabledTools;
  readonly grants: ManagedGrants;
  readonly skills: Skills;
  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
}

interface Item extends vscode.QuickPickItem {
  /** Undefined for a heading. */
  readonly thing?: ManagedThing;
}

/** `aside.manageTools`: selects the tools that the model may use, and lists approvals. */
export async function manageTools(managed: Managed): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    // No tool runs in an untrusted workspace, so there is nothing to select.
    const manage = vscode.l10n.t('Manage Workspace Trust');
    const message = vscode.l10n.t('Trust this workspace to use tools.');
    const chosen = await notify('information', message, manage);
    if (chosen === manage) await vscode.commands.executeCommand('workbench.trust.manage');
    return;
  }
  const { tools, enabledTools, grants, skills, tokensOf } = managed;
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Manage Tools');
  pick.placeholder = vscode.l10n.t('Select the tools the model can use');
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.keepScrollPosition = true;
  pick.busy = true;
  pick.show();
  // Checkboxes take effect on OK; revoking an approval takes effect immediately.
  const revoke = async ({ thing }: Item): Promise<void> => {
    if (thing?.type !== 'grant') return;
    await grants.revoke(thing.grant);
    const isOther = (item: Item): boolean => item.thing !== thing;
    const selected = pick.selectedItems.filter(isOther);
    pick.items = pick.items.filter(isOther);
    pick.selectedItems = selected;
  };
  const accepted = answerOf<[all: readonly Item[], selected: readonly Item[]]>(pick, (answer) => [
    pick.onDidAccept(() => answer([pick.items, pick.selectedItems])),
    pick.onDidTriggerItemButton(({ item }) => background(revoke(item))),
  ]);
  const lines = manageLines({
    tools,
    enabledTools,
    skills: await skills.read(),
    external: await listExternalTools(enabledTools),
    tooLarge: tooLargeTools(),
    grants: await grants.list(),
    describe: (grant) => grants.describe(grant),
    tokensOf,
  });
  const trash = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Revoke') };
  pick.items = lines.map((line): Item => {
    if ('heading' in line) return { label: line.heading, kind: vscode.QuickPickItemKind.Separator };
    const { label, description, detail, thing } = line;
    const buttons = thing.type === 'grant' ? [trash] : [];
    return { label, description, thing, buttons, ...(detail !== undefined && { detail }) };
  });
  pick.selectedItems = pick.items.filter((_, index) => {
    const line = lines[index];
    return line !== undefined && 'thing' in line && line.isPicked;
  });
  pick.busy = false;
  const choice = await accepted;
  if (choice === undefined) return;
  const [listed = [], picked = []] = choice.map((items) =>
    items.flatMap(({ thing }) => thing ?? []),
  );
  await enabledTools.setOwnEnabled(namesOf(listed), namesOf(picked));
  await enabledTools.setExternalEnabled(identitiesOf(listed), identitiesOf(picked));
  for (const thing of listed) {
    const isPicked = picked.includes(thing);
    if (thing.type === 'grant' && !isPicked) await grants.revoke(thing.grant);
    if (thing.type === 'skill' && isPicked !== (thing.skill.isAllowed === true))
      await skills.decide([thing.skill], isPicked);
  }
}

function namesOf(things: readonly ManagedThing[]): readonly string[] {
  return things.flatMap((thing) => (thing.type === 'own' ? thing.name : []));
}

function identitiesOf(things: readonly ManagedThing[]): readonly string[] {
  return things.flatMap((thing) => (thing.type === 'external' ? thing.identity : []));
}

type ManagedThing =
  | { readonly type: 'own'; readonly name: string }
  | { readonly type: 'external'; readonly identity: string }
  | { readonly type: 'skill'; readonly skill: Skill }
  | { readonly type: 'grant'; readonly grant: Grant }
  /** A tool that is unavailable in this window, even if it is selected. */
  | { readonly type: 'unavailable' };

type ManageLine =
  | { readonly heading: string }
  | {
      readonly label: string;
      readonly description: string;
      readonly detail?: string;
      readonly isPicked: boolean;
      readonly thing: ManagedThing;
    };

export interface ManageContent extends Pick<Managed, 'tools' | 'enabledTools' | 'tokensOf'> {
  readonly skills: readonly Skill[];
  readonly external: readonly ListedExternalTool[];
  /** Names of external tools whose schemas are too large. */
  readonly tooLarge: readonly string[];
  readonly grants: readonly Grant[];
  readonly describe: (grant: Grant) => string;
}

/** The list of Manage Tools. */
export function manageLines(content: ManageContent): readonly ManageLine[] {
  const { tools, enabledTools, skills, external, tokensOf } = content;
  const { language } = vscode.env;
  const costOf = (definition: ToolDefinition): number =>
    tokensOf(JSON.stringify(definition).length);
  const sumOf = (tokens: readonly number[]): string =>
    formatTokens(
      tokens.reduce((all, next) => all + next, 0),
      true,
    );
  const inWords = (tokens: number): string => {
    const text = formatTokens(tokens, true);
    return counted(vscode.l10n.t('{0} tokens'), shownCount(tokens), language, text);
  };

  const available = tools.filter((tool) => tool.problem() === undefined);
  const ownLines = available.map(({ name, label, definition }): ManageLine => {
    const description = inWords(costOf(definition));
    const isPicked = enabledTools.isOwnEnabled(name);
    return { label, description, isPicked, thing: { type: 'own', name } };
  });
  const unavailable = tools.flatMap(({ label, problem }) => {
    const reason = problem();
    return reason === undefined ? [] : [unavailableLine(label, reason)];
  });
  const ownSum = sumOf(available.map(({ definition }) => costOf(definition)));

  const listed = skills.filter(isListedSkill).slice(0, mostListedSkills);
  const skillLines = skills.map((skill): ManageLine => {
    const { name, path, description, problem, line } = skill;
    if (problem !== undefined) return unavailableLine(plain(name), plain(problem));
    const isUnlisted = isListedSkill(skill) && !listed.includes(skill);
    const remarks = [
      skill.isListed
        ? inWords(tokensOf(line.text.length))
        : vscode.l10n.t('Only sent when you attach it'),
      skill.isListed && line.isCut ? vscode.l10n.t('Description shortened') : '',
      isUnlisted ? vscode.l10n.t('Not listed: more than {0} skills', mostListedSkills) : '',
    ];
    return {
      label: plain(name),
      description: remarks.filter(Boolean).join(' · '),
      detail: plain(`${path} · ${description}`),
      isPicked: skill.isAllowed === true,
      thing: { type: 'skill', skill },
    };
  });
  const skillSum = sumOf(listed.map(({ line }) => tokensOf(line.text.length)));

  const externalLines = external.map(({ tool, identity, isEnabled, hasChanged }): ManageLine => ({
    label: plain(tool.name),
    description: hasChanged ? vscode.l10n.t('Changed since you selected it') : '',
    detail: plain(tool.description),
    isPicked: isEnabled,
    thing: { type: 'external', identity },
  }));
  const tooLarge = content.tooLarge.map((name) =>
    unavailableLine(
      plain(name),
      vscode.l10n.t('Its parameters are too large to send with each request.'),
    ),
  );
  const enabled = external.filter(({ isEnabled }) => isEnabled);
  // Many tools are found when they are needed: only `find_tools` is sent before.
  const areFound = enabled.length > maxExternalTools;
  const sent = areFound
    ? [findToolsTool([]).definition]
    : enabled.map(({ tool }) => externalToolDefinition(tool, tool.name));
  const externalSum = sumOf(sent.map(costOf));
  const externalHeading =
    enabled.length === 0
      ? vscode.l10n.t('Tools from other extensions and MCP servers')
      : areFound
        ? vscode.l10n.t(
            'Tools from other extensions and MCP servers ({0} tokens per request, more once they are found)',
            externalSum,
          )
        : vscode.l10n.t(
            'Tools from other extensions and MCP servers ({0} tokens per request)',
            externalSum,
          );

  const grantLines = content.grants.map((grant): ManageLine => {
    const date = new Date(grant.since).toLocaleString(language, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const uses =
      grant.uses === 1
        ? vscode.l10n.t('used once')
        : counted(vscode.l10n.t('used {0} times'), grant.uses, language);
    const description = vscode.l10n.t('Allowed on {0} · {1}', date, uses);
    const label = plain(content.describe(grant));
    return { label, description, isPicked: true, thing: { type: 'grant', grant } };
  });

  return [
    ...under(vscode.l10n.t('Aside tools ({0} tokens per request)', ownSum), [
      ...ownLines,
      ...unavailable,
    ]),
    ...under(vscode.l10n.t('Skills ({0} tokens per request)', skillSum), skillLines),
    ...under(externalHeading, [...externalLines, ...tooLarge]),
    ...under(vscode.l10n.t('Approvals'), grantLines),
  ];
}

function under(heading: string, lines: readonly ManageLine[]): readonly ManageLine[] {
  return lines.length === 0 ? [] : [{ heading }, ...lines];
}

function unavailableLine(label: string, detail: string): ManageLine {
  const description = vscode.l10n.t('Not available here');
  return { label, description, detail, isPicked: false, thing: { type: 'unavailable' } };
}

const maxLabelLength = 300;

/** External text on one line, with invisible characters made visible and icon syntax escaped. */
function plain(text: string): string {
  return oneLine(text, maxLabelLength).replaceAll('$(', '$ (');
}
