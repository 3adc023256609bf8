/** Usage by model, and what it costs at the prices in the settings. */
import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import {
  addUsage,
  knownCost,
  zeroUsage,
  type Price,
  type Usage,
} from '../../core/conversation/usage.ts';
import { settingsOfModel, type SettingValues } from '../platform/settingValues.ts';

/** How amounts are written, and the price of a model by its written id. */
export interface UsageContext {
  /** VS Code's display language, for numbers. */
  readonly language: string;
  readonly currency: string;
  readonly priceOf: (model: string) => Price | undefined;
}

export function usageContext(settings: { current(): SettingValues }): UsageContext {
  const current = settings.current();
  return {
    language: vscode.env.language,
    currency: current.currency,
    priceOf: (model) => settingsOfModel(current, model).price,
  };
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
