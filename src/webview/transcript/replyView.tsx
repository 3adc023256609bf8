import * as l10n from '@vscode/l10n';
import { Component } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  roundsOfTurn,
  type Part,
  type ReasoningPart,
  type Turn,
} from '../../core/conversation/conversation.ts';
import {
  estimatedMoney,
  formatMoney,
  formatTokens,
  knownCost,
  shownCount,
  usageCost,
  usualRatio,
  zeroUsage,
} from '../../core/conversation/usage.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import type { ModelPrices } from '../../protocol/messages.ts';
import type { RunCode } from '../markdown/index.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { countText, formatDuration, formatJson } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { ChangedFiles } from '../tools/changedFiles.tsx';
import { ToolCalls } from '../tools/toolCalls.tsx';
import { Outcome } from './outcome.tsx';
import { isSameBlock, replyBlocks, type ReplyBlock } from './replyBlocks.ts';
import { Prose, loadedMarkdown, openCodeMenu, runCodeAction } from './prose.tsx';
import { ReplyFooter } from './replyFooter.tsx';

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
        {replyBlocks(turn.parts).map((block) => (
          <Block
            key={block.index}
            turn={turn.id}
            block={block}
            json={turn.json === true}
            live={running && mayGrow(turn.parts, block.index)}
            ended={!running && block.type === 'part' && block.part.type === 'reasoning'}
            model={turn.model}
          />
        ))}
      </div>
      {turn.status === 'paused' && <Paused turn={turn} />}
      {!running && <Outcome turn={turn} last={last} />}
      {hasChanges && <ChangedFiles turn={turn.id} changes={turn.changes ?? []} />}
      {last && <PlanButtons turn={turn.id} />}
      {!running && <ReplyFooter turn={turn} versions={versions} last={last} />}
    </article>
  );
}

