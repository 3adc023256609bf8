import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatTokens } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import type {
  PartText,
  RequestOverview,
  RequestPageRequests,
  RequestPageResults,
  RequestPageState,
  ShownRequestPart,
} from '../../protocol/requestMessages.ts';
import { LiveText, numberText, Share, TabPage } from '../usage/tabPage.tsx';
import { ChartPatterns, ChartSample, chartFill } from '../usage/usagePage.tsx';
import { PartList, type PartListProps, PutAllBackButton } from './requestPartList.tsx';
import {
  breakText,
  cacheText,
  colorOfPart,
  costOf,
  leftOutText,
  partGroups,
  partKeys,
} from './requestWords.ts';

function RequestPage(props: PartListProps): JSX.Element {
  const { request, post } = props;
  const changed = breakText(request);
  const leftOut = leftOutText(request);
  // Announced when every part is sent again.
  const sent = `${l10n.t('Tokens')}: ${numberText(request.tokens, request, true)}`;
  return (
    <main class="usage request">
      <header class="usage-head">
        <div>
          <h1>{l10n.t('Next Request')}</h1>
          <p class="usage-more">
            <bdi>{request.title === '' ? l10n.t('New Chat') : request.title}</bdi>
            {' · '}
            <bdi>{request.model}</bdi>
          </p>
        </div>
        <Actions post={post} />
      </header>
      <Tiles request={request} />
      {leftOut !== undefined && (
        <p class="request-left-out">
          {leftOut} <PutAllBackButton parts={request.parts} post={post} />
        </p>
      )}
      {request.isPinnedTooLong && (
        <p class="usage-warning" role="note">
          {l10n.t(
            'Pinned items leave no room for a reply in the context window of {0}. Unpin some, or exclude others.',
            request.model,
          )}
        </p>
      )}
      {changed !== undefined && (
        <p class="usage-warning" role="note">
          {changed}
        </p>
      )}
      <LiveText reason={leftOut ?? ''} text={leftOut ?? sent} />
      <RequestBar request={request} />
      <div class="request-columns">
        <PartList {...props} />
        <Exact request={request} post={post} />
      </div>
      <p class="usage-notes">{l10n.t('≈ marks values estimated by Aside.')}</p>
    </main>
  );
}

function Actions({ post }: Pick<PartListProps, 'post'>): JSX.Element {
  const [copies, setCopies] = useState(0);
  const copy = (format: 'json' | 'curl'): void => {
    post('copy', { format });
    setCopies(copies + 1);
  };
  return (
    <div class="button-row">
      {/* Another element for each copy: an equal text would be no change. */}
      <div class="unseen" role="status">
        {copies > 0 && <span key={copies}>{l10n.t('Copied')}</span>}
      </div>
      <button type="button" class="button secondary" onClick={() => copy('json')}>
        {l10n.t('Copy JSON')}
      </button>
      <button type="button" class="button secondary" onClick={() => copy('curl')}>
        {l10n.t('Copy curl')}
      </button>
      <button type="button" class="button secondary" onClick={() => post('open-text', {})}>
        {l10n.t('Open as Text')}
      </button>
    </div>
  );
}

interface RequestProps {
  readonly request: RequestOverview;
}

function Tiles({ request }: RequestProps): JSX.Element {
  const { tokens, contextWindow, cache } = request;
  const cost = costOf({ tokens, cached: cache.tokens }, request);
  const isCacheKnown = cache.basis === 'known';
  return (
    <div class="usage-tiles">
      <section class="usage-tile" aria-label={l10n.t('Tokens')}>
        <h2>{l10n.t('Tokens')}</h2>
        <p class="usage-big" title={numberText(tokens, request, true)}>
          {formatTokens(tokens, true)}
        </p>
        {contextWindow !== undefined && (
          <>
            <Share of={tokens} whole={contextWindow} kind="row" />
            <p class="usage-more">
              {l10n.t(
                '{0} of the context window of {1}',
                shareText(tokens / contextWindow, request),
                formatTokens(contextWindow),
              )}
            </p>
          </>
        )}
      </section>
      <section class="usage-tile" aria-label={l10n.t('Cost')}>
        <h2>{l10n.t('Cost')}</h2>
        <p class="usage-big">{cost ?? '–'}</p>
        <p class="usage-more">{costNote(cost, cache)}</p>
      </section>
      <section class="usage-tile" aria-label={l10n.t('Cached')}>
        <h2>{l10n.t('Cached')}</h2>
        <p class="usage-big" title={isCacheKnown ? numberText(cache.tokens, request, true) : ''}>
          {isCacheKnown ? formatTokens(cache.tokens, true) : '–'}
        </p>
        <p class="usage-more">{cacheText(request)}</p>
      </section>
    </div>
  );
}

