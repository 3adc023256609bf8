import * as vscode from 'vscode';
import { defaultTurnTokens } from '../../core/turn/turnLimit.ts';
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

/** `aside.setBudget`: asks for one limit, and writes it to the setting. */
export async function setBudget(options: BudgetCommandOptions): Promise<void> {
  const { settings, dialogs } = options;
  const { budget } = settings.current();
  // An invalid budget has no known limits, so it is replaced.
  const now: BudgetSettings = budget === 'invalid' ? { unit: 'tokens' } : budget;
  const chosen = await dialogs.pick(choicesOf(now, options), vscode.l10n.t('Set Budget'));
  if (chosen === undefined) return;
  // Limits can't be converted to the other unit.
  const base = chosen === 'unit' ? { unit: otherUnit(now.unit) } : now;
  const limit = chosen === 'unit' ? await pickLimit(options) : chosen;
  if (limit === undefined) return;
  const text = await askAmount(limit, base, options);
  if (text === undefined) return;
  const amount = readAmount(text, base.unit);
  await settings.setBudget({ ...base, [limit]: amount });
  dialogs.showStatus(confirmation(limit, amount, base.unit, options));
}

function choicesOf(
  now: BudgetSettings,
  options: BudgetCommandOptions,
): Parameters<typeof options.dialogs.pick<Limit | 'unit'>>[0] {
  const described = (limit: Limit): string => {
    const amount = now[limit];
    if (limit === 'turn') return turnText(amount, now.unit, options);
    return amount === undefined ? vscode.l10n.t('no limit') : amountText(amount, now.unit, options);
  };
  const other =
    now.unit === 'tokens'
      ? vscode.l10n.t('Limit Money Instead of Tokens…')
      : vscode.l10n.t('Limit Tokens Instead of Money…');
  return [
    ...limits.map((value) => ({
      label: titleOf(value),
      description: described(value),
      value,
    })),
    { label: other, value: 'unit' },
  ];
}

function pickLimit(options: BudgetCommandOptions): Promise<Limit | undefined> {
  const choices = limits.map((value) => ({ label: titleOf(value), value }));
  return options.dialogs.pick(choices, vscode.l10n.t('Set Budget'));
}

function askAmount(
  limit: Limit,
  { unit, ...amounts }: BudgetSettings,
  options: BudgetCommandOptions,
): Promise<string | undefined> {
  const { dialogs } = options;
  const amount = amounts[limit];
  return dialogs.prompt({
    title: titleOf(limit),
    prompt: promptOf(limit, unit, options),
    value: amount === undefined ? '' : String(amount),
    placeholder: unit === 'tokens' ? vscode.l10n.t('For example 200,000 or 1.5M') : '2.50',
    check: (text) => amountProblem(text, unit, { mayBeEmpty: true }),
  });
}

function promptOf(limit: Limit, unit: Unit, options: BudgetCommandOptions): string {
  const { currency } = options.settings.current();
  if (limit === 'turn') {
    const usual = turnText(undefined, unit, options);
    return unit === 'tokens'
      ? vscode.l10n.t(
          'A turn pauses when it has sent that many tokens. Leave empty for {0}.',
          usual,
        )
      : vscode.l10n.t(
          'A turn pauses when it has cost that amount in {0}. Leave empty for {1}.',
          currency,
          usual,
        );
  }
  return unit === 'tokens'
    ? vscode.l10n.t('Tokens in prompts and replies. Leave empty for no limit.')
    : vscode.l10n.t('Amount in {0}. Leave empty for no limit.', currency);
}

/** Explains why a text isn't an amount; undefined if it is, or if it is empty and may be. */
export function amountProblem(
  text: string,
  unit: Unit,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): ValidationMessage | undefined {
  if (mayBeEmpty && text.trim() === '') return undefined;
  if (readAmount(text, unit) !== undefined) return undefined;
  const words =
    unit === 'tokens'
      ? vscode.l10n.t('Enter a number of tokens, for example 200,000 or 1.5M.')
      : vscode.l10n.t('Enter an amount, for example 2.50.');
  return { text: words, severity: 'error' };
}

const factors = new Map([
  ['', 1],
  ['k', 1000],
  ['m', 1_000_000],
]);

/**
 * Parses an amount as people type it: `200000`, `200,000`, `200 000`, `1.5M`, `2,50`. Undefined for
 * anything else. A separator before exactly three digits groups them, except in `0.125`.
 */
export function readAmount(text: string, unit: Unit): number | undefined {
  const typed = text.trim().toLowerCase();
  const [, digits = '', suffix = ''] = /^([\d.,'\s]{1,30}?)\s?([km]?)$/.exec(typed) ?? [];
  const factor = unit === 'tokens' || suffix === '' ? factors.get(suffix) : undefined;
  const number = numberIn(digits);
  if (number === undefined || factor === undefined) return undefined;
  const amount = number * factor;
  return unit === 'tokens' ? Math.round(amount) : amount;
}

function numberIn(digits: string): number | undefined {
  if (/^[1-9]\d{0,2}(?:[,.'\s]\d{3})+$/.test(digits)) return Number(digits.replaceAll(/\D/g, ''));
  if (/^\d+(?:[.,]\d+)?$/.test(digits)) return Number(digits.replace(',', '.'));
  return undefined;
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

function otherUnit(unit: Unit): Unit {
  return unit === 'tokens' ? 'money' : 'tokens';
}

function amountText(amount: number, unit: Unit, options: BudgetCommandOptions): string {
  const { language, settings } = options;
  return budgetAmount(amount, unit, { language, currency: settings.current().currency });
}

/** The limit of a turn, which always has one. */
function turnText(amount: number | undefined, unit: Unit, options: BudgetCommandOptions): string {
  return amount === undefined
    ? amountText(defaultTurnTokens, 'tokens', options)
    : amountText(amount, unit, options);
}

function confirmation(
  limit: Limit,
  amount: number | undefined,
  unit: Unit,
  options: BudgetCommandOptions,
): string {
  if (limit === 'turn')
    return vscode.l10n.t('Turn budget set to {0}.', turnText(amount, unit, options));
  if (amount === undefined) return noLimitText(limit);
  const written = amountText(amount, unit, options);
  switch (limit) {
    case 'chat':
      return vscode.l10n.t('Chat budget set to {0}.', written);
    case 'day':
      return vscode.l10n.t('Daily budget set to {0}.', written);
    case 'month':
      return vscode.l10n.t('Monthly budget set to {0}.', written);
  }
}

function noLimitText(limit: Exclude<Limit, 'turn'>): string {
  switch (limit) {
    case 'chat':
      return vscode.l10n.t('Chat budget removed.');
    case 'day':
      return vscode.l10n.t('Daily budget removed.');
    case 'month':
      return vscode.l10n.t('Monthly budget removed.');
  }
}
