import * as vscode from 'vscode';
import { formatTokens, shownCount, type Price } from '../../core/conversation/usage.ts';
import type { LearnedDetails } from '../../core/service/learnedFacts.ts';
import type { ModelFacts, RefusedOption } from '../../core/service/modelFacts.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { currencyOfServices, refusedUnlessSet } from '../modelSettings.ts';
import type { ModelSettings } from '../settingValues.ts';
import { answerOf } from '../quickInput.ts';

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
}

/** All details of a model. Settings precede errors, which precede the service's list. */
export function modelDetails(known: ModelKnowledge): readonly ModelDetail[] {
  return [
    limitDetail('contextWindow', vscode.l10n.t('Context window'), known),
    limitDetail('maxOutput', vscode.l10n.t('Longest reply'), known),
    priceDetail(known),
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

function priceDetail(known: ModelKnowledge): ModelDetail | undefined {
  const { settings, listed, currency } = known;
  const price: Price | undefined =
    settings.price ?? (currency === currencyOfServices ? listed.price : undefined);
  if (price === undefined) return undefined;
  const { input, output, cachedInput } = price;
  const [read, written, cached] = [input, output, cachedInput ?? input].map(
    (amount) => currency + String(amount),
  );
  const value = vscode.l10n.t(
    '{0} input, {1} cached input, {2} output per million tokens',
    read ?? '',
    cached ?? '',
    written ?? '',
  );
  return {
    name: vscode.l10n.t('Price'),
    value,
    from: settings.price === undefined ? 'service' : 'settings',
  };
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

interface ModelDetailsOptions {
  /** Id at the service. */
  readonly model: string;
  readonly known: ModelKnowledge;
  readonly forget: () => Promise<void>;
  readonly openSettings: () => PromiseLike<unknown>;
}

interface DetailItem extends vscode.QuickPickItem {
  readonly act?: () => PromiseLike<unknown>;
}

/**
 * Shows the details of a model and their sources. Resolves with true if the person wants to return
 * to the models.
 */
export async function showModelDetails(options: ModelDetailsOptions): Promise<boolean> {
  const pick = vscode.window.createQuickPick<DetailItem>();
  pick.title = options.model;
  pick.placeholder = vscode.l10n.t('Model details and sources');
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.matchOnDescription = true;
  pick.items = detailItems(options);
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

function detailItems({ known, forget, openSettings }: ModelDetailsOptions): readonly DetailItem[] {
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
    ...details.map(({ name, value, from }) => ({
      label: `${name}: ${value}`,
      description: sources[from],
    })),
    { label: '', kind: QuickPickItemKind.Separator },
    {
      label: vscode.l10n.t('Change in Settings…'),
      iconPath: new ThemeIcon('settings-gear'),
      act: openSettings,
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
