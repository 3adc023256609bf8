import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import type { RequestOverview, ShownRequestPart } from '../../protocol/requestMessages.ts';
import { chartFill, ChartPatterns, ChartSample } from '../usage/chartColors.tsx';
import { numberText } from '../usage/usageText.ts';
import { colorOfPart, costOf, partGroups } from './requestWords.ts';

interface BarProps {
  readonly request: RequestOverview;
}

/** The parts of the request as shares of a bar, with the cached share, and the same as a table. */
export function RequestBar({ request }: BarProps): JSX.Element {
  const { parts, tokens, cache } = request;
  const title = l10n.t('Tokens by Part');
  return (
    <figure class="usage-chart">
      <figcaption class="usage-caption">
        <h2>{title}</h2>
      </figcaption>
      <div role="img" aria-label={l10n.t('{0}. The table below has the numbers.', title)}>
        <ChartPatterns />
        <svg class="request-bar">
          {stretchesOf(parts).map(({ color, from, length }) => (
            <rect
              key={from}
              class="usage-part"
              x={percent(from, tokens)}
              width={percent(length, tokens)}
              height="100%"
              fill={chartFill(color)}
            />
          ))}
        </svg>
        {cache.basis === 'known' && (
          <svg class="request-cached">
            <rect class="usage-track" width="100%" height="100%" />
            <rect class="request-level" width={percent(cache.tokens, tokens)} height="100%" />
          </svg>
        )}
        <div class="usage-legend">
          {groupSums(request).map(({ name, color, tokens: count }) => (
            <span key={name} class="usage-model">
              <ChartSample color={color} />
              {name} {percentText(count, request)}
            </span>
          ))}
          {cache.basis === 'known' && (
            <span class="usage-model">
              <svg class="request-sample" width="12" height="4" aria-hidden="true">
                <rect class="request-level" width="12" height="4" />
              </svg>
              {l10n.t('Cached')} {percentText(cache.tokens, request)}
            </span>
          )}
        </div>
      </div>
      <div class="unseen">
        <GroupTable request={request} title={title} />
      </div>
    </figure>
  );
}

/** Merges consecutive parts of the same color. */
function stretchesOf(parts: readonly ShownRequestPart[]) {
  const stretches: { color: number; from: number; length: number }[] = [];
  let from = 0;
  for (const { kind, tokens } of parts) {
    const color = colorOfPart(kind);
    if (color === undefined || tokens === 0) continue;
    const last = stretches.at(-1);
    if (last?.color === color) last.length += tokens;
    else stretches.push({ color, from, length: tokens });
    from += tokens;
  }
  return stretches;
}

function groupSums({ parts }: RequestOverview) {
  return partGroups()
    .map(({ name, kinds }, color) => {
      const members = parts.filter(({ kind }) => kinds.includes(kind));
      const tokens = members.reduce((sum, part) => sum + part.tokens, 0);
      return { name, color, tokens, cached: members.reduce((sum, { cached }) => sum + cached, 0) };
    })
    .filter(({ tokens }) => tokens > 0);
}

function percent(of: number, whole: number): string {
  return whole === 0 ? '0%' : `${((100 * of) / whole).toFixed(3)}%`;
}

function percentText(of: number, { tokens, language }: RequestOverview): string {
  const share = tokens === 0 ? 0 : of / tokens;
  return share.toLocaleString(language, { style: 'percent' });
}

function GroupTable({ request, title }: BarProps & { readonly title: string }): JSX.Element {
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          {[l10n.t('Part'), l10n.t('Tokens'), l10n.t('Cached'), l10n.t('Cost')].map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groupSums(request).map((group) => (
          <tr key={group.name}>
            <th scope="row">{group.name}</th>
            <td>{numberText(group.tokens, request, true)}</td>
            <td>{numberText(group.cached, request, true)}</td>
            <td>{costOf(group, request) ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
