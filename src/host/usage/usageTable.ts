import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import {
  shortModelName,
  usageCost,
  formatMoney,
  addUsage,
  zeroUsage,
  formatTokens,
  type Price,
  type Usage,
} from '../../core/conversation/usage.ts';
import type { BudgetMessageContext } from './budgetTexts.ts';

export interface UsageContext extends BudgetMessageContext {
  readonly priceOf: (model: string) => Price | undefined;
}

interface UsageRow {
  readonly name: 'prompt' | 'cached' | 'completion' | 'total' | 'requests' | 'cost';
  readonly label: string;
  readonly values: readonly string[];
}

/** The table in the status bar's tooltip. Without a price there is no cost. */
export function usageRows(columns: readonly UsageByModel[], context: UsageContext): UsageRow[] {
  const { language } = context;
  const totals = columns.map(totalOf);
  const row = (name: CountName, label: string): UsageRow => ({
    name,
    label,
    values: totals.map((usage) => formatCount(usage, counts[name], language)),
  });
  const costs = columns.map((column) => formatCost(column, context));
  const values = costs.map((text) => text ?? '–');
  const cost = { name: 'cost', label: vscode.l10n.t('Cost'), values } as const;
  return [
    row('prompt', vscode.l10n.t('Prompt')),
    row('cached', vscode.l10n.t('Cached')),
    row('completion', vscode.l10n.t('Completion')),
    row('total', vscode.l10n.t('Total')),
    row('requests', vscode.l10n.t('Requests')),
    ...(costs.some((text) => text !== undefined) ? [cost] : []),
  ];
}

type CountName = Exclude<UsageRow['name'], 'cost'>;
type CountField = Exclude<keyof Usage, 'estimated' | 'written_tokens' | 'reasoning_tokens'>;

const counts: Readonly<Record<CountName, CountField>> = {
  prompt: 'prompt_tokens',
  cached: 'cached_tokens',
  completion: 'completion_tokens',
  total: 'total_tokens',
  requests: 'requests',
};

function formatCount(usage: Usage, field: CountField, language: string): string {
  // The number of requests is never an estimate.
  const mark = usage.estimated && field !== 'requests' && usage[field] > 0 ? '≈' : '';
  return mark + numberFormatOf(language).format(usage[field]);
}

const numberFormats = new Map<string, Intl.NumberFormat>();

/** Caches formats: creating one takes longer than the rest of the table. */
function numberFormatOf(language: string): Intl.NumberFormat {
  const format = numberFormats.get(language) ?? new Intl.NumberFormat(language);
  numberFormats.set(language, format);
  return format;
}

/** The cost of a column, with `≥` if some models have no price; undefined if none has. */
function formatCost(column: UsageByModel, context: UsageContext): string | undefined {
  const priced = [...column].flatMap(([model, usage]) => {
    const price = context.priceOf(model);
    return price === undefined ? [] : [usageCost(usage, price)];
  });
  if (priced.length === 0) return undefined;
  const sum = priced.reduce((first, second) => first + second, 0);
  const estimated = totalOf(column).estimated ? '≈' : '';
  const mark = priced.length < column.size ? '≥' : estimated;
  return mark + formatMoney(sum, context.currency, context.language);
}

/** Usage by model id, since prices differ. */
export type UsageByModel = ReadonlyMap<string, Usage>;

/** The usage of a chat, including undone turns and an estimate for its running request. */
export function usageOfChat(conversation: Conversation): UsageByModel {
  const { demoUsage = {}, importedUsage = {}, running } = conversation;
  const settled = [...Object.entries(demoUsage), ...Object.entries(importedUsage)].reduce(
    (sum, [model, used]) => addModelUsage(sum, model, used),
    paidUsage(conversation),
  );
  const unsettled = running?.unsettled?.usage;
  return running === undefined || unsettled === undefined
    ? settled
    : addModelUsage(settled, running.model, unsettled);
}

/** The usage of requests that have ended, except the demo's. */
export function paidUsage({ usage }: Conversation): UsageByModel {
  return new Map(Object.entries(usage));
}

export function addModelUsage(sum: UsageByModel, model: string, usage: Usage): UsageByModel {
  return new Map(sum).set(model, addUsage(sum.get(model) ?? zeroUsage, usage));
}

export function totalOf(usage: UsageByModel): Usage {
  return [...usage.values()].reduce(addUsage, zeroUsage);
}

interface UsageColumns {
  readonly chat: UsageByModel;
  readonly session: UsageByModel;
  readonly today: UsageByModel;
}

const icon = '$(comment-discussion)';
const maxNameLength = 32;

/** The text of the status bar: the model without its provider, and the session's tokens. */
export function statusText(model: string, { estimated, total_tokens }: Usage): string {
  if (model === '') return `${icon} Aside`;
  // A single 0 after a name looks like a part of it.
  const tokens = total_tokens === 0 ? '' : ` ${formatTokens(total_tokens, estimated)}`;
  return `${icon} ${shortName(model)}${tokens}`;
}

export function statusLabel(model: string, { estimated, total_tokens }: Usage): string {
  if (model === '') return vscode.l10n.t('Aside, no model selected');
  const tokens = formatTokens(total_tokens, estimated);
  return vscode.l10n.t('Aside, model {0}, {1} tokens in this session', model, tokens);
}

export function usageTooltip(model: string, columns: UsageColumns, context: UsageContext): string {
  const title = model === '' ? vscode.l10n.t('No model selected') : model;
  const heading = [
    '',
    vscode.l10n.t('This chat'),
    vscode.l10n.t('This session'),
    vscode.l10n.t('Today'),
  ];
  const rows = usageRows([columns.chat, columns.session, columns.today], context);
  return [
    `**${escapeMarkdown(title)}**`,
    '',
    tableLine(heading),
    '|:--|--:|--:|--:|',
    ...rows.map(({ label, values }) => tableLine([label, ...values])),
  ].join('\n');
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`;
}

function shortName(model: string): string {
  const name = shortModelName(model);
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name;
  // The id comes from the service and must not become an icon.
  return short.replaceAll('$(', '$ (');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, '\\$&').replace(/\s+/g, ' ');
}
