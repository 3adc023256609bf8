import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatMoney, formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { isObject } from '../../core/support/json.ts';
import type {
  UsageBar,
  UsageOverview,
  UsageRange,
  UsageCalls,
  UsageResults,
  UsageRow,
  UsageTable,
  UsageTile,
} from '../../protocol/usageMessages.ts';
import { DataTable, type Column } from '../parts/dataTable.tsx';
import { causeText, tokensText } from '../parts/format.ts';
import {
  chartFill,
  ChartPatterns,
  ChartSample,
  LiveText,
  mutedColor,
  numberText,
  Share,
  TabPage,
  type Locale,
  type Post,
} from './tabPage.tsx';

interface UsagePageProps {
  readonly report: UsageOverview;
  readonly post: Post<UsageCalls>;
}

function UsagePage({ report, post }: UsagePageProps): JSX.Element {
  const { range, total, isEmpty, isDemo } = report;
  const notes: string[] = [];
  if (total.estimated) notes.push(l10n.t('≈ marks values estimated by Aside.'));
  if (total.unpriced && total.costs.length > 0)
    notes.push(l10n.t('≥ marks partial costs. Some prices are unknown.'));
  const rangeName = new Map(rangeNames()).get(range) ?? '';
  const button = (command: UsageCalls['run']['command'], label: string): JSX.Element => (
    <button type="button" class="button secondary" onClick={() => post('run', { command })}>
      {label}
    </button>
  );
  return (
    <main class="usage">
      <header class="usage-head">
        <h1>{l10n.t('Token Usage')}</h1>
        <div class="button-row">
          {button('setBudget', l10n.t('Set Budget…'))}
          {!isEmpty && button('exportUsage', l10n.t('Export…'))}
          {!isEmpty && button('deleteUsage', l10n.t('Delete Token Usage Before…'))}
        </div>
      </header>
      {isEmpty ? (
        <section class="usage-empty">
          <h2>{l10n.t('No usage yet')}</h2>
          <p>
            {l10n.t(
              'After your first message, this page shows tokens and cost by day, model, workspace, chat, and purpose.',
            )}
          </p>
        </section>
      ) : (
        <>
          <div class="usage-tiles">
            {report.tiles.map((tile) => (
              <Tile key={tile.key} tile={tile} report={report} post={post} />
            ))}
          </div>
          <fieldset class="usage-ranges">
            <legend class="unseen">{l10n.t('Range')}</legend>
            {rangeNames().map(([key, name]) => (
              <label key={key}>
                <input
                  type="radio"
                  name="range"
                  checked={key === range}
                  onChange={() => post('show', { range: key })}
                />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
          <UsageChart report={report} />
          {report.tables.map((table) => (
            <Table key={table.of} table={table} report={report} post={post} />
          ))}
          <p class="usage-notes">{notes.join(' ')}</p>
        </>
      )}
      <LiveText reason={range} text={`${rangeName}: ${summaryText(total, report, isDemo)}`} />
    </main>
  );
}

function rangeNames(): readonly (readonly [UsageRange, string])[] {
  return [
    ['7days', l10n.t('7 Days')],
    ['30days', l10n.t('30 Days')],
    ['month', l10n.t('This Month')],
    ['12months', l10n.t('12 Months')],
    ['all', l10n.t('All')],
  ];
}

function Tile({ tile, report, post }: UsagePageProps & { readonly tile: UsageTile }) {
  const { key, budget, demo } = tile;
  const titles: Readonly<Record<typeof key, string>> = {
    today: l10n.t('Today'),
    month: l10n.t('This Month'),
    session: l10n.t('This Session'),
    chat: l10n.t('This Chat'),
  };
  const isDemo = demo !== undefined && tile.requests === 0;
  const row = isDemo ? demo : tile;
  const { total_tokens, estimated } = row;
  const money = (amount: number): string => formatMoney(amount, report.currency, report.language);
  return (
    <section class="usage-tile" aria-label={titles[key]}>
      <h2>{titles[key]}</h2>
      <p class="usage-big" title={numberText(total_tokens, report, estimated)}>
        {formatTokens(total_tokens, estimated)} <small>{l10n.t('tokens')}</small>
      </p>
      <p class="usage-more">{costAndRequests(row, report, isDemo)}</p>
      {demo !== undefined && !isDemo && <p class="usage-more">{summaryText(demo, report, true)}</p>}
      {budget && (
        <>
          <Share of={budget.remaining} whole={budget.limit} kind="budget" />
          <p class="usage-more">
            {budget.unit === 'money'
              ? l10n.t('{0} of {1} left', money(budget.remaining), money(budget.limit))
              : l10n.t(
                  '{0} of {1} tokens left',
                  formatTokens(budget.remaining),
                  formatTokens(budget.limit),
                )}
          </p>
        </>
      )}
      {key === 'session' && total_tokens > 0 && (
        <button type="button" class="link" onClick={() => post('run', { command: 'resetUsage' })}>
          {l10n.t('Reset Session')}
        </button>
      )}
    </section>
  );
}

type TableProps = UsagePageProps & { readonly table: UsageTable };

function Table({ table, report, post }: TableProps): JSX.Element {
  const { of, rows, leftOut } = table;
  const { total, isDemo } = report;
  const titles: Readonly<Record<typeof of, readonly [title: string, heading: string]>> = {
    causes: [l10n.t('By Cause'), l10n.t('Cause')],
    models: [l10n.t('Models'), l10n.t('Model')],
    workspaces: [l10n.t('Workspaces'), l10n.t('Workspace')],
    chats: [l10n.t('Chats'), l10n.t('Chat')],
    purposes: [l10n.t('Purposes'), l10n.t('Purpose')],
    demo: [l10n.t('Demo'), l10n.t('Model')],
  };
  const [title, heading] = titles[of];
  const isOfCauses = of === 'causes';
  const most = Math.max(0, ...rows.map(({ total_tokens }) => total_tokens));
  return (
    <section class="usage-section" aria-label={title}>
      <h2>{title}</h2>
      {isDemo && !isOfCauses && <p class="usage-more">{demoText()}</p>}
      {of === 'demo' && (
        <p class="usage-more">
          {l10n.t("Requests to the demo cost nothing and aren't included in totals or budgets.")}
        </p>
      )}
      {rows.length === 0 ? (
        <p class="usage-more">{l10n.t('No usage in this range.')}</p>
      ) : (
        <div class="usage-scroll" role="group" aria-label={title} tabIndex={0}>
          <DataTable
            class="usage-table"
            heading={heading}
            nameOf={(row) => (
              <>
                <RowName table={table} row={row} post={post} />
                <Share
                  of={row.total_tokens}
                  whole={isOfCauses ? total.total_tokens : most}
                  kind="row"
                />
              </>
            )}
            columns={columnsOf(table, report)}
            rows={rows}
            total={rows.length > 1 && !isOfCauses && of !== 'demo' ? total : undefined}
          />
        </div>
      )}
      {leftOut > 0 && (
        <p class="usage-more">
          {l10n.t('{0} more, included in the total', numberText(leftOut, report))}
        </p>
      )}
    </section>
  );
}

function columnsOf({ of }: UsageTable, report: UsageOverview): (Column<UsageRow> | false)[] {
  const { total, language } = report;
  const tokens = (count: (row: UsageRow) => number) => (row: UsageRow) =>
    numberText(count(row), report, row.estimated);
  const share = (part: number, whole: number): string =>
    (whole === 0 ? 0 : Math.min(1, part / whole)).toLocaleString(language, { style: 'percent' });
  const all = { heading: l10n.t('Tokens'), cell: tokens(({ total_tokens }) => total_tokens) };
  const hasCosts = total.costs.length > 0 && of !== 'demo';
  if (of === 'causes')
    return [
      all,
      {
        heading: l10n.t('Share'),
        cell: ({ total_tokens }) => share(total_tokens, total.total_tokens),
      },
      hasCosts && {
        heading: l10n.t('Cost'),
        cell: (row) => costText({ ...row, estimated: false, unpriced: false }, report) ?? '–',
      },
    ];
  return [
    all,
    { heading: l10n.t('Prompt'), cell: tokens(({ prompt_tokens }) => prompt_tokens) },
    {
      heading: l10n.t('Cached'),
      cell: ({ cached_tokens, prompt_tokens }) => share(cached_tokens, prompt_tokens),
      hint: ({ cached_tokens }) => counted(l10n.t('{0} tokens'), cached_tokens, language),
    },
    {
      heading: l10n.t('Completion'),
      cell: tokens(({ completion_tokens }) => completion_tokens),
      hint: ({ reasoning_tokens = 0 }) =>
        reasoning_tokens > 0
          ? l10n.t('Includes {0} reasoning tokens', numberText(reasoning_tokens, report))
          : undefined,
    },
    { heading: l10n.t('Requests'), cell: ({ requests }) => numberText(requests, report) },
    hasCosts && { heading: l10n.t('Cost'), cell: (row) => costText(row, report) ?? '–' },
  ];
}

interface RowNameProps extends Pick<TableProps, 'table' | 'post'> {
  readonly row: UsageRow;
}

/** Names from untrusted sources are isolated, so that they affect no text around them. */
function RowName({ table, row, post }: RowNameProps): JSX.Element {
  const { key, title } = row;
  const [name, hint = name] = nameOf(row, table);
  const text = <bdi>{name}</bdi>;
  if (title !== undefined)
    return (
      <button
        type="button"
        class="link usage-name"
        title={name}
        onClick={() => post('open-chat', { id: key })}
      >
        {text}
      </button>
    );
  const classes: Partial<Record<UsageTable['of'], string>> = {
    // The end of a long id is always visible: it distinguishes models of one provider.
    models: 'usage-name model-id',
    demo: 'usage-name model-id',
    chats: key === '' ? 'usage-name' : 'usage-name faded',
  };
  return (
    <span class={classes[table.of] ?? 'usage-name'} title={hint}>
      {text}
    </span>
  );
}

/** The name of a row, and a longer one for its hint. */
function nameOf(
  { key, cause, title, isDeleted }: UsageRow,
  { of, rows }: UsageTable,
): readonly [name: string, hint?: string] {
  if (cause !== undefined) return [causeText(cause)];
  if (of === 'chats') {
    if (key === '') return [l10n.t('Outside of chats')];
    if (isDeleted === true) return [l10n.t('Deleted chat')];
    return [title === '' ? l10n.t('New Chat') : (title ?? '…')];
  }
  if (of === 'workspaces') {
    if (key === '') return [l10n.t('No workspace')];
    const path = pathOf(key);
    const isUnique = rows.every((row) => row.key === key || folderOf(row.key) !== folderOf(key));
    return [isUnique ? folderOf(key) : path, path];
  }
  if (of !== 'purposes') return [key];
  const [, extension] = /^provider:([^]*)$/.exec(key) ?? [];
  if (extension !== undefined) return [l10n.t('Extension {0}', extension)];
  const purposes = new Map([
    ['chat', l10n.t('Messages')],
    ['tools', l10n.t('Tool results')],
    // Requests of version 1.0.
    ['compare', l10n.t('Compared models')],
    ['edit', l10n.t('Edits')],
    ['fix', l10n.t('Fixes')],
    ['commit', l10n.t('Commit messages')],
    ['review', l10n.t('Reviews of changes')],
    ['shorten', l10n.t('Shortened chats')],
  ]);
  // Purposes of later versions are shown unchanged.
  return [purposes.get(key) ?? key];
}

/** The path of a workspace, for people. */
function pathOf(address: string): string {
  try {
    return decodeURIComponent(address.replace(/^file:\/\//, ''));
  } catch {
    return address;
  }
}

function folderOf(address: string): string {
  const segments = pathOf(address).split('/');
  return segments.findLast((segment) => segment !== '') ?? address;
}

/** The days or months as bars, stacked by model, and the same as a table. */
function UsageChart({ report }: { readonly report: UsageOverview }): JSX.Element {
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
                <ChartSample color={part < models.length ? part : mutedColor} />
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

/** Tops of an axis, times a power of ten, whose halves are also short numbers. */
const tops = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10];

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
  const most = Math.max(1, ...bars.map(({ total_tokens }) => total_tokens));
  const power = 10 ** Math.floor(Math.log10(most));
  const top = (tops.find((candidate) => candidate * power >= most) ?? 10) * power;
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
                      fill={chartFill(part < models.length ? part : mutedColor)}
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

/** The known cost in all currencies, with `≥` if some is unknown; undefined if all is. */
function costText(row: UsageRow, { language }: Locale): string | undefined {
  const { costs, unpriced, estimated } = row;
  if (costs.length === 0) return undefined;
  const amounts = costs.map(([currency, amount]) => formatMoney(amount, currency, language));
  const approximate = estimated ? '≈' : '';
  return (unpriced ? '≥' : approximate) + amounts.join(' + ');
}

/** Text such as `12.4k tokens · $0.42 · 12 requests`. */
function summaryText(row: UsageRow, locale: Locale, isDemo: boolean): string {
  const tokens = tokensText(row.total_tokens, row.estimated);
  return `${tokens} · ${costAndRequests(row, locale, isDemo)}`;
}

/** Text such as `$0.42 · 12 requests`. */
function costAndRequests(row: UsageRow, locale: Locale, isDemo: boolean): string {
  const cost = isDemo ? demoText() : costText(row, locale);
  const requests =
    row.requests === 1
      ? l10n.t('1 request')
      : counted(l10n.t('{0} requests'), row.requests, locale.language);
  return cost === undefined ? requests : `${cost} · ${requests}`;
}

function demoText(): string {
  return l10n.t('Demo, not billed');
}

/** Shows the page of the tab with the usage. */
export function showUsage(): void {
  const report = signal<UsageOverview | undefined>(undefined);
  const page = new TabPage<UsageCalls, UsageResults, UsageOverview>((state) => {
    report.value = state;
  });
  const post: Post<UsageCalls> = (name, parameters) => {
    if (name === 'show') page.api.setState(parameters);
    page.post(name, parameters);
  };
  page.render(() =>
    report.value === undefined ? (
      <p class="usage-reading" role="status">
        {l10n.t('Reading token usage…')}
      </p>
    ) : (
      <UsagePage report={report.value} post={post} />
    ),
  );
  // The range that was visible before the page was hidden.
  const state = page.api.getState();
  const range = isObject(state) ? rangeNames().find(([key]) => key === state['range']) : undefined;
  post('ready', { range: range?.[0] });
}
