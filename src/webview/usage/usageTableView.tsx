import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { counted } from '../../core/support/counted.ts';
import type { UsageAmounts, UsageOverview, UsageRow } from '../../protocol/usageMessages.ts';
import { cachedText, knownCostText, numberText } from './usageText.ts';
import { Share } from './tabParts.tsx';

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

export function UsageTable(props: UsageTableProps): JSX.Element {
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
