import type { l10n } from 'vscode';
import type { UsageByModel } from './usageByModel.ts';
import { usageRows, type UsageContext } from './usageTable.ts';

type Words = Pick<typeof l10n, 't'>;

export interface DescribedUsage {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** The numbers of one column as lines: the sum, then each model where there are several. */
export function describeUsage(usage: UsageByModel, context: UsageContext): DescribedUsage[] {
  const { l10n }: { l10n: Words } = context;
  const [first = ''] = usage.keys();
  if (usage.size < 2) return [describe(usage, first, context)];
  const models = [...usage].toSorted(([, a], [, b]) => b.total_tokens - a.total_tokens);
  return [
    describe(usage, l10n.t('{0} models', usage.size), context),
    ...models.map(([id, own]) => describe(new Map([[id, own]]), id, context)),
  ];
}

function describe(usage: UsageByModel, whose: string, context: UsageContext): DescribedUsage {
  const { l10n }: { l10n: Words } = context;
  const rows = usageRows([usage], context).map(({ name, label, values: [value = ''] }) => {
    return { name, text: `${label} ${value}`, value };
  });
  const valueOf = (wanted: string): string[] =>
    rows.filter(({ name }) => name === wanted).map(({ value }) => value);
  return {
    label: [l10n.t('{0} tokens', valueOf('total').join()), ...valueOf('cost')].join(' · '),
    // An id of the service must not become an icon.
    description: whose.replaceAll('$(', '$ ('),
    detail: rows
      .filter(({ name }) => name !== 'total' && name !== 'cost')
      .map(({ text }) => text)
      .join(' · '),
  };
}
