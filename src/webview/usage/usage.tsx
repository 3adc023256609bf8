import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import type {
  UsageOverview,
  UsageRange,
  UsageRequests,
  UsageResults,
} from '../../protocol/usageMessages.ts';
import { TabPage, type Post } from './tabPage.tsx';
import { UsagePage } from './usagePage.tsx';

const ranges: readonly UsageRange[] = ['7days', '30days', 'month', '12months', 'all'];

/** Shows the page of the tab with the usage. */
export function showUsage(): void {
  const report = signal<UsageOverview | undefined>(undefined);
  const page = new TabPage<UsageRequests, UsageResults, UsageOverview>((state) => {
    report.value = state;
  });

  const post: Post<UsageRequests> = (name, parameters) => {
    if (name === 'show') page.api.setState(parameters);
    page.post(name, parameters);
  };

  page.render(() => {
    const current = report.value;
    return current === undefined ? (
      <p class="usage-reading" role="status">
        {l10n.t('Reading token usage…')}
      </p>
    ) : (
      <UsagePage report={current} post={post} />
    );
  });
  post('ready', { range: rangeIn(page.api.getState()) });
}

/** The range that was visible before the page was hidden. */
function rangeIn(state: unknown): UsageRange | undefined {
  if (typeof state !== 'object' || state === null || !('range' in state)) return undefined;
  return ranges.find((range) => range === state.range);
}
