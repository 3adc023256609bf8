import type { RequestPartKind } from '../../core/conversation/partChoices.ts';
import * as l10n from '@vscode/l10n';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type {
  PartText,
  RequestOverview,
  RequestPageRequests,
  ShownRequestPart,
} from '../../protocol/requestMessages.ts';
import type { Post } from '../usage/tabPage.tsx';
import { ChartSample } from '../usage/usageChart.tsx';
import { numberText } from '../usage/usageText.ts';
import { GroupChoiceButton, PartChoiceButtons } from './partChoiceButtons.tsx';
import { colorOfPart, costOf, kindText, partKeys } from './requestWords.ts';

export interface PartListProps {
  readonly request: RequestOverview;
  /** Texts of unfolded parts by key; undefined until a text has arrived. */
  readonly texts: ReadonlyMap<string, PartText | undefined>;
  readonly post: Post<RequestPageRequests>;
  readonly toggle: (key: string, part: number, isOpen: boolean) => void;
}

interface ListedPart extends ShownRequestPart {
  readonly key: string;
  readonly index: number;
}

/** Number of conversation parts that are initially shown, counted from the newest. */
const mostParts = 200;

/** The parts of the request. Tools and options are in folded groups, as they rarely matter. */
export function PartList(props: PartListProps): JSX.Element {
  const { request } = props;
  const [isAll, setAll] = useState(false);
  const keys = partKeys(request.parts);
  const listed = request.parts.map((part, index) => ({ ...part, index, key: keys[index] ?? '' }));
  const others = listed.filter(({ kind }) => kind !== 'tool' && kind !== 'option');
  const hidden = isAll ? 0 : Math.max(0, others.length - mostParts);
  const title = l10n.t('Parts');
  return (
    <section class="usage-section request-parts" aria-label={title}>
      <h2>{title}</h2>
      <div class="request-row request-headings" aria-hidden="true">
        <span />
        <span>{l10n.t('Tokens')}</span>
        {request.price && <span class="request-cost">{l10n.t('Cost')}</span>}
        <span>{l10n.t('Cached')}</span>
      </div>
      <PartGroup {...props} kind="tool" parts={listed} name={l10n.t('Tools')} />
      {hidden > 0 && (
        <button type="button" class="link request-more" onClick={() => setAll(true)}>
          {l10n.t('Show {0} Earlier Parts', numberText(hidden, request))}
        </button>
      )}
      {others.slice(hidden).map((part) => (
        <PartRow key={part.key} {...props} part={part} />
      ))}
      <PartGroup {...props} kind="option" parts={listed} name={l10n.t('Options')} />
    </section>
  );
}

interface PartGroupProps extends PartListProps {
  readonly kind: RequestPartKind;
  readonly parts: readonly ListedPart[];
  readonly name: string;
}

function PartGroup({ kind, parts, name, ...props }: PartGroupProps): JSX.Element | undefined {
  const members = parts.filter((part) => part.kind === kind);
  const [isOpen, setOpen] = useState(false);
  if (members.length === 0) return undefined;
  const tokens = members.reduce((sum, part) => sum + part.tokens, 0);
  const cached = members.reduce((sum, part) => sum + part.cached, 0);
  return (
    <div class="request-part">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <Summary request={props.request} part={{ kind, tokens, cached }} label={[name]}>
          {name} <span class="request-kind">{countText(members, props.request)}</span>
        </Summary>
      </details>
      <span class="request-choices">
        <GroupChoiceButton name={name} parts={members} post={props.post} />
      </span>
      {isOpen && (
        <div class="request-inner">
          {members.map((part) => (
            <PartRow key={part.key} {...props} part={part} />
          ))}
        </div>
      )}
    </div>
  );
}

/** The number of parts of a group that are sent. */
function countText(parts: readonly ListedPart[], request: RequestOverview): string {
  const sent = parts.filter(({ unsent }) => unsent === undefined).length;
  const all = numberText(parts.length, request);
  return sent === parts.length ? all : l10n.t('{0} of {1}', numberText(sent, request), all);
}

/**
 * A row. Its buttons can't be in the `summary`, itself a button, so they precede the unfolded text.
 */
