import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { UsageBar, UsageOverview } from '../../protocol/usageMessages.ts';
import { chartFill, ChartPatterns, ChartSample, lastChartColor } from './chartColors.tsx';
import { axisTop, knownCostText, numberText, periodText, summaryText } from './usageText.ts';

/** CSS pixels of the highest bar. */
const plotHeight = 180;
/** Maximum number of labels below the bars. */
const maxLabels = 7;

/** The days, months or years as bars, stacked by model, and the same as a table. */
export function UsageChart({ report }: { readonly report: UsageOverview }): JSX.Element {
  const [pointed, setPointed] = useState<string | undefined>(undefined);
  const [isTable, setTable] = useState(false);
  const { bars, total } = report;
  const bar = bars.find(({ key }) => key === pointed);
  const title = titleOf(bars[0]?.key ?? '');
  const names = namesOf(report);
  const hasCosts = total.costs.length > 0;
  const summary = summaryText(bar ?? total, report, report.isDemo);
  return (
    <figure class="usage-chart">
      <figcaption class="usage-caption">
        <h2>{title}</h2>
        <span class="usage-more">
          {bar === undefined ? summary : `${periodText(bar.key, report, false)}: ${summary}`}
        </span>
        <button type="button" class="link" onClick={() => setTable(!isTable)}>
          {isTable ? l10n.t('Show as Chart') : l10n.t('Show as Table')}
        </button>
      </figcaption>
      {!isTable && (
        <div
          role="img"
          aria-label={l10n.t('{0}: {1}. The table below has the numbers.', title, summary)}
        >
          <div class="usage-legend">
            <ChartPatterns />
            {names.map((model, index) => (
              <span key={model} class="usage-model">
                <ChartSample color={colorOf(index, report.models)} />
                <bdi>{model}</bdi>
              </span>
            ))}
          </div>
          <Plot report={report} onPoint={setPointed} />
        </div>
      )}
      <div
        class={isTable ? 'usage-scroll' : 'unseen'}
        {...(isTable && { role: 'group', 'aria-label': title, tabIndex: 0 })}
      >
        <table class="usage-table">
          <caption class="unseen">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Time')}</th>
              <th scope="col">{l10n.t('Total')}</th>
              {hasCosts && <th scope="col">{l10n.t('Cost')}</th>}
              {names.map((name) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map((row) => (
              <tr key={row.key}>
                <th scope="row">{periodText(row.key, report, false)}</th>
                <td>{numberText(row.total, report, row.estimated)}</td>
                {hasCosts && <td>{knownCostText(row, report) ?? '–'}</td>}
                {names.map((name, part) => (
                  <td key={name}>{numberText(row.parts[part] ?? 0, report)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function titleOf(key: string): string {
  if (key.length === 4) return l10n.t('Tokens by Year');
  return key.length === 7 ? l10n.t('Tokens by Month') : l10n.t('Tokens by Day');
}

/** Names of the parts of a bar. Those of models come from the service. */
function namesOf({ models, bars }: UsageOverview): readonly string[] {
  const hasOthers = bars.some(({ parts }) => (parts[models.length] ?? 0) > 0);
  return hasOthers ? [...models, l10n.t('Other models')] : models;
}

/** The last color is that of all other models. */
function colorOf(part: number, models: readonly string[]): number {
  return part === models.length ? lastChartColor : part;
}

interface PlotProps {
  readonly report: UsageOverview;
  readonly onPoint: (key: string | undefined) => void;
}

function Plot({ report, onPoint }: PlotProps): JSX.Element {
  const { bars } = report;
  const top = axisTop(Math.max(1, ...bars.map(({ total }) => total)));
  const step = Math.ceil(bars.length / maxLabels);
  // The last one is today.
  const isNamed = (index: number): boolean => (bars.length - 1 - index) % step === 0;
  return (
    <div class="usage-plot">
      <div class="usage-axis">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{formatTokens(value)}</span>
        ))}
      </div>
      <div class="usage-bars" onPointerLeave={() => onPoint(undefined)}>
        {bars.map((bar, index) => (
          <div
            key={bar.key}
            class="usage-slot"
            title={hintOf(bar, report)}
            onPointerEnter={() => onPoint(bar.key)}
          >
            <Bar bar={bar} models={report.models} top={top} />
            {isNamed(index) && <span class="usage-label">{periodText(bar.key, report, true)}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}

interface BarProps {
  readonly bar: UsageBar;
  readonly models: readonly string[];
  /** Number of tokens at the top of the axis. */
  readonly top: number;
}

function Bar({ bar, models, top }: BarProps): JSX.Element {
  let above = plotHeight;
  return (
    <svg class="usage-bar" height={plotHeight}>
      {bar.parts.map((tokens, part) => {
        if (tokens <= 0) return undefined;
        // Any usage is visible.
        const height = Math.max(1, (tokens / top) * plotHeight);
        above -= height;
        return (
          <rect
            key={part}
            class="usage-part"
            y={above.toFixed(1)}
            width="100%"
            height={height.toFixed(1)}
            fill={chartFill(colorOf(part, models))}
          />
        );
      })}
    </svg>
  );
}

function hintOf(bar: UsageBar, report: UsageOverview): string {
  const parts = namesOf(report).flatMap((name, part) => {
    const tokens = bar.parts[part] ?? 0;
    return tokens === 0 ? [] : [`${name}: ${numberText(tokens, report)}`];
  });
  const heading = `${periodText(bar.key, report, false)}: ${summaryText(bar, report, report.isDemo)}`;
  return [heading, ...parts].join('\n');
}
