import * as l10n from '@vscode/l10n';
import { Component } from 'preact';
import { useState } from 'preact/hooks';
import type { Part, Turn, ReasoningPart } from '../../core/conversation/conversation.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { formatDuration } from '../parts/format.ts';
import { lazyModule } from '../parts/lazy.ts';
import { replyBlocks, isSameBlock, type ReplyBlock } from './replyBlocks.ts';
import { JsonReply } from './jsonReply.tsx';
import { Outcome } from './outcome.tsx';
import { PlanButtons } from './planButtons.tsx';
import { Prose } from './prose.tsx';
import { ReplyFooter } from './replyFooter.tsx';

interface ReplyProps {
  readonly turn: Turn;
  /** Undefined if there is a single version. */
  readonly versions: VersionPlace | undefined;
  readonly last: boolean;
}

/** Views of tool calls, which a chat without tools never loads. */
const toolViews = lazyModule(() => import('../tools/toolViews.ts'));

export function ReplyView({ turn, versions, last }: ReplyProps) {
  return (
    <article class={last ? 'answer last' : 'answer'} aria-label={l10n.t('Assistant')}>
      <ReplyBody turn={turn} last={last} />
      {last && <PlanButtons turn={turn.id} />}
      {turn.endedAt !== undefined && <ReplyFooter turn={turn} versions={versions} last={last} />}
    </article>
  );
}

/** The parts of a reply, its outcome, and the files that it changed. */
export function ReplyBody({ turn, last }: Omit<ReplyProps, 'versions'>) {
  const running = turn.endedAt === undefined;
  const hasChanges = !running && (turn.changes ?? []).length > 0;
  return (
    <>
      <div class="parts" aria-busy={running}>
        {replyBlocks(turn.parts).map((block) => (
          <Block
            key={block.index}
            turn={turn.id}
            block={block}
            json={turn.json === true}
            live={running && mayGrow(turn.parts, block.index)}
          />
        ))}
      </div>
      {turn.status === 'paused' && <LazyPaused turn={turn} />}
      {!running && <Outcome turn={turn} last={last} />}
      {hasChanges && <LazyChangedFiles turn={turn} />}
    </>
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
}

/** Re-renders only if the block changed, since one of a turn's many blocks changes at a time. */
class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: Readonly<BlockProps>): boolean {
    const { block, live, json } = this.props;
    return next.live !== live || next.json !== json || !isSameBlock(next.block, block);
  }

  override render() {
    const { turn, block, json, live } = this.props;
    const { index } = block;
    if (block.type === 'calls') return <LazyToolCalls turn={turn} block={block} />;
    const { part } = block;
    if (part.type === 'reasoning')
      return <Reasoning turn={turn} part={part} index={index} live={live} />;
    return json ? (
      <JsonReply turn={turn} text={part.text} index={index} live={live} />
    ) : (
      <Prose turn={turn} text={part.text} index={index} live={live} />
    );
  }
}

interface CallsProps {
  readonly turn: string;
  readonly block: Extract<ReplyBlock, { type: 'calls' }>;
}

function LazyToolCalls({ turn, block }: CallsProps) {
  const views = toolViews();
  // Reserves the height of a line.
  if (views === undefined) return <div class="fold">…</div>;
  return <views.ToolCalls turn={turn} calls={block.calls} index={block.index} />;
}

function LazyPaused({ turn }: { readonly turn: Turn }) {
  const views = toolViews();
  return views === undefined ? null : <views.Paused turn={turn} />;
}

function LazyChangedFiles({ turn }: { readonly turn: Turn }) {
  const views = toolViews();
  return views === undefined ? null : (
    <views.ChangedFiles turn={turn.id} changes={turn.changes ?? []} />
  );
}

interface ReasoningProps {
  readonly turn: string;
  readonly part: ReasoningPart;
  readonly index: number;
  readonly live: boolean;
}

/** The model's reasoning, folded. Its content is rendered only while it is open. */
function Reasoning({ turn, part, index, live }: ReasoningProps) {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="fold reasoning"
      data-place={index}
      aria-label={l10n.t('Reasoning')}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{live ? l10n.t('Reasoning') : describe(part)}</summary>
      {open && <Prose turn={turn} text={part.text} index={index} live={live} />}
    </details>
  );
}

function describe({ startedAt, endedAt }: ReasoningPart): string {
  return endedAt === undefined
    ? l10n.t('Thought')
    : l10n.t('Thought for {0}', formatDuration(endedAt - startedAt));
}
