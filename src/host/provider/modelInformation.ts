import * as vscode from 'vscode';
import type { LanguageModelChatInformation } from 'vscode';
import { shortModelName } from '../../core/conversation/usage.ts';
import { bareId, describeModel, type ServiceModel } from '../connection/modelList.ts';
import type { ModelSettings } from '../settingValues.ts';

/** Settings and service of the models that are offered to other extensions. */
interface InformationContext {
  /** The host of their service; undefined for the demo. */
  readonly host: string | undefined;
  readonly settingsOf: (model: string) => Partial<ModelSettings>;
  readonly currency: string;
}

/** Default tokens of a request with its reply, which most current models accept. */
const usualWindow = 128_000;
const usualOutput = 16_000;

export function modelInformation(
  model: ServiceModel,
  { host, settingsOf, currency }: InformationContext,
): LanguageModelChatInformation {
  const settings = settingsOf(model.id);
  const facts = describeModel({ ...model, missing: false }, settings, currency);
  const destination =
    host ?? vscode.l10n.t('Demo mode: scripted replies in English. Nothing is sent.');
  const bare = bareId(model);
  const unknown =
    settings.contextWindow === undefined ? [vscode.l10n.t("The context window isn't known.")] : [];
  return {
    id: model.id,
    name: model.id,
    family: shortModelName(bare),
    version: bare,
    detail: host === undefined ? vscode.l10n.t('Demo') : facts === '' ? host : facts,
    tooltip: [model.id, destination, facts, ...unknown].filter((line) => line !== '').join('\n'),
    ...tokenLimits(settings),
    capabilities: { toolCalling: settings.tools ?? true, imageInput: settings.images ?? false },
  };
}

/**
 * Maximum tokens of a request and of its reply, which together fill the context window. VS Code
 * needs numbers even if none are known.
 */
export function tokenLimits({
  contextWindow = usualWindow,
  maxOutput,
}: Partial<ModelSettings>): Pick<
  LanguageModelChatInformation,
  'maxInputTokens' | 'maxOutputTokens'
> {
  const half = Math.max(1, Math.floor(contextWindow / 2));
  const maxOutputTokens = Math.min(maxOutput ?? Math.min(usualOutput, half / 2), half);
  const output = Math.max(1, Math.floor(maxOutputTokens));
  return { maxInputTokens: Math.max(1, contextWindow - output), maxOutputTokens: output };
}
