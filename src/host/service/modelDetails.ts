import * as vscode from 'vscode';
import {
  currencyOfServices,
  formatTokens,
  shownCount,
  type Price,
  type Rates,
} from '../../core/conversation/usage.ts';
import type { LearnedDetails } from '../../core/service/learnedFacts.ts';
import type { ModelFacts, RefusedOption } from '../../core/service/modelFacts.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { refusedUnlessSet, type ModelSettings } from '../platform/settingValues.ts';
import { answerOf } from '../platform/dialogs.ts';
import { settingIds } from '../contributions.ts';

export interface ModelKnowledge {
  readonly settings: Partial<ModelSettings>;
  readonly listed: ModelFacts;
  readonly learned: LearnedDetails;
  readonly currency: string;
}

export interface ModelDetail {
  readonly name: string;
  readonly value: string;
  readonly from: 'settings' | 'service' | 'error';
  /** How the value is written in the service's list. */
  readonly written?: string | undefined;
}

/** All details of a model. Settings precede errors, which precede the service's list. */
export function modelDetails(known: ModelKnowledge): readonly ModelDetail[] {
  return [
    limitDetail('contextWindow', vscode.l10n.t('Context window'), known),
    limitDetail('maxOutput', vscode.l10n.t('Longest reply'), known),
    ...priceDetails(known),
    chatDetail(known),
    toolsDetail(known),
    imagesDetail(known),
    traceDetail(known),
    ...optionDetails(known),
  ].filter((detail) => detail !== undefined);
}

function limitDetail(
  limit: 'contextWindow' | 'maxOutput',
  name: string,
  { settings, listed, learned }: ModelKnowledge,
): ModelDetail | undefined {
  const { language } = vscode.env;
  const inWords = (tokens: number): string =>
    counted(vscode.l10n.t('{0} tokens'), shownCount(tokens), language, formatTokens(tokens));
  const set = settings[limit];
  if (set !== undefined) return { name, value: inWords(set), from: 'settings' };
  const [listedLimit = Infinity, learnedLimit = Infinity] = [listed[limit], learned[limit]];
  if (listedLimit === Infinity && learnedLimit === Infinity) return undefined;
  return {
    name,
    value: inWords(Math.min(listedLimit, learnedLimit)),
    from: learnedLimit < listedLimit ? 'error' : 'service',
  };
}

function priceDetails({ settings, listed, currency }: ModelKnowledge): readonly ModelDetail[] {
  const name = vscode.l10n.t('Price');
  const inDollars = currency === currencyOfServices ? listed : {};
  const price = settings.price ?? inDollars.price;
  const from: ModelDetail['from'] = settings.price === undefined ? 'service' : 'settings';
  if (price === undefined) {
    const { unreadPrice } = inDollars;
    if (unreadPrice === undefined) return [];
    const written = vscode.l10n.t("{0} isn't understood", unreadPrice);
    return [{ name, value: vscode.l10n.t('Unknown'), from, written }];
  }
  const { tiers = [], request, image, isPartial, source } = price;
  const rates = ratesText(price, currency);
  const fee = (title: string, amount: number | undefined): readonly ModelDetail[] =>
    amount === undefined ? [] : [{ name: title, value: currency + String(amount), from }];
  return [
    {
      name,
      value: isPartial === true ? vscode.l10n.t('At least {0}', rates) : rates,
      from,
      written: source && unitText(source),
    },
    ...tiers.map((tier) => ({ name: tierName(tier.from), value: ratesText(tier, currency), from })),
    ...fee(vscode.l10n.t('Fee per request'), request),
    ...fee(vscode.l10n.t('Fee per image'), image),
  ];
}

function ratesText(rates: Rates, currency: string): string {
  const { input, cachedInput, cacheWrite, output, reasoning } = rates;
  const money = (amount: number): string => currency + String(amount);
  const parts = [
    vscode.l10n.t('{0} input', money(input)),
    cachedInput === undefined ? '' : vscode.l10n.t('{0} cached input', money(cachedInput)),
    cacheWrite === undefined ? '' : vscode.l10n.t('{0} cache write', money(cacheWrite)),
    vscode.l10n.t('{0} output', money(output)),
    reasoning === undefined ? '' : vscode.l10n.t('{0} reasoning', money(reasoning)),
  ];
  return vscode.l10n.t('{0} per million tokens', parts.filter((part) => part !== '').join(', '));
}

function tierName(from: number): string {
  const { language } = vscode.env;
  return counted(vscode.l10n.t('From {0} tokens'), shownCount(from), language, formatTokens(from));
}

function unitText({ field, tokens }: NonNullable<Price['source']>): string {
  const { language } = vscode.env;
  return tokens === 1
    ? vscode.l10n.t('{0} in dollars per token', field)
    : vscode.l10n.t('{0} in dollars per {1} tokens', field, tokens.toLocaleString(language));
}