function PartRow({
  part,
  request,
  texts,
  post,
  toggle,
}: PartListProps & { readonly part: ListedPart }): JSX.Element {
  const { key, index, name, beginning = '', kind, removable } = part;
  const isOpen = texts.has(key);
  const isInGroup = kind === 'tool' || kind === 'option';
  return (
    <div class={`request-part ${part.unsent === undefined ? '' : 'unsent'}`}>
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => toggle(key, index, currentTarget.open)}
      >
        <Summary
          request={request}
          part={part}
          label={[name, kindText(kind), beginning]}
          isPinned={part.choice === 'pinned'}
        >
          {name !== '' && <bdi title={name}>{name}</bdi>}{' '}
          {!isInGroup && <span class={name === '' ? '' : 'request-kind'}>{kindText(kind)}</span>}
          {beginning !== '' && <bdi class="request-beginning">{beginning}</bdi>}
        </Summary>
      </details>
      <span class="request-choices">
        <PartChoiceButtons part={part} post={post} />
      </span>
      {isOpen && (
        <div class="request-inner">
          <Text text={texts.get(key)} showAll={() => post('show-all', { part: index })} />
          {removable !== undefined && (
            <button
              type="button"
              class="button secondary"
              onClick={() => post('remove', { id: removable })}
            >
              {l10n.t('Remove Attachment')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** A part, or the sum of a group of them. */
type SummarizedPart = Omit<ShownRequestPart, 'name' | 'key'>;

/** Reason why a part is not sent. */
function unsentText({ unsent }: SummarizedPart): string {
  return unsent === 'room' ? l10n.t("Doesn't fit") : l10n.t('Excluded');
}

interface SummaryProps {
  readonly request: RequestOverview;
  readonly part: SummarizedPart;
  /** Start of the accessible name, before the number of tokens. */
  readonly label: readonly string[];
  readonly isPinned?: boolean;
  readonly children: ComponentChildren;
}

function Summary(props: SummaryProps): JSX.Element {
  const { request, part, isPinned = false, children } = props;
  const isSent = part.unsent === undefined;
  const color = colorOfPart(part.kind);
  const isCounted = part.kind !== 'option';
  const tokens = part.unsentTokens ?? part.tokens;
  const pinned = isPinned ? l10n.t('Pinned') : '';
  const unsent = isSent ? '' : unsentText(part);
  const count = isCounted ? `${numberText(tokens, request, true)} ${l10n.t('tokens')}` : '';
  const label = [...props.label, pinned, unsent, count].filter((word) => word !== '');
  return (
    <summary class="request-row" aria-label={label.join(', ')}>
      <span class="request-name">
        {color !== undefined && <ChartSample color={color} />}
        <span class="request-label">{children}</span>
      </span>
      <Amount isSent={isSent}>{isCounted && numberText(tokens, request, true)}</Amount>
      {request.price && (
        <Amount isSent={isSent} kind="request-cost">
          {isCounted && costOf({ ...part, tokens }, request)}
        </Amount>
      )}
      <span class={isSent ? '' : 'request-unsent'} title={unsent}>
        {isSent ? isCounted && cachedShare(part, request) : unsent}
      </span>
    </summary>
  );
}

interface AmountProps {
  readonly isSent: boolean;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** Tokens or cost of a part; crossed out if it isn't sent. */
function Amount({ isSent, kind = '', children }: AmountProps): JSX.Element {
  return <span class={kind}>{isSent ? children : <s>{children}</s>}</span>;
}

/** The cached share of a part; a dash if it is unknown. */
function cachedShare(
  { tokens, cached }: SummarizedPart,
  { cache, language }: RequestOverview,
): string {
  if (cache.basis !== 'known') return '–';
  const share = tokens === 0 ? 0 : cached / tokens;
  return `≈${share.toLocaleString(language, { style: 'percent' })}`;
}

interface TextProps {
  readonly text: PartText | undefined;
  readonly showAll: () => void;
}

function Text({ text, showAll }: TextProps): JSX.Element | undefined {
  if (text === undefined) return undefined;
  if (text.text === '') return <p class="usage-more">{l10n.t('Empty')}</p>;
  return (
    <>
      <pre class="request-text" tabIndex={0}>
        {text.text}
      </pre>
      {!text.isWhole && (
        <p class="usage-more">
          {l10n.t('Only the beginning is shown.')}{' '}
          <button type="button" class="link" onClick={showAll}>
            {l10n.t('Show All')}
          </button>
        </p>
      )}
    </>
  );
}
