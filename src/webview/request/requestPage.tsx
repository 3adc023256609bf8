import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { RequestOverview } from '../../protocol/requestMessages.ts';
import { LiveText, Share } from '../usage/tabParts.tsx';
import { numberText } from '../usage/usageText.ts';
import { RequestBar } from './requestBar.tsx';
import { PartList, type PartListProps } from './requestPartList.tsx';
import { PutAllBackButton } from './partChoiceButtons.tsx';
import { breakText, cacheText, costOf, leftOutText } from './requestWords.ts';

export function RequestPage(props: PartListProps): JSX.Element {
  const { request, post } = props;
  const changed = breakText(request);
  const leftOut = leftOutText(request);
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
      <LiveText reason={leftOut ?? ''} text={leftOut ?? sentText(request)} />
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

/** Announced when every part is sent again. */
function sentText(request: RequestOverview): string {
  return `${l10n.t('Tokens')}: ${numberText(request.tokens, request, true)}`;
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
