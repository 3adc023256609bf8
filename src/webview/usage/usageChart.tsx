import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { UsageBar, UsageOverview } from '../../protocol/usageMessages.ts';
import { DataTable } from '../parts/dataTable.tsx';
import { costText, numberText, summaryText, type Locale } from './usageText.ts';

/** Line patterns for each color, visible in high contrast themes. The last color is muted. */
const hatches = ['', 'M0 8L8 0', 'M0 0L8 8', 'M0 4H8', 'M4 0V8', 'M0 4H8M4 0V8'];

/** Fill for a color, counted from 0; needs {@link ChartPatterns} in the page. */
export function chartFill(color: number): string {
  return `url(#usage-part-${color})`;
}

/** Definitions of the chart's patterns; a page needs them once. */
export function ChartPatterns(): JSX.Element {
  return (
    <svg class="usage-patterns" width="0" height="0" aria-hidden="true">
      <defs>
        {hatches.map((hatch, part) => (
          <pattern
            key={part}
            id={`usage-part-${part}`}
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
          >
            <rect class={`usage-color-${part}`} width="8" height="8" />
            <path class="usage-hatch" d={hatch} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

/** A sample of a color, for the label beside it. */
export function ChartSample({ color }: { readonly color: number }): JSX.Element {
  return (
    <svg class="usage-sample" width="12" height="12" aria-hidden="true">
      <rect width="12" height="12" fill={chartFill(color)} />
    </svg>
  );
}

/** The days or months as bars, stacked by model, and the same as a table. */
export function UsageChart({ report }: { readonly report: UsageOverview }): JSX.Element {
  const [pointed, setPointed] = useState<string | undefined>(undefined);
  const [isTable, setTable] = useState(false);
  const { bars, models, total, isDemo } = report;
  const bar = bars.find(({ key }) => key === pointed);
  const title = bars[0]?.key.length === 7 ? l10n.t('Tokens by Month') : l10n.t('Tokens by Day');
  const hasOthers = bars.some(({ parts }) => (parts[models.length] ?? 0) > 0);
  const names = hasOthers ? [...models, l10n.t('Other models')] : models;
  const summary = summaryText(bar ?? total, report, isDemo);
  return (
    <figure class="usage-chart">
      <figcaption class="usage-caption">
        <h2>{title}</h2>
        <span class="usage-more">
          {bar === undefined ? summary : `${periodText(bar.key, report)}: ${summary}`}
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
            {names.map((name, part) => (
              <span key={name} class="usage-model">
                <ChartSample color={colorOf(part, models)} />
                <bdi>{name}</bdi>
              </span>
            ))}
          </div>
          <Plot report={report} names={names} onPoint={setPointed} />
        </div>
      )}
      <div
        class={isTable ? 'usage-scroll' : 'unseen'}
        {...(isTable && { role: 'group', 'aria-label': title, tabIndex: 0 })}
      >
        <DataTable<UsageBar>
          class="usage-table"
          caption={title}
          heading={l10n.t('Time')}
          nameOf={({ key }) => periodText(key, report)}
          columns={[
            {
              heading: l10n.t('Total'),
              cell: ({ total_tokens, estimated }) => numberText(total_tokens, report, estimated),
            },
            total.costs.length > 0 && {
              heading: l10n.t('Cost'),
              cell: (row) => costText(row, report) ?? '–',
            },
            ...names.map((heading, part) => ({
              heading,
              cell: ({ parts }: UsageBar) => numberText(parts[part] ?? 0, report),
            })),
          ]}
          rows={bars}
        />
      </div>
    </figure>
  );
}

/** The last color is that of all other models. */
function colorOf(part: number, models: readonly string[]): number {
  return part === models.length ? hatches.length - 1 : part;
}

/** CSS pixels of the highest bar. */
const plotHeight = 180;
/** Maximum number of labels below the bars. */
const maxLabels = 7;

interface PlotProps {
  readonly report: UsageOverview;
  /** Names of the parts of a bar. */
  readonly names: readonly string[];
  readonly onPoint: (key: string | undefined) => void;
}

function Plot({ report, names, onPoint }: PlotProps): JSX.Element {
  const { bars, models, isDemo } = report;
  const top = axisTop(Math.max(1, ...bars.map(({ total_tokens }) => total_tokens)));
  const step = Math.ceil(bars.length / maxLabels);
  return (
    <div class="usage-plot">
      <div class="usage-axis">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{formatTokens(value)}</span>
        ))}
      </div>
      <div class="usage-bars" onPointerLeave={() => onPoint(undefined)}>
        {bars.map((bar, index) => {
          const lines = names
            .map((name, part) => ({ name, tokens: bar.parts[part] ?? 0 }))
            .filter(({ tokens }) => tokens > 0)
            .map(({ name, tokens }) => `${name}: ${numberText(tokens, report)}`);
          const summary = `${periodText(bar.key, report)}: ${summaryText(bar, report, isDemo)}`;
          // The last bar, which is today, has a label.
          const isNamed = (bars.length - 1 - index) % step === 0;
          let above = plotHeight;
          return (
            <div
              key={bar.key}
              class="usage-slot"
              title={[summary, ...lines].join('\n')}
              onPointerEnter={() => onPoint(bar.key)}
            >
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
              {isNamed && <span class="usage-label">{periodText(bar.key, report, true)}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The name of a day or a month: long, or short for an axis. */
function periodText(key: string, { language }: Locale, isShort = false): string {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  const date = new Date(year, month - 1, day, 12);
  if (key.length === 7)
    return date.toLocaleDateString(language, {
      month: isShort ? 'short' : 'long',
      year: 'numeric',
    });
  const inYear = { month: 'short', day: 'numeric' } as const;
  const inFull = { ...inYear, weekday: 'short', year: 'numeric' } as const;
  return date.toLocaleDateString(language, isShort ? inYear : inFull);
}

/** Tops of an axis, times a power of ten, whose halves are also short numbers. */
const tops = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10];

/** The top of an axis, slightly above the highest value. */
function axisTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return (tops.find((top) => top * power >= most) ?? 10) * power;
}
