import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatMoney, formatTokens } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import type {
  PartText,
  RequestOverview,
  RequestPageCalls,
  RequestPageResults,
  RequestPageState,
} from '../../protocol/requestMessages.ts';
import { DataTable } from '../parts/dataTable.tsx';
import {
  chartFill,
  ChartPatterns,
  ChartSample,
  LiveText,
  numberText,
  Share,
  TabPage,
} from './tabPage.tsx';
import {
  colorOfPart,
  costOf,
  kindText,
  partGroups,
  partKeys,
  PartList,
  type PartListProps,
} from './requestPartList.tsx';

function RequestPage(props: PartListProps): JSX.Element {
  const { request, post } = props;
  const changed = breakText(request);
  const leftOut = leftOutText(request);
  const excluded = request.parts.flatMap(({ choiceKey, choice }) =>
    choice === 'left-out' ? (choiceKey ?? []) : [],
  );
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
          {leftOut}{' '}
          <button type="button" class="link" onClick={() => post('choose', { parts: excluded })}>
            {l10n.t('Include All')}
          </button>
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
  const note =
    cache.tokens > 0
      ? l10n.t('With cached tokens, not including the reply')
      : l10n.t('Not including the reply');
  const part = contextWindow === undefined ? 0 : tokens / contextWindow;
  const isTiny = part > 0 && part < 0.005;
  const percent = (isTiny ? 0.01 : part).toLocaleString(request.language, { style: 'percent' });
  const share = isTiny ? `<${percent}` : percent;
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
              {l10n.t('{0} of the context window of {1}', share, formatTokens(contextWindow))}
            </p>
          </>
        )}
      </section>
      <section class="usage-tile" aria-label={l10n.t('Cost')}>
        <h2>{l10n.t('Cost')}</h2>
        <p class="usage-big">{cost ?? '–'}</p>
        <p class="usage-more">
          {cost === undefined ? l10n.t("The price of the model isn't known") : note}
        </p>
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
  const sums = partGroups()
    .map(({ name, kinds }, color) => {
      const members = parts.filter(({ kind }) => kinds.includes(kind));
      const sum = members.reduce((total, part) => total + part.tokens, 0);
      const ofCache = members.reduce((total, { cached }) => total + cached, 0);
      return { key: name, color, tokens: sum, cached: ofCache };
    })
    .filter((group) => group.tokens > 0);
  // Consecutive parts of the same color are one rectangle.
  const stretches: { color: number; from: number; length: number }[] = [];
  let from = 0;
  for (const part of parts) {
    const color = colorOfPart(part.kind);
    if (color === undefined || part.tokens === 0) continue;
    const last = stretches.at(-1);
    if (last?.color === color) last.length += part.tokens;
    else stretches.push({ color, from, length: part.tokens });
    from += part.tokens;
  }
  return (
    <figure class="usage-chart">
      <figcaption class="usage-caption">
        <h2>{title}</h2>
      </figcaption>
      <div role="img" aria-label={l10n.t('{0}. The table below has the numbers.', title)}>
        <ChartPatterns />
        <svg class="request-bar">
          {stretches.map(({ color, from, length }) => (
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
          {sums.map(({ key, color, tokens: count }) => (
            <span key={key} class="usage-model">
              <ChartSample color={color} />
              {key} {percentText(count, request)}
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
        <DataTable
          class="usage-table"
          caption={title}
          heading={l10n.t('Part')}
          nameOf={({ key }) => key}
          columns={[
            {
              heading: l10n.t('Tokens'),
              cell: (group) => numberText(group.tokens, request, true),
            },
            { heading: l10n.t('Cached'), cell: ({ cached }) => numberText(cached, request, true) },
            { heading: l10n.t('Cost'), cell: (group) => costOf(group, request) ?? '–' },
          ]}
          rows={sums}
        />
      </div>
    </figure>
  );
}

function percent(of: number, whole: number): string {
  return whole === 0 ? '0%' : `${((100 * of) / whole).toFixed(3)}%`;
}

function percentText(of: number, { tokens, language }: RequestOverview): string {
  const share = tokens === 0 ? 0 : of / tokens;
  return share.toLocaleString(language, { style: 'percent' });
}

/** Number, tokens and cost of the excluded parts; undefined if there are none. */
function leftOutText(request: RequestOverview): string | undefined {
  const excluded = request.parts.filter(({ unsent }) => unsent === 'left-out');
  if (excluded.length === 0) return undefined;
  const all = excluded.reduce(
    (sum, { tokens, unsentTokens = 0 }) => sum + Math.max(0, unsentTokens - tokens),
    0,
  );
  const tokens = numberText(all, request, true);
  const cost = costOf({ tokens: all, cached: 0 }, request);
  const count = numberText(excluded.length, request);
  return cost === undefined
    ? l10n.t('Excluded parts: {0}, {1} tokens', count, tokens)
    : l10n.t('Excluded parts: {0}, {1} tokens, {2}', count, tokens, cost);
}

/** Reason why the cached tokens are unknown, or source of their number. */
function cacheText({ cache, language }: RequestOverview): string {
  switch (cache.basis) {
    case 'first':
      return l10n.t('Unknown before the first reply');
    case 'model':
      return l10n.t('Unknown: the last message went to another model');
    case 'unreported':
      return l10n.t("Unknown: the service didn't report it for the last request");
    case 'known':
      return l10n.t(
        'The service reported {0} for the last request',
        cache.reported.toLocaleString(language),
      );
  }
}

/** First difference from the last request, and its cost; undefined if the request only appends. */
function breakText(request: RequestOverview): string | undefined {
  const { cache, parts, currency, language } = request;
  const part = cache.brokenAt === undefined ? undefined : parts[cache.brokenAt];
  const after = parts
    .slice(cache.brokenAt)
    .filter(({ kind, unsent }) => kind !== 'option' && unsent === undefined);
  // The next message is always new.
  if (part === undefined || (part.unsent === undefined && after.length <= 1)) return undefined;
  const name = part.name === '' ? kindText(part.kind) : `${kindText(part.kind)} ${part.name}`;
  const where = l10n.t('Changed since the last request: {0}. The cache ends there.', name);
  if (cache.lost === 0) return where;
  const loss =
    cache.lostCost === undefined
      ? counted(l10n.t('About {0} tokens are no longer cached.'), cache.lost, language)
      : counted(
          l10n.t('About {0} tokens are no longer cached, which costs {1} more.'),
          cache.lost,
          language,
          cache.lost.toLocaleString(language),
          formatMoney(cache.lostCost, currency, language),
        );
  return `${where} ${loss}`;
}

/** Shows the page of the tab with the next request. */
export function showRequest(): void {
  const state = signal<RequestPageState | undefined>(undefined);
  /** The texts of the parts that are unfolded, by their keys. */
  const texts = signal<ReadonlyMap<string, PartText | undefined>>(new Map());

  const page = new TabPage<RequestPageCalls, RequestPageResults, RequestPageState>((next) => {
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