function costNote(cost: string | undefined, cache: RequestOverview['cache']): string {
  if (cost === undefined) return l10n.t("The price of the model isn't known");
  return cache.tokens > 0
    ? l10n.t('With cached tokens, not including the reply')
    : l10n.t('Not including the reply');
}

function shareText(share: number, { language }: RequestOverview): string {
  const isTiny = share > 0 && share < 0.005;
  return `${isTiny ? '<' : ''}${(isTiny ? 0.01 : share).toLocaleString(language, { style: 'percent' })}`;
}

/** The request exactly as it is sent, or its beginning. */
function Exact({ request, post }: RequestProps & Pick<PartListProps, 'post'>): JSX.Element {
  const [format, setFormat] = useState<'json' | 'curl'>('json');
  const title = l10n.t('As Sent');
  return (
    <section class="usage-section request-exact" aria-label={title}>
      <h2>{title}</h2>
      <fieldset class="usage-ranges">
        <legend class="unseen">{l10n.t('Format')}</legend>
        {(['json', 'curl'] as const).map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="format"
              checked={choice === format}
              onChange={() => setFormat(choice)}
            />
            <span>{choice === 'json' ? 'JSON' : 'curl'}</span>
          </label>
        ))}
      </fieldset>
      <pre class="request-text" role="group" tabIndex={0} aria-label={title}>
        {request[format]}
      </pre>
      {!request.isWhole && (
        <p class="usage-more">
          {l10n.t('Only the beginning is shown.')}{' '}
          <button type="button" class="link" onClick={() => post('open-text', {})}>
            {l10n.t('Show All')}
          </button>
        </p>
      )}
    </section>
  );
}

/** The parts of the request as shares of a bar, with the cached share, and the same as a table. */
function RequestBar({ request }: RequestProps): JSX.Element {
  const { parts, tokens, cache } = request;
  const title = l10n.t('Tokens by Part');
  const headings = [l10n.t('Part'), l10n.t('Tokens'), l10n.t('Cached'), l10n.t('Cost')];
  const sums = partGroups()
    .map(({ name, kinds }, color) => {
      const members = parts.filter(({ kind }) => kinds.includes(kind));
      const sum = members.reduce((total, part) => total + part.tokens, 0);
      const ofCache = members.reduce((total, { cached }) => total + cached, 0);
      return { name, color, tokens: sum, cached: ofCache };
    })
    .filter((group) => group.tokens > 0);
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
          {sums.map(({ name, color, tokens: count }) => (
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
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              {headings.map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sums.map((group) => (
              <tr key={group.name}>
                <th scope="row">{group.name}</th>
                <td>{numberText(group.tokens, request, true)}</td>
                <td>{numberText(group.cached, request, true)}</td>
                <td>{costOf(group, request) ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
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

function percent(of: number, whole: number): string {
  return whole === 0 ? '0%' : `${((100 * of) / whole).toFixed(3)}%`;
}

function percentText(of: number, { tokens, language }: RequestOverview): string {
  const share = tokens === 0 ? 0 : of / tokens;
  return share.toLocaleString(language, { style: 'percent' });
}

/** Shows the page of the tab with the next request. */
export function showRequest(): void {
  const state = signal<RequestPageState | undefined>(undefined);
  /** The texts of the parts that are unfolded, by their keys. */
  const texts = signal<ReadonlyMap<string, PartText | undefined>>(new Map());

  const page = new TabPage<RequestPageRequests, RequestPageResults, RequestPageState>((next) => {
    state.value = next;
    if ('unavailable' in next) return;
    for (const [index, key] of partKeys(next.parts).entries())
      if (texts.value.has(key)) background(read(key, index));
  });

  async function read(key: string, part: number): Promise<void> {
    const text = await page.ask('read', { part });
    // It may have been folded since.
    if (text !== undefined && texts.value.has(key))
      texts.value = new Map([...texts.value, [key, text]]);
  }

  function toggle(key: string, part: number, isOpen: boolean): void {
    if (texts.value.has(key) === isOpen) return;
    const others = [...texts.value].filter(([other]) => other !== key);
    texts.value = new Map(isOpen ? [...others, [key, undefined]] : others);
    if (isOpen) background(read(key, part));
  }

  page.render(() => {
    const request = state.value;
    if (request === undefined) return undefined;
    if ('unavailable' in request)
      return (
        <p class="usage request-reason" role="status">
          {request.unavailable}
        </p>
      );
    return <RequestPage request={request} texts={texts.value} post={page.post} toggle={toggle} />;
  });
  page.post('ready', {});
}