/** Only the last part and unfinished reasoning can grow. */
function mayGrow(parts: readonly Part[], index: number): boolean {
  const part = parts[index];
  return part?.type === 'reasoning' ? part.endedAt === undefined : index === parts.length - 1;
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
    return (
      next.live !== live ||
      next.ended !== ended ||
      next.json !== json ||
      !isSameBlock(next.block, block)
    );
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
 * first line while it streams, and its duration and cost afterwards.
 */
function Reasoning({ turn, model, part, index, live, ended }: ReasoningProps) {
  const [open, setOpen] = useState(false);
  const prices = useStore().panel.value?.prices;
  const { startedAt, endedAt, tokens, text } = part;
  const duration =
    endedAt === undefined
      ? l10n.t('Thought')
      : l10n.t('Thought for {0}', formatDuration(endedAt - startedAt));
  const costs = ended || tokens !== undefined ? costWords(part, model, prices) : [];
  // `Thought for 12 s, 3.1k reasoning tokens, $0.004`, as the language of the page separates them.
  const { lang } = document.documentElement;
  const list = new Intl.ListFormat(lang || undefined, { type: 'unit' });
  return (
    <details
      class="fold reasoning"
      data-place={index}
      aria-label={l10n.t('Reasoning')}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span>{live ? l10n.t('Reasoning') : list.format([duration, ...costs])}</span>
        {live && !open && <FirstLine turn={turn} index={index} />}
      </summary>
      {open && <Prose turn={turn} text={text} index={index} live={live} />}
    </details>
  );
}

/** The first line of a text that grows, without marks of Markdown. */
function FirstLine({ turn, index }: Pick<ReasoningProps, 'turn' | 'index'>) {
  const { window } = useStore();
  const [line, setLine] = useState('');
  useLayoutEffect(() => {
    const update = (): void => {
      const text = window.textOf(turn, index).slice(0, longestLine).trimStart();
      setLine((text.split('\n')[0] ?? '').replaceAll(/[*_`#]/g, ''));
      if (text.includes('\n') || text.length > longestLine / 2) subscription.dispose();
    };
    const subscription = window.onDidGrow((grown) => {
      if (grown.turn === turn) update();
    });
    update();
    return () => subscription.dispose();
  }, [window, turn, index]);
  return (
    <span class="reasoning-line" aria-hidden="true">
      {line}
    </span>
  );
}

/** Characters; a wide panel shows about half as many. */
const longestLine = 400;

/** The tokens of reasoning, estimated where the service reports none, and their cost if known. */
function costWords(
  { text, tokens }: ReasoningPart,
  model: string,
  prices: ModelPrices | undefined,
): readonly string[] {
  const count = tokens ?? Math.ceil(text.length / usualRatio);
  const isEstimated = tokens === undefined;
  const words = countText(
    l10n.t('{0} reasoning tokens'),
    shownCount(count),
    formatTokens(count, isEstimated),
  );
  const price = prices?.byModel[model];
  if (price === undefined || prices === undefined) return [words];
  const cost = usageCost({ ...zeroUsage, completion_tokens: count }, price);
  const money = formatMoney(cost, prices.currency, document.documentElement.lang);
  return [words, isEstimated ? `≈${money}` : money];
}

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

interface Props {
  readonly turn: string;
  readonly text: string;
  readonly index: number;
  readonly live: boolean;
}

/** Starts a code block that the reply can't close. */
const fence = `${'`'.repeat(40)}json\n`;

/** A reply requested as JSON: rendered as code while streaming, then validated and formatted. */
function JsonReply({ turn, text, index, live }: Props) {
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

interface CodeProps {
  readonly text: string;
  readonly index: number;
  readonly language: string;
}

function Code({ text, index, language }: CodeProps) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const markdown = loadedMarkdown();
  useLayoutEffect(() => {
    if (markdown)
      frame.current?.replaceChildren(markdown.createCodeBlock(document, language, text));
  }, [markdown, language, text]);
  useLayoutEffect(() => {
    if (frame.current === null || markdown === undefined) return;
    const run: RunCode = (action, code) => runCodeAction(store, action, code);
    markdown.connectCodeButtons(frame.current, run, openCodeMenu);
  }, [markdown, store]);
  return <div class="prose" data-place={index} ref={frame} />;
}

/** A turn that reached a limit: the reason, the tokens used, and a button to continue. */
function Paused({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const reason = reasonText(turn, store.panel.value?.prices);
  return (
    <div class="outcome paused" role="group" aria-label={l10n.t('Paused')}>
      <Icon name="debug-pause" />
      <div class="outcome-body">
        <div class="outcome-text">{[reason, usageText(turn)].join('\n').trim()}</div>
        <div class="button-row">
          <ChangeButton isDeliberate onClick={() => store.post('resume', {})}>
            {l10n.t('Continue')}
          </ChangeButton>
          <ChangeButton isSecondary onClick={() => store.post('stop', {})}>
            {l10n.t('Stop')}
          </ChangeButton>
        </div>
      </div>
    </div>
  );
}

function reasonText(turn: Turn, prices: ModelPrices | undefined): string {
  const { pause, usage = zeroUsage, model } = turn;
  if (pause?.reason === 'repeat' && pause.tool !== undefined)
    return l10n.t('Paused: the model keeps repeating the same {0} call.', pause.tool);
  const cost = knownCost(usage, prices?.byModel[model]);
  if (pause?.reason === 'money' && prices !== undefined && cost !== undefined) {
    const write = usage.estimated ? estimatedMoney : formatMoney;
    const amount = write(cost, prices.currency, document.documentElement.lang);
    return l10n.t('Paused: this turn has cost {0}.', amount);
  }
  if (pause?.reason === 'tokens' || pause?.reason === 'money') {
    const { prompt_tokens: sent, estimated } = usage;
    const amount = formatTokens(sent, estimated);
    return countText(l10n.t('Paused: this turn has sent {0} tokens.'), shownCount(sent), amount);
  }
  const rounds = roundsOfTurn(turn);
  return rounds === 1
    ? l10n.t('Paused after 1 tool round.')
    : countText(l10n.t('Paused after {0} tool rounds.'), rounds);
}

function usageText({ usage, pause }: Turn): string {
  // The reason has the tokens already.
  if (usage === undefined || pause?.reason === 'tokens') return '';
  const { total_tokens: tokens, estimated } = usage;
  const amount = formatTokens(tokens, estimated);
  return countText(l10n.t('{0} tokens so far'), shownCount(tokens), amount);
}
