import * as vscode from 'vscode';
import {
  currencyOfServices,
  formatTokens,
  shownCount,
  type Rates,
} from '../../core/conversation/usage.ts';
import type { LearnedDetails } from '../../core/service/learnedFacts.ts';
import type { ModelFacts } from '../../core/service/modelFacts.ts';
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
  const { settings, listed, learned } = known;
  const details: ModelDetail[] = [];
  const add = (name: string, value: string, from: ModelDetail['from']): void => {
    details.push({ name, value, from });
  };
  const { language } = vscode.env;
  const limits = [
    ['contextWindow', vscode.l10n.t('Context window')],
    ['maxOutput', vscode.l10n.t('Longest reply')],
  ] as const;
  for (const [limit, name] of limits) {
    const [set, ofList = Infinity, ofError = Infinity] = [
      settings[limit],
      listed[limit],
      learned[limit],
    ];
    const tokens = set ?? Math.min(ofList, ofError);
    if (tokens === Infinity) continue;
    const count = shownCount(tokens);
    const text = counted(vscode.l10n.t('{0} tokens'), count, language, formatTokens(tokens));
    add(name, text, set !== undefined ? 'settings' : ofError < ofList ? 'error' : 'service');
  }
  details.push(...priceDetails(known));
  const [yes, no] = [vscode.l10n.t('Yes'), vscode.l10n.t('No')];
  if (listed.chat === false) add(vscode.l10n.t('Chat'), no, 'service');
  const abilities = [
    ['tools', vscode.l10n.t('Tools')],
    ['images', vscode.l10n.t('Images')],
  ] as const;
  for (const [ability, name] of abilities) {
    const has = settings[ability] ?? listed[ability];
    const from = settings[ability] === undefined ? 'service' : 'settings';
    if (has !== undefined) add(name, has ? yes : no, from);
    else if (ability === 'tools' && learned.withoutTools === true) add(name, no, 'error');
  }
  const traces = {
    turn: vscode.l10n.t('Since the last message'),
    chat: vscode.l10n.t('Whole chat'),
    refused: no,
  };
  if (learned.trace !== undefined)
    add(vscode.l10n.t('Reasoning sent back'), traces[learned.trace], 'error');
  const ofList = listed.refused ?? [];
  const onlySeen = (learned.refused ?? []).filter((option) => !ofList.includes(option));
  for (const [refused, from] of [
    [ofList, 'service'],
    [onlySeen, 'error'],
  ] as const) {
    const options = refusedUnlessSet(refused, settings).join(', ');
    if (options !== '') add(vscode.l10n.t('Options not accepted'), options, from);
  }
  return details;
}

function priceDetails({ settings, listed, currency }: ModelKnowledge): readonly ModelDetail[] {
  const { language } = vscode.env;
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
  const value = isPartial === true ? vscode.l10n.t('At least {0}', rates) : rates;
  const written =
    source &&
    (source.tokens === 1
      ? vscode.l10n.t('{0} in dollars per token', source.field)
      : vscode.l10n.t(
          '{0} in dollars per {1} tokens',
          source.field,
          source.tokens.toLocaleString(language),
        ));
  const ofTiers = tiers.map((tier) => {
    const [count, tokens] = [shownCount(tier.from), formatTokens(tier.from)];
    const words = counted(vscode.l10n.t('From {0} tokens'), count, language, tokens);
    return { name: words, value: ratesText(tier, currency), from };
  });
  const fees = [
    [vscode.l10n.t('Fee per request'), request],
    [vscode.l10n.t('Fee per image'), image],
  ] as const;
  const ofFees = fees.flatMap(([title, fee]) =>
    fee === undefined ? [] : [{ name: title, value: currency + String(fee), from }],
  );
  return [{ name, value, from, written }, ...ofTiers, ...ofFees];
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
