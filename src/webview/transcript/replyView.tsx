import * as l10n from '@vscode/l10n';
import { Component, type TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  turnText,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type Turn,
} from '../../core/conversation/conversation.ts';
import {
  currencyOfServices,
  estimatedMoney,
  formatMoney,
  formatTokens,
  knownCost,
  shortModelName,
  shownCount,
  usageCost,
  usualRatio,
  zeroUsage,
} from '../../core/conversation/usage.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import type { ModelPrices } from '../../protocol/messages.ts';
import type { CacheMiss, ReplyCost } from '../../protocol/usageMessages.ts';
import { ChangeButton, ChangeIconButton, Icon, IconButton } from '../parts/controls.tsx';
import { DataTable } from '../parts/dataTable.tsx';
import {
  causeText,
  countText,
  formatDuration,
  formatJson,
  numberInPage,
  tokensText,
} from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { toggleMenu } from '../parts/menuList.tsx';
import { ChangedFiles } from './changedFiles.tsx';
import { ToolCalls } from './toolCalls.tsx';
import { hasTryAgain, Outcome, Paused } from './outcome.tsx';
import { Code, Prose } from './prose.tsx';
import { AddedMessageView } from './userMessageView.tsx';
import { VersionButtons } from './versionButtons.tsx';

interface ReplyProps {
  readonly turn: Turn;
  /** Undefined if there is a single version. */
  readonly versions: VersionPlace | undefined;
  readonly last: boolean;
}

/** The parts of a reply, its outcome, the files that it changed, and its actions. */
export function ReplyView({ turn, versions, last }: ReplyProps) {
  const running = turn.endedAt === undefined;
  const hasChanges = !running && (turn.changes ?? []).length > 0;
  return (
    <article class={last ? 'answer last' : 'answer'} aria-label={l10n.t('Assistant')}>
      <div class="parts" aria-busy={running}>
        {replyBlocks(turn.parts).map((block) => {
          const part = block.type === 'part' ? block.part : undefined;
          const isReasoning = part?.type === 'reasoning';
          // Only the last part and unfinished reasoning can grow.
          const isLast = block.index === turn.parts.length - 1;
          const mayGrow = isReasoning ? part.endedAt === undefined : isLast;
          return (
            <Block
              key={block.index}
              turn={turn.id}
              block={block}
              json={turn.json === true}
              live={running && mayGrow}
              ended={!running && isReasoning}
              model={turn.model}
            />
          );
        })}
      </div>
      {turn.status === 'paused' && <Paused turn={turn} />}
      {!running && <Outcome turn={turn} last={last} />}
      {hasChanges && <ChangedFiles turn={turn.id} changes={turn.changes ?? []} />}
      {last && <PlanButtons turn={turn.id} />}
      {!running && <ReplyFooter turn={turn} versions={versions} last={last} />}
    </article>
  );
}

interface BlockProps {
  readonly turn: string;
  readonly block: ReplyBlock;
  readonly json: boolean;
  /** True if more content may follow. */
  readonly live: boolean;
  /** True for reasoning whose turn has ended, so that its tokens are final. */
  readonly ended: boolean;
  readonly model: string;
}

/** Re-renders only if the block changed, since one of a turn's many blocks changes at a time. */
class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: Readonly<BlockProps>): boolean {
    const { block, live, ended, json } = this.props;
    if (next.live !== live || next.ended !== ended || next.json !== json) return true;
    const other = next.block;
    if (block.type === 'part' || other.type === 'part')
      return !('part' in block && 'part' in other && block.part === other.part);
    const isSame = block.calls.every((call, at) => call === other.calls[at]);
    return !isSame || block.calls.length !== other.calls.length;
  }

  override render() {
    const { turn, model, block, json, live, ended } = this.props;
    const { index } = block;
    if (block.type === 'calls') return <ToolCalls turn={turn} calls={block.calls} index={index} />;
    const { part } = block;
    if (part.type === 'reasoning')
      return (
        <Reasoning turn={turn} model={model} part={part} index={index} live={live} ended={ended} />
      );
    if (part.type === 'message') return <AddedMessageView message={part.message} index={index} />;
    return json ? (
      <JsonReply turn={turn} text={part.text} index={index} live={live} />
    ) : (
      <Prose turn={turn} text={part.text} index={index} live={live} />
    );
  }
}

