import * as l10n from '@vscode/l10n';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PartChoice, RequestPartKind } from '../../core/conversation/partChoices.ts';
import {
  estimatedMoney,
  formatMoney,
  usageCost,
  zeroUsage,
} from '../../core/conversation/usage.ts';
import type {
  PartText,
  RequestOverview,
  RequestPageCalls,
  ShownRequestPart,
} from '../../protocol/requestMessages.ts';
import { ChartSample, numberText, type Post } from './tabPage.tsx';

export interface PartListProps {
  readonly request: RequestOverview;
  /** Texts of unfolded parts by key; undefined until a text has arrived. */
  readonly texts: ReadonlyMap<string, PartText | undefined>;
  readonly post: Post<RequestPageCalls>;
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
  const keys = members.flatMap(({ choiceKey }) => choiceKey ?? []);
  const sent = members.filter(({ unsent }) => unsent === undefined).length;
  const isSent = sent > 0;
  const all = numberText(members.length, props.request);
  const count =
    sent === members.length ? all : l10n.t('{0} of {1}', numberText(sent, props.request), all);
  return (
    <div class="request-part">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <Summary request={props.request} part={{ kind, tokens, cached }} label={[name]}>
          {name} <span class="request-kind">{count}</span>
        </Summary>
      </details>
      <span class="request-choices">
        {keys.length > 0 && (
          <ChoiceButton
            icon={isSent ? 'minus' : 'plus'}
            isMade={!isSent}
            name={isSent ? l10n.t('Exclude All: {0}', name) : l10n.t('Include All: {0}', name)}
            click={() =>
              props.post('choose', { parts: keys, ...(isSent && { choice: 'left-out' as const }) })
            }
          />
        )}
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
  const share = part.tokens === 0 ? 0 : part.cached / part.tokens;
  const cachedShare =
    request.cache.basis === 'known'
      ? `≈${share.toLocaleString(request.language, { style: 'percent' })}`
      : '–';
  const pinned = isPinned ? l10n.t('Pinned') : '';
  const reason = part.unsent === 'room' ? l10n.t("Doesn't fit") : l10n.t('Excluded');
  const unsent = isSent ? '' : reason;
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
        {isSent ? isCounted && cachedShare : unsent}
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
  readonly part: ShownRequestPart;
  readonly post: Post<RequestPageCalls>;
}

/** Kinds of parts that can become too old to be sent, unless they are pinned. */
const mayBecomeOld: readonly RequestPartKind[] = ['message', 'attachment', 'image', 'result'];

/** The buttons to exclude or pin a part, or to revert that. */
function PartChoiceButtons({ part, post }: ChoiceProps): JSX.Element | undefined {
  const { kind, choiceKey, choice, unsent } = part;
  if (choiceKey === undefined) return undefined;
  const isPinned = choice === 'pinned';
  const isLeftOut = unsent === 'left-out';
  const { beginning = '' } = part;
  const fullName = part.name === '' ? kindText(kind) : part.name;
  const name = kind === 'message' ? l10n.t('Message with its reply, {0}', beginning) : fullName;
  const choose = (next?: PartChoice): void =>
    post('choose', { parts: [choiceKey], ...(next && { choice: next }) });
  return (
    <>
      {mayBecomeOld.includes(kind) && !isLeftOut && (
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

interface ColorGroup {
  readonly name: string;
  readonly kinds: readonly RequestPartKind[];
}

/** Groups of the bar, in order of the colors. */
export function partGroups(): readonly ColorGroup[] {
  return [
    { name: l10n.t('Tools'), kinds: ['tool'] },
    { name: l10n.t('Attachments'), kinds: ['attachment', 'image'] },
    { name: l10n.t('Messages'), kinds: ['message', 'summary'] },
    { name: l10n.t('Replies'), kinds: ['reply', 'call'] },
    { name: l10n.t('Tool results'), kinds: ['result'] },
    { name: l10n.t('System and instructions'), kinds: ['system', 'custom', 'instructions'] },
  ];
}

/** The color of a part; undefined for options, which have no tokens. */
export function colorOfPart(kind: RequestPartKind): number | undefined {
  const index = partGroups().findIndex(({ kinds }) => kinds.includes(kind));
  return index < 0 ? undefined : index;
}

/** Keys that identify the parts in a later request. */
export function partKeys(parts: readonly ShownRequestPart[]): readonly string[] {
  const counts = new Map<string, number>();
  return parts.map(({ kind, name }) => {
    const key = `${kind} ${name}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${key} ${count}`;
  });
}

/** Kind of a part, without its name. */
export function kindText(kind: RequestPartKind): string {
  const words: Readonly<Record<RequestPartKind, string>> = {
    tool: l10n.t('Tool'),
    system: l10n.t('System message'),
    custom: l10n.t('Custom instructions'),
    instructions: l10n.t('Instructions'),
    attachment: l10n.t('Attachment'),
    image: l10n.t('Image'),
    summary: l10n.t('Summary of earlier messages'),
    message: l10n.t('Message'),
    reply: l10n.t('Reply'),
    call: l10n.t('Tool call'),
    result: l10n.t('Tool result'),
    option: l10n.t('Option'),
  };
  return words[kind];
}

/** The estimated cost of prompt tokens; undefined if the price is unknown. */
export function costOf(
  { tokens, cached }: { readonly tokens: number; readonly cached: number },
  { price, currency, language }: RequestOverview,
): string | undefined {
  if (price === undefined) return undefined;
  const usage = { ...zeroUsage, prompt_tokens: tokens, cached_tokens: cached };
  const write = tokens === 0 ? formatMoney : estimatedMoney;
  return write(usageCost(usage, price), currency, language);
}
