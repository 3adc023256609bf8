import type { Conversation } from '../../core/conversation/conversation.ts';
import { addUsage, noUsage, type Usage } from '../../core/conversation/usage.ts';

/** Usage of each model, by its id: kept apart since each has a price of its own. */
export type UsageByModel = ReadonlyMap<string, Usage>;

/** What a chat used so far, its running turn and those taken back included. */
export function usageOfChat({ usage, demoUsage = {} }: Conversation): UsageByModel {
  return Object.entries(demoUsage).reduce(
    (sum, [model, used]) => addModelUsage(sum, model, used),
    paidUsage({ usage }),
  );
}

/** The same without what the demo used. */
export function paidUsage({ usage }: Pick<Conversation, 'usage'>): UsageByModel {
  return new Map(Object.entries(usage));
}

export function addModelUsage(sum: UsageByModel, model: string, usage: Usage): UsageByModel {
  return new Map(sum).set(model, addUsage(sum.get(model) ?? noUsage, usage));
}

export function totalOf(usage: UsageByModel): Usage {
  return [...usage.values()].reduce(addUsage, noUsage);
}
