import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import type {
  UsageAmounts,
  UsageOverview,
  UsageRange,
  UsageRequests,
  UsageResults,
  UsageRow,
  UsageTile,
} from '../../protocol/usageMessages.ts';
import { causeText } from '../parts/format.ts';
import { TabPage, type Post } from './tabPage.tsx';
import { LiveText, Share } from './tabParts.tsx';
import { UsageChart } from './usageChart.tsx';
import {
  budgetText,
  cachedText,
  costAndRequests,
  costsText,
  decoded,
  demoText,
  knownCostText,
  numberText,
  purposeText,
  shareText,
  summaryText,
  tileTitle,
  workspaceText,
} from './usageText.ts';

interface UsagePageProps {
  readonly report: UsageOverview;
  readonly post: Post<UsageRequests>;
}

function UsagePage({ report, post }: UsagePageProps): JSX.Element {
  const { total } = report;
  const notes: string[] = [];
  if (total.estimated) notes.push(l10n.t('≈ marks values estimated by Aside.'));
  if (total.unpriced && total.costs.length > 0)
    notes.push(l10n.t('≥ marks partial costs. Some prices are unknown.'));
  return (
    <main class="usage">
      <header class="usage-head">
        <h1>{l10n.t('Token Usage')}</h1>
        <Actions post={post} isEmpty={report.isEmpty} />
      </header>
      {report.isEmpty ? (
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
              <Tile key={tile.of} tile={tile} report={report} post={post} />
            ))}
          </div>
          <fieldset class="usage-ranges">
            <legend class="unseen">{l10n.t('Range')}</legend>
            {rangeNames().map(([range, name]) => (
              <label key={range}>
                <input
                  type="radio"
                  name="range"
                  checked={range === report.range}
                  onChange={() => post('show', { range })}
                />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
          <UsageChart report={report} />
          <Tables report={report} post={post} />
          <p class="usage-notes">{notes.join(' ')}</p>
        </>
      )}
      <LiveText reason={report.range} text={rangeText(report)} />
    </main>
  );
}

type Command = UsageRequests['run']['command'];

function Actions({ post, isEmpty }: Pick<UsagePageProps, 'post'> & { readonly isEmpty: boolean }) {
  const run = (command: Command, label: string): JSX.Element => (
    <button type="button" class="button secondary" onClick={() => post('run', { command })}>
      {label}
    </button>
  );
  return (
    <div class="button-row">
      {run('setBudget', l10n.t('Set Budget…'))}
      {!isEmpty && run('exportUsage', l10n.t('Export…'))}
      {!isEmpty && run('deleteUsage', l10n.t('Delete Token Usage Before…'))}
    </div>
  );
}

