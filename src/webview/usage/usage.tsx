import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import type {
  UsageHostMessage,
  UsageRange,
  UsageOverview,
  UsageViewMessage,
} from '../../protocol/usageMessages.ts';
import { keepFocusIn } from './pageFocus.ts';
import { UsagePage } from './usagePage.tsx';

interface PageApi {
  postMessage(message: UsageViewMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): PageApi;

// Set before the first render, which reads the translations.
const translations = document.getElementById('l10n')?.textContent;
if (translations !== undefined && translations !== '') l10n.config({ contents: translations });

const ranges: readonly UsageRange[] = ['7days', '30days', 'month', '12months', 'all'];

const api = acquireVsCodeApi();
const report = signal<UsageOverview | undefined>(undefined);

window.addEventListener('message', ({ data }: MessageEvent<UsageHostMessage>) => {
  report.value = data.report;
});

const root = document.getElementById('root') ?? document.body;
keepFocusIn(root);
const post = (message: UsageViewMessage): void => {
  if (message.type === 'show') api.setState({ range: message.range });
  api.postMessage(message);
};

function Page() {
  const current = report.value;
  return current === undefined ? (
    <p class="usage-reading" role="status">
      {l10n.t('Reading token usage…')}
    </p>
  ) : (
    <UsagePage report={current} post={post} />
  );
}
render(<Page />, root);
post({ type: 'ready', range: rangeIn(api.getState()) });

/** The range that was visible before the page was hidden. */
function rangeIn(state: unknown): UsageRange | undefined {
  if (typeof state !== 'object' || state === null || !('range' in state)) return undefined;
  return ranges.find((range) => range === state.range);
}