interface ReasoningProps extends Pick<BlockProps, 'turn' | 'model' | 'live' | 'ended'> {
  readonly part: ReasoningPart;
  readonly index: number;
}

/**
 * The model's reasoning, folded. Its content is rendered only while it is open. The summary has its
 * first line while it streams, and afterwards its duration, its tokens, estimated where the service
 * reports none, and their cost if known.
 */
function Reasoning({ turn, model, part, index, live, ended }: ReasoningProps) {
  const [open, setOpen] = useState(false);
  const prices = useStore().panel.value?.prices;
  const { startedAt, endedAt, tokens, text } = part;
  const duration =
    endedAt === undefined
      ? l10n.t('Thought')
      : l10n.t('Thought for {0}', formatDuration(endedAt - startedAt));
  const { lang } = document.documentElement;
  const words = [duration];
  if (ended || tokens !== undefined) {
    const count = tokens ?? Math.ceil(text.length / usualRatio);
    const isEstimated = tokens === undefined;
    const amount = formatTokens(count, isEstimated);
    words.push(countText(l10n.t('{0} reasoning tokens'), shownCount(count), amount));
    const price = prices?.byModel[model];
    if (price !== undefined && prices !== undefined) {
      const cost = usageCost({ ...zeroUsage, completion_tokens: count }, price);
      words.push((isEstimated ? '≈' : '') + formatMoney(cost, prices.currency, lang));
    }
  }
  // `Thought for 12 s, 3.1k reasoning tokens, $0.004`, as the language of the page separates them.
  const list = new Intl.ListFormat(lang || undefined, { type: 'unit' });
  return (
    <details
      class="fold reasoning"
      data-place={index}
      aria-label={l10n.t('Reasoning')}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span>{live ? l10n.t('Reasoning') : list.format(words)}</span>
        {live && !open && <FirstLine turn={turn} index={index} />}
      </summary>
      {open && <Prose turn={turn} text={text} index={index} live={live} />}
    </details>
  );
}