function Tile({ tile, report, post }: UsagePageProps & { readonly tile: UsageTile }) {
  const { of, budget, demo } = tile;
  const isDemo = demo !== undefined && tile.requests === 0;
  const amounts = isDemo ? demo : tile;
  const { total, estimated } = amounts;
  const title = tileTitle(of);
  return (
    <section class="usage-tile" aria-label={title}>
      <h2>{title}</h2>
      <p class="usage-big" title={numberText(total, report, estimated)}>
        {formatTokens(total, estimated)} <small>{l10n.t('tokens')}</small>
      </p>
      <p class="usage-more">{costAndRequests(amounts, report, isDemo)}</p>
      {demo !== undefined && !isDemo && <p class="usage-more">{summaryText(demo, report, true)}</p>}
      {budget && (
        <>
          <Share of={budget.remaining} whole={budget.limit} kind="budget" />
          <p class="usage-more">{budgetText(budget, report)}</p>
        </>
      )}
      {of === 'session' && total > 0 && (
        <button type="button" class="link" onClick={() => post('run', { command: 'resetUsage' })}>
          {l10n.t('Reset Session')}
        </button>
      )}
    </section>
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

/** Announcement of another range. */
function rangeText(report: UsageOverview): string {
  const name = new Map(rangeNames()).get(report.range) ?? '';
  return `${name}: ${summaryText(report.total, report, report.isDemo)}`;
}

function Tables({ report, post }: UsagePageProps): JSX.Element {
  const { tables, leftOut, demo, isDemo } = report;
  const shared = { report, total: report.total, note: isDemo ? demoText() : undefined };
  return (
    <>
      <CauseTable report={report} />
      <UsageTable
        {...shared}
        {...{ title: l10n.t('Models'), column: l10n.t('Model') }}
        {...{ rows: tables.models, leftOut: leftOut.models, nameOf: ModelName }}
      />
      <UsageTable
        {...shared}
        {...{ title: l10n.t('Workspaces'), column: l10n.t('Workspace') }}
        {...{ rows: tables.workspaces, leftOut: leftOut.workspaces }}
        nameOf={({ key }) => (
          <Name text={workspaceText(key, tables.workspaces)} hint={decoded(key)} />
        )}
      />
      <UsageTable
        {...shared}
        {...{ title: l10n.t('Chats'), column: l10n.t('Chat') }}
        {...{ rows: tables.chats, leftOut: leftOut.chats }}
        nameOf={(row) => <ChatName row={row} post={post} />}
      />
      <UsageTable
        {...shared}
        {...{ title: l10n.t('Purposes'), column: l10n.t('Purpose') }}
        {...{ rows: tables.purposes, leftOut: leftOut.purposes }}
        nameOf={({ key }) => <Name text={purposeText(key)} />}
      />
      {demo.length > 0 && (
        <UsageTable
          {...{ report, total: undefined, title: l10n.t('Demo'), column: l10n.t('Model') }}
          {...{ rows: demo, leftOut: 0, nameOf: ModelName }}
          note={l10n.t(
            "Requests to the demo cost nothing and aren't included in totals or budgets.",
          )}
        />
      )}
    </>
  );
}

/** What the tokens were for; the rows add up to the total. */
function CauseTable({ report }: { readonly report: UsageOverview }): JSX.Element {
  const { total, language } = report;
  const title = l10n.t('By Cause');
  const rows = report.causes.filter(({ tokens }) => tokens > 0);
  const hasCosts = total.costs.length > 0;
  return (
    <section class="usage-section" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="usage-more">{l10n.t('No usage in this range.')}</p>
      ) : (
        <div class="usage-scroll" role="group" aria-label={title} tabIndex={0}>
          <table class="usage-table">
            <thead>
              <tr>
                <th scope="col">{l10n.t('Cause')}</th>
                <th scope="col">{l10n.t('Tokens')}</th>
                <th scope="col">{l10n.t('Share')}</th>
                {hasCosts && <th scope="col">{l10n.t('Cost')}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ cause, tokens, costs }) => (
                <tr key={cause}>
                  <th scope="row">
                    {causeText(cause)}
                    <Share of={tokens} whole={total.total} kind="row" />
                  </th>
                  <td>{numberText(tokens, report, total.estimated)}</td>
                  <td>{shareText(tokens, total.total, report)}</td>
                  {hasCosts && <td>{costsText(costs, language) ?? '–'}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** A name from an untrusted source, isolated so that it affects no text around it. */
function Name({ text, hint = text }: { readonly text: string; readonly hint?: string }) {
  return (
    <bdi class="usage-name" title={hint}>
      {text}
    </bdi>
  );
}

/**
 * The name of a model. The end of a long id, which distinguishes models of one provider, is always
 * visible.
 */
function ModelName({ key }: UsageRow): JSX.Element {
  return (
    <span class="usage-name model-id" title={key}>
      <bdi>{key}</bdi>
    </span>
  );
}

function ChatName({ row, post }: Pick<UsagePageProps, 'post'> & { readonly row: UsageRow }) {
  const { key, title, isDeleted } = row;
  if (key === '') return <Name text={l10n.t('Outside of chats')} />;
  if (isDeleted === true) return <span class="usage-name faded">{l10n.t('Deleted chat')}</span>;
  if (title === undefined) return <span class="usage-name faded">…</span>;
  const name = title === '' ? l10n.t('New Chat') : title;
  return (
    <button
      type="button"
      class="link usage-name"
      title={name}
      onClick={() => post('open-chat', { id: key })}
    >
      <bdi>{name}</bdi>
    </button>
  );
}

interface UsageTableProps {
  readonly report: UsageOverview;
  readonly title: string;
  readonly column: string;
  readonly rows: readonly UsageRow[];
  /** Number of hidden rows. */
  readonly leftOut: number;
  /** The sum of all rows; undefined for rows that aren't included in sums. */
  readonly total: UsageAmounts | undefined;
  readonly nameOf: (row: UsageRow) => JSX.Element;
  readonly note?: string | undefined;
}

function UsageTable(props: UsageTableProps): JSX.Element {
  const { report, title, column, rows, leftOut, total, nameOf, note } = props;
  const hasCosts = total !== undefined && total.costs.length > 0;
  const headings = [l10n.t('Tokens'), l10n.t('Prompt'), l10n.t('Cached'), l10n.t('Completion')];
  const most = Math.max(0, ...rows.map((row) => row.total));
  return (
    <section class="usage-section" aria-label={title}>
      <h2>{title}</h2>
      {note !== undefined && <p class="usage-more">{note}</p>}
      {rows.length === 0 ? (
        <p class="usage-more">{l10n.t('No usage in this range.')}</p>
      ) : (
        <div class="usage-scroll" role="group" aria-label={title} tabIndex={0}>
          <table class="usage-table">
            <thead>
              <tr>
                <th scope="col">{column}</th>
                {[...headings, l10n.t('Requests')].map((heading) => (
                  <th key={heading} scope="col">
                    {heading}
                  </th>
                ))}
                {hasCosts && <th scope="col">{l10n.t('Cost')}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key}>
                  <th scope="row">
                    {nameOf(row)}
                    <Share of={row.total} whole={most} kind="row" />
                  </th>
                  <Numbers amounts={row} report={report} hasCosts={hasCosts} />
                </tr>
              ))}
            </tbody>
            {total !== undefined && rows.length > 1 && (
              <tfoot>
                <tr>
                  <th scope="row">{l10n.t('Total')}</th>
                  <Numbers amounts={total} report={report} hasCosts={hasCosts} />
                </tr>
              </tfoot>
            )}
          </table>
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

interface NumbersProps {
  readonly amounts: UsageAmounts;
  readonly report: UsageOverview;
  readonly hasCosts: boolean;
}

function Numbers({ amounts, report, hasCosts }: NumbersProps): JSX.Element {
  const { total, prompt, cached, completion, reasoning, requests, estimated } = amounts;
  const reasoningHint =
    reasoning > 0
      ? l10n.t('Includes {0} reasoning tokens', numberText(reasoning, report))
      : undefined;
  return (
    <>
      <td>{numberText(total, report, estimated)}</td>
      <td>{numberText(prompt, report, estimated)}</td>
      <td title={counted(l10n.t('{0} tokens'), cached, report.language)}>
        {cachedText(amounts, report)}
      </td>
      <td title={reasoningHint}>{numberText(completion, report, estimated)}</td>
      <td>{numberText(requests, report)}</td>
      {hasCosts && <td>{knownCostText(amounts, report) ?? '–'}</td>}
    </>
  );
}

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
  return rangeNames().find(([range]) => range === state.range)?.[0];
}
