import * as l10n from '@vscode/l10n';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestPartKind } from '../../core/conversation/partChoices.ts';
import type {
  PartText,
  RequestOverview,
  RequestPageRequests,
  ShownRequestPart,
} from '../../protocol/requestMessages.ts';
import { numberText, type Post } from '../usage/tabPage.tsx';
import { ChartSample } from '../usage/usagePage.tsx';
import { canBePinned, colorOfPart, costOf, fullName, kindText, partKeys } from './requestWords.ts';

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

interface ChoiceProps {
  readonly post: Post<RequestPageRequests>;
}

/** The buttons to exclude or pin a part, or to revert that. */
function PartChoiceButtons({
  part,
  post,
}: ChoiceProps & { readonly part: ShownRequestPart }): JSX.Element | undefined {
  const { choiceKey, choice, unsent } = part;
  if (choiceKey === undefined) return undefined;
  const isPinned = choice === 'pinned';
  const isLeftOut = unsent === 'left-out';
  const name = fullName(part);
  const choose = (next?: typeof choice): void => post('choose', chosen([choiceKey], next));
  return (
    <>
      {canBePinned(part) && (
        <ChoiceButton
          key="pin"
          icon="pin"
          isMade={isPinned}
          name={isPinned ? l10n.t('Unpin: {0}', name) : l10n.t('Pin: {0}', name)}
          click={() => choose(isPinned ? undefined : 'pinned')}
        />
      )}
      {unsent !== 'room' && (
        <ChoiceButton
          key="leave-out"
          icon={isLeftOut ? 'plus' : 'minus'}
          isMade={isLeftOut}
          name={isLeftOut ? l10n.t('Include: {0}', name) : l10n.t('Exclude: {0}', name)}
          click={() => choose(isLeftOut ? undefined : 'left-out')}
        />
      )}
    </>
  );
}

interface GroupProps extends ChoiceProps {
  readonly name: string;
  readonly parts: readonly ShownRequestPart[];
}

/** The button to exclude all parts of a group, or to include them again if none is sent. */
function GroupChoiceButton({ name, parts, post }: GroupProps): JSX.Element | undefined {
  const keys = parts.flatMap(({ choiceKey }) => choiceKey ?? []);
  if (keys.length === 0) return undefined;
  const isSent = parts.some(({ unsent }) => unsent === undefined);
  return (
    <ChoiceButton
      icon={isSent ? 'minus' : 'plus'}
      isMade={!isSent}
      name={isSent ? l10n.t('Exclude All: {0}', name) : l10n.t('Include All: {0}', name)}
      click={() => post('choose', chosen(keys, isSent ? 'left-out' : undefined))}
    />
  );
}

export function PutAllBackButton({ parts, post }: Omit<GroupProps, 'name'>): JSX.Element {
  const keys = parts.flatMap(({ choiceKey, choice }) =>
    choice === 'left-out' ? (choiceKey ?? []) : [],
  );
  return (
    <button type="button" class="link" onClick={() => post('choose', chosen(keys))}>
      {l10n.t('Include All')}
    </button>
  );
}

/** SVG paths in a square of 16. */
const icons = {
  pin: 'M6 2h4l-.4 4.2L12.5 9h-9l2.9-2.8zM8 9v5',
  minus: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11zM5.5 8h5',
  plus: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11zM5.5 8h5M8 5.5v5',
} as const;

interface ButtonProps {
  readonly icon: keyof typeof icons;
  /** True if the choice is made: then the button reverts it and stays visible. */
  readonly isMade: boolean;
  /** Accessible name: the action and the part. */
  readonly name: string;
  readonly click: () => void;
}

function ChoiceButton({ icon, isMade, name, click }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${isMade ? 'made' : ''}`}
      aria-label={name}
      title={name}
      onClick={click}
    >
      <svg class="request-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={icons[icon]} />
      </svg>
    </button>
  );
}

function chosen(
  parts: string[],
  choice?: ShownRequestPart['choice'],
): RequestPageRequests['choose'] {
  return { parts, ...(choice && { choice }) };
}