/** The first line of a text that grows, without marks of Markdown. */
function FirstLine({ turn, index }: Pick<ReasoningProps, 'turn' | 'index'>) {
  const { shown } = useStore();
  const [line, setLine] = useState('');
  useLayoutEffect(() => {
    const update = (): void => {
      const text = shown.textOf(turn, index).slice(0, longestLine).trimStart();
      setLine((text.split('\n')[0] ?? '').replaceAll(/[*_`#]/g, ''));
      if (text.includes('\n') || text.length > longestLine / 2) subscription.dispose();
    };
    const subscription = shown.onDidGrow((grown) => {
      if (grown.turn === turn) update();
    });
    update();
    return () => subscription.dispose();
  }, [shown, turn, index]);
  return (
    <span class="reasoning-line" aria-hidden="true">
      {line}
    </span>
  );
}

/** Characters; a wide panel shows about half as many. */
const longestLine = 400;

/** The buttons below a plan that can be started. Each switches the chat to Agent, as its title says. */
function PlanButtons({ turn }: { readonly turn: string }) {
  const store = useStore();
  if (store.panel.value?.plan !== turn) return null;
  return (
    <div class="button-row">
      <ChangeButton
        title={l10n.t('Switch to Agent and carry out the plan')}
        isDeliberate
        onClick={() => store.post('plan', { turn, action: 'start' })}
      >
        {l10n.t('Start')}
      </ChangeButton>
      <ChangeButton
        isSecondary={true}
        title={l10n.t('Switch to Agent and edit the plan before you send it')}
        onClick={() => store.post('plan', { turn, action: 'edit' })}
      >
        {l10n.t('Edit Plan')}
      </ChangeButton>
    </div>
  );
}

interface JsonReplyProps {
  readonly turn: string;
  readonly text: string;
  readonly index: number;
  readonly live: boolean;
}

/** Starts a code block that the reply can't close. */
const fence = `${'`'.repeat(40)}json\n`;

/** A reply requested as JSON: rendered as code while streaming, then validated and formatted. */
function JsonReply({ turn, text, index, live }: JsonReplyProps) {
  if (live) return <Prose turn={turn} text={text} index={index} live={true} opening={fence} />;
  const formatted = formatJson(text);
  const valid = formatted !== undefined;
  return (
    <>
      <Code text={formatted ?? text} index={index} language={valid ? 'json' : ''} />
      <div class="note">
        <Icon name={valid ? 'check' : 'warning'} />
        <span>
          {valid ? l10n.t('Valid JSON') : l10n.t("This isn't valid JSON. It's shown as received.")}
        </span>
      </div>
    </>
  );
}

/** A block of a reply: one part, or the calls of one model response. */
type ReplyBlock =
  | { readonly type: 'part'; readonly index: number; readonly part: Exclude<Part, ToolCallPart> }
  | { readonly type: 'calls'; readonly index: number; readonly calls: readonly ToolCallPart[] };

/** The blocks of a reply in order, each with the index of its first part. */
export function replyBlocks(parts: readonly Part[]): readonly ReplyBlock[] {
  const blocks: ReplyBlock[] = [];
  let calls: ToolCallPart[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'tool-call') {
      blocks.push({ type: 'part', index, part });
      calls = [];
    } else if (calls[0]?.round === part.round) {
      calls.push(part);
    } else {
      calls = [part];
      blocks.push({ type: 'calls', index, calls });
    }
  }
  return blocks;
}

/** The actions of a reply. Their menu includes its model, tokens, duration and price. */
function ReplyFooter({ turn, versions, last }: ReplyProps) {
  const store = useStore();
  const [cost, setCost] = useState<ReplyCost | undefined>(undefined);
  const more = useRef<HTMLButtonElement>(null);
  const showCost = async (): Promise<void> => {
    const answer = await store.ask('reply-cost', { turn: turn.id });
    if ('ok' in answer) setCost(answer.ok);
  };
  const openMenu = ({ currentTarget: anchor }: TargetedMouseEvent<HTMLButtonElement>): void => {
    const otherModel = {
      icon: 'arrow-swap',
      name: l10n.t('Retry with Another Model…'),
      disabled: store.readOnly.peek(),
      run: () => store.post('retry', { turn: turn.id, chooseModel: true }),
    };
    const fork = {
      icon: 'repo-forked',
      name: l10n.t('Fork from Here'),
      run: () => store.post('fork', { turn: turn.id }),
    };
    const details = {
      icon: 'graph',
      name: l10n.t('Show Cost of This Reply'),
      run: () => background(showCost()),
    };
    const items = [...(last ? [otherModel] : []), fork, details];
    toggleMenu({ items, facts: <Facts turn={turn} prices={store.panel.peek()?.prices} />, anchor });
  };
  return (
    <>
      <div class="answer-footer">
        {versions !== undefined && <VersionButtons turn={turn.id} of="reply" position={versions} />}
        <div class="answer-actions">
          <CopyMessage turn={turn} />
          {last && !hasTryAgain(turn) && (
            <ChangeIconButton
              icon="refresh"
              name={l10n.t('Retry')}
              isDeliberate
              onClick={() => store.post('retry', { turn: turn.id, chooseModel: false })}
            />
          )}
          <button
            type="button"
            class="icon-button"
            aria-label={l10n.t('More Actions…')}
            title={l10n.t('More Actions…')}
            aria-haspopup="menu"
            aria-expanded="false"
            onClick={openMenu}
            ref={more}
          >
            <Icon name="ellipsis" />
          </button>
        </div>
      </div>
      {cost !== undefined && (
        <ReplyCostView
          cost={cost}
          onClose={() => {
            setCost(undefined);
            more.current?.focus();
          }}
        />
      )}
    </>
  );
}

interface FactsProps {
  readonly turn: Turn;
  readonly prices: ModelPrices | undefined;
}

/** The model of a reply, its tokens, duration and price. */
function Facts({ turn, prices }: FactsProps) {
  const { usage, model, duration, status } = turn;
  const price = prices?.byModel[model];
  const cost = usage && knownCost(usage, price);
  const mark = usage?.estimated === true ? '≈' : '';
  const description = usage && [
    l10n.t('Tokens of this reply and everything sent for it'),
    l10n.t('Prompt: {0}', mark + numberInPage(usage.prompt_tokens)),
    l10n.t('Cached: {0}', mark + numberInPage(usage.cached_tokens)),
    l10n.t('Completion: {0}', mark + numberInPage(usage.completion_tokens)),
    l10n.t('Total: {0}', mark + numberInPage(usage.total_tokens)),
  ];
  // The duration is hidden if nothing was received, or if the end is unknown.
  return (
    <div class="answer-facts">
      <span class="fact-model" title={model}>
        {shortModelName(model)}
      </span>
      {usage !== undefined && description !== undefined && (
        <span
          class="fact"
          role="note"
          aria-label={description.join('. ')}
          title={description.join('\n')}
        >
          {tokensText(usage.total_tokens, usage.estimated)}
        </span>
      )}
      {status !== 'failed' && duration !== 0 && (
        <span class="fact">{formatDuration(duration)}</span>
      )}
      {cost !== undefined && (
        <span class="fact">
          {mark}
          {formatMoney(cost, prices?.currency ?? currencyOfServices, document.documentElement.lang)}
        </span>
      )}
    </div>
  );
}

function CopyMessage({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const [done, setDone] = useState(false);
  const text = turnText(turn);
  if (text === '') return null;
  const copy = async (): Promise<void> => {
    if (!(await store.call('copy', { text }))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <IconButton
      icon={done ? 'check' : 'copy'}
      name={l10n.t('Copy Message')}
      onClick={() => background(copy())}
    />
  );
}

type Row = Pick<ReplyCost, 'tokens' | 'cost'> & { readonly key: string };

interface ReplyCostProps {
  readonly cost: ReplyCost;
  readonly onClose: () => void;
}

/** What a reply cost by cause, what the service billed, and why less came from its cache. */
function ReplyCostView({ cost, onClose }: ReplyCostProps) {
  const group = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => group.current?.focus(), []);
  const title = l10n.t('Cost of This Reply');
  const { currency, language, estimated, isPartial, differs } = cost;
  const hasCosts = cost.cost !== undefined;
  const money = (amount: number | undefined): string => {
    if (amount === undefined) return '–';
    if (isPartial) return `≥${formatMoney(amount, currency, language)}`;
    return (estimated ? estimatedMoney : formatMoney)(amount, currency, language);
  };
  const missTexts: Readonly<Record<CacheMiss, string>> = {
    model: l10n.t('Not from the cache: the previous request went to another model.'),
    tools: l10n.t('Not from the cache: the tools changed.'),
    instructions: l10n.t('Not from the cache: the instructions changed.'),
    messages: l10n.t('Not from the cache: earlier messages were changed, excluded, or shortened.'),
    old: l10n.t('Not from the cache: the previous request was too long ago.'),
    unreported: l10n.t("Not from the cache: the service doesn't report any cached tokens."),
    service: l10n.t('Not from the cache: the service no longer had all of the chat.'),
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
          {missTexts[miss]}
        </p>
      ))}
    </div>
  );
}
