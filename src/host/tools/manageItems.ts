import * as vscode from 'vscode';
import type { Grant } from '../../core/approval/grants.ts';
import { formatTokens, shownCount } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { oneLine } from '../../core/support/text.ts';
import { externalToolDefinition } from '../../core/tools/externalTool.ts';
import { maxExternalTools } from '../../core/tools/findTools.ts';
import { mostListedSkills } from '../../core/turn/skillLine.ts';
import type { Tool } from '../../core/tools/tool.ts';
import { isUsedSkill, type Skill } from '../context/skills.ts';
import type { ListedExternalTool } from './externalTools.ts';
import { findToolsTool } from './findTools.ts';

export type ManagedItem =
  | { readonly type: 'own'; readonly name: string }
  | { readonly type: 'external'; readonly identity: string }
  | { readonly type: 'skill'; readonly skill: Skill }
  | { readonly type: 'grant'; readonly grant: Grant }
  /** A tool that is unavailable in this window, even if it is selected. */
  | { readonly type: 'unavailable' };

export type ManageLine =
  | { readonly heading: string }
  | {
      readonly label: string;
      readonly description: string;
      readonly detail?: string;
      readonly isPicked: boolean;
      readonly thing: ManagedItem;
    };

/** The parts of an own tool that the list shows. */
export type OwnTool = Pick<Tool, 'label' | 'definition'>;

export interface UnavailableTool {
  readonly label: string;
  readonly reason: string;
}

export interface ManageContent {
  readonly available: readonly (OwnTool & { readonly isUsed: boolean })[];
  readonly unavailable: readonly UnavailableTool[];
  readonly skills: readonly Skill[];
  readonly external: readonly ListedExternalTool[];
  /** Names of external tools whose schemas are too large. */
  readonly tooLarge: readonly string[];
  readonly grants: readonly Grant[];
  readonly describe: (grant: Grant) => string;
  readonly tokensOf: (characters: number) => number;
  readonly language: string;
}

export function manageLines(content: ManageContent): readonly ManageLine[] {
  const ownTools = [
    ...content.available.map((tool) => ownLine(tool, content)),
    ...content.unavailable.map((tool) => unavailableLine(tool)),
  ];
  const used = content.skills.filter(isUsedSkill).slice(0, mostListedSkills);
  const ofSkills = used.reduce((all, { line }) => all + content.tokensOf(line.text.length), 0);
  const external = [
    ...content.external.map((tool) => externalLine(tool)),
    ...content.tooLarge.map((name) => tooLargeLine(name)),
  ];
  const grants = content.grants.map((grant) => grantLine(grant, content));
  const sum = content.available.reduce(
    (all, { definition }) => all + costOf(definition, content),
    0,
  );
  return [
    ...under(
      vscode.l10n.t('Aside tools ({0} tokens per request)', formatTokens(sum, true)),
      ownTools,
    ),
    ...under(
      vscode.l10n.t('Skills ({0} tokens per request)', formatTokens(ofSkills, true)),
      content.skills.map((skill) => skillLine(skill, used, content)),
    ),
    ...under(externalHeading(content), external),
    ...under(vscode.l10n.t('Approvals'), grants),
  ];
}

/** Many tools are found when they are needed: only `find_tools` is sent before. */
function externalHeading(content: ManageContent): string {
  const enabled = content.external.filter(({ isEnabled }) => isEnabled);
  if (enabled.length === 0) return vscode.l10n.t('Tools from other extensions and MCP servers');
  const isFound = enabled.length > maxExternalTools;
  const sent = isFound
    ? [findToolsTool([]).definition]
    : enabled.map(({ tool }) => externalToolDefinition(tool, tool.name));
  const sum = formatTokens(
    sent.reduce((all, definition) => all + costOf(definition, content), 0),
    true,
  );
  return isFound
    ? vscode.l10n.t(
        'Tools from other extensions and MCP servers ({0} tokens per request, more once they are found)',
        sum,
      )
    : vscode.l10n.t('Tools from other extensions and MCP servers ({0} tokens per request)', sum);
}

function under(heading: string, lines: readonly ManageLine[]): readonly ManageLine[] {
  return lines.length === 0 ? [] : [{ heading }, ...lines];
}

function ownLine(
  { label, definition, isUsed }: ManageContent['available'][number],
  content: ManageContent,
): ManageLine {
  const { name } = definition.function;
  const description = tokensText(costOf(definition, content), content);
  return { label, description, isPicked: isUsed, thing: { type: 'own', name } };
}

function tokensText(tokens: number, { language }: ManageContent): string {
  const text = formatTokens(tokens, true);
  return counted(vscode.l10n.t('{0} tokens'), shownCount(tokens), language, text);
}

function skillLine(skill: Skill, used: readonly Skill[], content: ManageContent): ManageLine {
  const { name, path, description, problem, line } = skill;
  if (problem !== undefined) return unavailableLine({ label: plain(name), reason: plain(problem) });
  const isUnlisted = isUsedSkill(skill) && !used.includes(skill);
  const remarks = [
    tokensText(content.tokensOf(line.text.length), content),
    line.isCut ? vscode.l10n.t('Description shortened') : '',
    isUnlisted ? vscode.l10n.t('Not listed: more than {0} skills', mostListedSkills) : '',
  ];
  return {
    label: plain(name),
    description: remarks.filter(Boolean).join(' · '),
    detail: plain(`${path} · ${description}`),
    isPicked: skill.isAllowed === true,
    thing: { type: 'skill', skill },
  };
}

function unavailableLine({ label, reason }: UnavailableTool): ManageLine {
  const description = vscode.l10n.t('Not available here');
  return { label, description, detail: reason, isPicked: false, thing: { type: 'unavailable' } };
}

function tooLargeLine(name: string): ManageLine {
  const reason = vscode.l10n.t('Its parameters are too large to send with each request.');
  return unavailableLine({ label: plain(name), reason });
}

function costOf(definition: Tool['definition'], { tokensOf }: ManageContent): number {
  return tokensOf(JSON.stringify(definition).length);
}

function externalLine({ tool, identity, isEnabled, hasChanged }: ListedExternalTool): ManageLine {
  return {
    label: plain(tool.name),
    description: hasChanged ? vscode.l10n.t('Changed since you selected it') : '',
    detail: plain(tool.description),
    isPicked: isEnabled,
    thing: { type: 'external', identity },
  };
}

function grantLine(grant: Grant, { describe, language }: ManageContent): ManageLine {
  const date = new Date(grant.since).toLocaleString(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  const uses =
    grant.uses === 1
      ? vscode.l10n.t('used once')
      : counted(vscode.l10n.t('used {0} times'), grant.uses, language);
  const thing = { type: 'grant', grant } as const;
  const description = vscode.l10n.t('Allowed on {0} · {1}', date, uses);
  return { label: plain(describe(grant)), description, isPicked: true, thing };
}

const maxLabelLength = 300;

/** External text on one line, with invisible characters made visible and icon syntax escaped. */
function plain(text: string): string {
  return oneLine(text, maxLabelLength).replaceAll('$(', '$ (');
}
