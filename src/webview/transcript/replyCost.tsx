import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { currencyOfServices, estimatedMoney, formatMoney } from '../../core/conversation/usage.ts';
import type { CacheMiss, ReplyCost } from '../../protocol/usageMessages.ts';
import { IconButton } from '../parts/controls.tsx';
import { DataTable } from '../parts/dataTable.tsx';
import { causeText, numberInPage } from '../parts/format.ts';

type Row = Pick<ReplyCost, 'tokens' | 'cost'> & { readonly key: string };

interface ReplyCostViewProps {
  readonly cost: ReplyCost;
  readonly onClose: () => void;
}

/** What a reply cost by cause, what the service billed, and why less came from its cache. */
export function ReplyCostView({ cost, onClose }: ReplyCostViewProps): JSX.Element {
  const group = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => group.current?.focus(), []);
  const title = l10n.t('Cost of This Reply');
  const { currency, language, estimated, isPartial, differs } = cost;
  const hasCosts = cost.cost !== undefined;
  const money = (amount: number | undefined): string => {
    if (amount === undefined) return '–';
    const written = (estimated ? estimatedMoney : formatMoney)(amount, currency, language);
    return isPartial ? `≥${written}` : written;
  };
  return (
    <div class="reply-cost" role="group" aria-label={title} tabIndex={-1} ref={group}>
      <div class="reply-cost-head">
        <span>{title}</span>
        <IconButton icon="close" name={l10n.t('Close')} onClick={onClose} />
      </div>
      <DataTable<Row>
        class="reply-cost-table"
        heading={l10n.t('Cause')}
        nameOf={({ key }) => key}
        columns={[
          {
            heading: l10n.t('Tokens'),
            cell: ({ tokens }) => (estimated ? '≈' : '') + numberInPage(tokens),
          },
          hasCosts && { heading: l10n.t('Cost'), cell: (row) => money(row.cost) },
        ]}
        rows={cost.rows.map((row) => ({ ...row, key: causeText(row.cause) }))}
        total={{ ...cost, key: '' }}
      />
      {cost.billed !== undefined && (
        <p class="hint">
          {l10n.t(
            'Billed by the service: {0}',
            formatMoney(cost.billed, currencyOfServices, language),
          )}
        </p>
      )}
      {differs && (
        <p class="hint">{l10n.t('The billed amount differs from the cost at the listed price.')}</p>
      )}
      {!hasCosts && <p class="hint">{l10n.t("The price of this model isn't known.")}</p>}
      {cost.misses.map((miss) => (
        <p key={miss} class="hint">
          {missText(miss)}
        </p>
      ))}
    </div>
  );
}

/** Why the service's cache had less of the chat. */
function missText(miss: CacheMiss): string {
  const texts: Readonly<Record<CacheMiss, string>> = {
    model: l10n.t('Not from the cache: the previous request went to another model.'),
    tools: l10n.t('Not from the cache: the tools changed.'),
    instructions: l10n.t('Not from the cache: the instructions changed.'),
    messages: l10n.t('Not from the cache: earlier messages were changed, excluded, or shortened.'),
    old: l10n.t('Not from the cache: the previous request was too long ago.'),
    unreported: l10n.t("Not from the cache: the service doesn't report any cached tokens."),
    service: l10n.t('Not from the cache: the service no longer had all of the chat.'),
  };
  return texts[miss];
}
