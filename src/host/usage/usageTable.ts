import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import {
  addUsage,
  formatMoney,
  knownCost,
  zeroUsage,
  type Price,
  type Usage,
} from '../../core/conversation/usage.ts';
import type { BudgetMessageContext } from './budgetTexts.ts';

export interface UsageContext extends BudgetMessageContext {
  readonly priceOf: (model: string) => Price | undefined;
}

/** Usage by model id, since prices differ. */
export type UsageByModel = ReadonlyMap<string, Usage>;

export function addModelUsage(sum: UsageByModel, model: string, usage: Usage): UsageByModel {
  return new Map(sum).set(model, addUsage(sum.get(model) ?? zeroUsage, usage));
}

export function totalOf(usage: UsageByModel): Usage {
  return [...usage.values()].reduce(addUsage, zeroUsage);
}

/** The usage of requests that have ended, except the demo's. */
export function paidUsage({ usage }: Conversation): UsageByModel {
  return new Map(Object.entries(usage));
}

/** The usage of a chat, including undone turns and an estimate for its running request. */
export function usageOfChat(conversation: Conversation): UsageByModel {
  const { demoUsage = {}, importedUsage = {}, running } = conversation;
  const unsettled = running?.unsettled?.usage;
  return [
    ...Object.entries(demoUsage),
    ...Object.entries(importedUsage),
    ...(running && unsettled ? [[running.model, unsettled] as const] : []),
  ].reduce((sum, [model, usage]) => addModelUsage(sum, model, usage), paidUsage(conversation));
}

/**
 * The cost at the prices of the time, or at today's price for usage from before costs were stored;
 * undefined if the price is unknown.
 */
export function costOf(model: string, usage: Usage, context: UsageContext): number | undefined {
  return knownCost(usage, context.priceOf(model));
}

/** The status bar's tooltip: a table in Markdown. Without a price it has no row of costs. */
export function usageTooltip(
  model: string,
  columns: readonly [chat: UsageByModel, session: UsageByModel, today: UsageByModel],
  context: UsageContext,
): string {
  const totals = columns.map(totalOf);
  const numbers = new Intl.NumberFormat(context.language);
  const tokens = (label: string, count: (usage: Usage) => number): readonly string[] => [
    label,
    ...totals.map((usage) => {
      const mark = usage.estimated && count(usage) > 0 ? '≈' : '';
      return mark + numbers.format(count(usage));
    }),
  ];
  const costs = columns.map((column) => costText(column, context));
  const rows = [
    ['', vscode.l10n.t('This chat'), vscode.l10n.t('This session'), vscode.l10n.t('Today')],
    tokens(vscode.l10n.t('Prompt'), (usage) => usage.prompt_tokens),
    tokens(vscode.l10n.t('Cached'), (usage) => usage.cached_tokens),
    tokens(vscode.l10n.t('Completion'), (usage) => usage.completion_tokens),
    tokens(vscode.l10n.t('Total'), (usage) => usage.total_tokens),
    // The number of requests is never an estimate.
    [vscode.l10n.t('Requests'), ...totals.map(({ requests }) => numbers.format(requests))],
    ...(costs.every((text) => text === undefined)
      ? []
      : [[vscode.l10n.t('Cost'), ...costs.map((text) => text ?? '–')]]),
  ];
  const [heading, ...lines] = rows.map((cells) => `| ${cells.map(escapeMarkdown).join(' | ')} |`);
  const title = model === '' ? vscode.l10n.t('No model selected') : model;
  return [`**${escapeMarkdown(title)}**`, '', heading, '|:--|--:|--:|--:|', ...lines].join('\n');
}

/** The cost of a column, with `≥` if some models have no price; undefined if none has. */
function costText(column: UsageByModel, context: UsageContext): string | undefined {
  const costs = [...column].flatMap(([model, usage]) => costOf(model, usage, context) ?? []);
  if (costs.length === 0) return undefined;
  const estimated = totalOf(column).estimated ? '≈' : '';
  const sum = costs.reduce((first, second) => first + second, 0);
  const mark = costs.length < column.size ? '≥' : estimated;
  return mark + formatMoney(sum, context.currency, context.language);
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, '\\$&').replace(/\s+/g, ' ');
}
