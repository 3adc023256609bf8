import type { l10n } from 'vscode';
import { totalOf, type UsageByModel } from './usageByModel.ts';
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
  const { estimated, total_tokens } = totalOf(usage);
  const tokens = (estimated ? '≈' : '') + total_tokens.toLocaleString(context.language);
  const rows = usageRows([usage], context);
  return {
    label: l10n.t('{0} tokens', tokens),
    // An id of the service must not become an icon.
    description: whose.replaceAll('$(', '$ ('),
    detail: rows.map((row) => `${row.label} ${row.values[0] ?? ''}`).join(' · '),
  };
}
