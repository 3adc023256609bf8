import * as vscode from 'vscode';
import { defaultTurnTokens } from '../../core/turn/runTurn.ts';
import type { Dialogs, ValidationMessage } from '../dialogs.ts';
import type { BudgetSettings } from '../settingValues.ts';
import { budgetAmount } from './budgetTexts.ts';

const limits = ['chat', 'day', 'month', 'turn'] as const;
type Limit = (typeof limits)[number];
type Unit = BudgetSettings['unit'];

export interface BudgetCommandOptions {
  readonly settings: {
    current(): { readonly budget: BudgetSettings | 'invalid'; readonly currency: string };
    setBudget(budget: BudgetSettings): Promise<void>;
  };
  readonly dialogs: Dialogs;
  readonly language: string;
}

/**
 * `aside.setBudget`: asks for one limit, and writes it to the setting.
 *
 * @param wantedUnit the unit of the limits; that of the setting by default
 */
export async function setBudget(options: BudgetCommandOptions, wantedUnit?: Unit): Promise<void> {
  const { settings, dialogs, language } = options;
  const { budget, currency } = settings.current();
  const unit = wantedUnit ?? (budget === 'invalid' ? 'tokens' : budget.unit);
  // Limits that are invalid or in the other unit can't be kept.
  const before: BudgetSettings = budget !== 'invalid' && budget.unit === unit ? budget : { unit };
  const context = { language, currency };
  const usualTurn = budgetAmount(defaultTurnTokens, 'tokens', context);
  /** A limit as text; undefined if there is none. A turn always has one. */
  const written = (limit: Limit, amount: number | undefined): string | undefined => {
    if (amount !== undefined) return budgetAmount(amount, unit, context);
    return limit === 'turn' ? usualTurn : undefined;
  };
  const choices = limits.map((value) => ({
    label: titleOf(value),
    description: written(value, before[value]) ?? vscode.l10n.t('no limit'),
    value,
  }));
  const otherUnit =
    unit === 'tokens'
      ? vscode.l10n.t('Limit Money Instead of Tokens…')
      : vscode.l10n.t('Limit Tokens Instead of Money…');
  const limit = await dialogs.pick<Limit | 'unit'>(
    [...choices, { label: otherUnit, value: 'unit' }],
    vscode.l10n.t('Set Budget'),
  );
  if (limit === undefined) return;
  if (limit === 'unit') return setBudget(options, unit === 'tokens' ? 'money' : 'tokens');
  const text = await dialogs.prompt({
    title: titleOf(limit),
    prompt: promptOf(limit, unit, currency, usualTurn),
    value: before[limit]?.toString() ?? '',
    placeholder: unit === 'tokens' ? vscode.l10n.t('For example 200,000 or 1.5M') : '2.50',
    check: (typed) => (typed.trim() === '' ? undefined : amountProblem(typed, unit)),
  });
  if (text === undefined) return;
  const amount = readAmount(text, unit);
  await settings.setBudget({ ...before, [limit]: amount });
  dialogs.showStatus(confirmation(limit, written(limit, amount)));
}

function titleOf(limit: Limit): string {
  switch (limit) {
    case 'chat':
      return vscode.l10n.t('Limit for Each Chat');
    case 'day':
      return vscode.l10n.t('Limit for Each Day');
    case 'month':
      return vscode.l10n.t('Limit for Each Month');
    case 'turn':
      return vscode.l10n.t('Limit for Each Turn');
  }
}

/** @param usual the limit of a turn where none is set */
function promptOf(limit: Limit, unit: Unit, currency: string, usual: string): string {
  if (unit === 'tokens')
    return limit === 'turn'
      ? vscode.l10n.t(
          'A turn pauses when it has sent that many tokens. Leave empty for {0}.',
          usual,
        )
      : vscode.l10n.t('Tokens in prompts and replies. Leave empty for no limit.');
  return limit === 'turn'
    ? vscode.l10n.t(
        'A turn pauses when it has cost that amount in {0}. Leave empty for {1}.',
        currency,
        usual,
      )
    : vscode.l10n.t('Amount in {0}. Leave empty for no limit.', currency);
}

/** @param amount undefined if there is no limit anymore */
function confirmation(limit: Limit, amount: string | undefined): string {
  switch (limit) {
    case 'chat':
      return amount === undefined
        ? vscode.l10n.t('Chat budget removed.')
        : vscode.l10n.t('Chat budget set to {0}.', amount);
    case 'day':
      return amount === undefined
        ? vscode.l10n.t('Daily budget removed.')
        : vscode.l10n.t('Daily budget set to {0}.', amount);
    case 'month':
      return amount === undefined
        ? vscode.l10n.t('Monthly budget removed.')
        : vscode.l10n.t('Monthly budget set to {0}.', amount);
    case 'turn':
      return vscode.l10n.t('Turn budget set to {0}.', amount ?? '');
  }
}

/** Explains why a text isn't an amount; undefined if it is. */
export function amountProblem(text: string, unit: Unit): ValidationMessage | undefined {
  if (readAmount(text, unit) !== undefined) return undefined;
  const words =
    unit === 'tokens'
      ? vscode.l10n.t('Enter a number of tokens, for example 200,000 or 1.5M.')
      : vscode.l10n.t('Enter an amount, for example 2.50.');
  return { text: words, severity: 'error' };
}

/**
 * Parses an amount as people type it: `200000`, `200,000`, `200 000`, `1.5M`, `2,50`. Undefined for
 * anything else. A separator before exactly three digits groups them, except in `0.125`.
 */
export function readAmount(text: string, unit: Unit): number | undefined {
  const typed = text.trim().toLowerCase();
  const [, digits = '', suffix = ''] = /^([\d.,'\s]{1,30}?)\s?([km]?)$/.exec(typed) ?? [];
  const isGrouped = /^[1-9]\d{0,2}(?:[,.'\s]\d{3})+$/.test(digits);
  const number = isGrouped ? digits.replaceAll(/\D/g, '') : digits.replace(',', '.');
  if (!/^\d+(?:\.\d+)?$/.test(number)) return undefined;
  if (unit === 'money') return suffix === '' ? Number(number) : undefined;
  const factor = suffix === 'k' ? 1000 : suffix === 'm' ? 1_000_000 : 1;
  return Math.round(Number(number) * factor);
}