function chatDetail({ listed }: ModelKnowledge): ModelDetail | undefined {
  return listed.chat === false
    ? { name: vscode.l10n.t('Chat'), value: vscode.l10n.t('No'), from: 'service' }
    : undefined;
}

function toolsDetail(known: ModelKnowledge): ModelDetail | undefined {
  const { settings, listed, learned } = known;
  const name = vscode.l10n.t('Tools');
  const inWords = (has: boolean): string => (has ? vscode.l10n.t('Yes') : vscode.l10n.t('No'));
  if (settings.tools !== undefined)
    return { name, value: inWords(settings.tools), from: 'settings' };
  if (listed.tools !== undefined) return { name, value: inWords(listed.tools), from: 'service' };
  return learned.withoutTools === true ? { name, value: inWords(false), from: 'error' } : undefined;
}

function imagesDetail({ settings, listed }: ModelKnowledge): ModelDetail | undefined {
  const takes = settings.images ?? listed.images;
  if (takes === undefined) return undefined;
  const value = takes ? vscode.l10n.t('Yes') : vscode.l10n.t('No');
  return {
    name: vscode.l10n.t('Images'),
    value,
    from: settings.images === undefined ? 'service' : 'settings',
  };
}

function traceDetail({ learned: { trace } }: ModelKnowledge): ModelDetail | undefined {
  if (trace === undefined) return undefined;
  const values = {
    turn: vscode.l10n.t('Since the last message'),
    chat: vscode.l10n.t('Whole chat'),
    refused: vscode.l10n.t('No'),
  };
  return { name: vscode.l10n.t('Reasoning sent back'), value: values[trace], from: 'error' };
}

function optionDetails(known: ModelKnowledge): readonly ModelDetail[] {
  const { settings, listed, learned } = known;
  const [listedOptions, learnedOptions] = [listed.refused ?? [], learned.refused ?? []];
  const detail = (
    refused: readonly RefusedOption[],
    from: ModelDetail['from'],
  ): readonly ModelDetail[] => {
    const value = refusedUnlessSet(refused, settings).join(', ');
    return value === '' ? [] : [{ name: vscode.l10n.t('Options not accepted'), value, from }];
  };
  const onlySeen = learnedOptions.filter((option) => !listedOptions.includes(option));
  return [...detail(listedOptions, 'service'), ...detail(onlySeen, 'error')];
}

interface DetailItem extends vscode.QuickPickItem {
  readonly act?: () => PromiseLike<unknown>;
}

/**
 * Shows the details of a model and their sources. Resolves with true if the person wants to return
 * to the models.
 *
 * @param id at the service
 * @param forget clears what was learned
 */
export async function showModelDetails(
  id: string,
  known: ModelKnowledge,
  forget: () => Promise<void>,
): Promise<boolean> {
  const pick = vscode.window.createQuickPick<DetailItem>();
  pick.title = id;
  pick.placeholder = vscode.l10n.t('Model details and sources');
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.matchOnDescription = true;
  pick.items = detailItems(known, forget);
  const goesBack = answerOf<boolean>(pick, (answer) => [
    pick.onDidTriggerButton(() => answer(true)),
    pick.onDidAccept(() => {
      const act = pick.selectedItems[0]?.act;
      if (act === undefined) return;
      answer(false);
      background(act());
    }),
  ]);
  pick.show();
  return (await goesBack) ?? false;
}

function detailItems(known: ModelKnowledge, forget: () => Promise<void>): readonly DetailItem[] {
  const { QuickPickItemKind, ThemeIcon } = vscode;
  const sources = {
    settings: vscode.l10n.t('from your settings'),
    service: vscode.l10n.t('from the service'),
    error: vscode.l10n.t('from a service error'),
  };
  const details = modelDetails(known);
  const isLearned = Object.values(known.learned).some((fact) => fact !== undefined);
  return [
    ...(details.length === 0 ? [{ label: vscode.l10n.t('Not reported by the service') }] : []),
    ...details.map(({ name, value, from, written }) => ({
      label: `${name}: ${value}`,
      description: written === undefined ? sources[from] : `${sources[from]}: ${written}`,
    })),
    { label: '', kind: QuickPickItemKind.Separator },
    {
      label: vscode.l10n.t('Change in Settings…'),
      iconPath: new ThemeIcon('settings-gear'),
      act: () => vscode.commands.executeCommand('workbench.action.openSettings', settingIds.models),
    },
    ...(isLearned
      ? [
          {
            label: vscode.l10n.t('Clear Learned Details'),
            iconPath: new ThemeIcon('discard'),
            act: forget,
          },
        ]
      : []),
  ];
}
