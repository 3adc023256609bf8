import * as l10n from '@vscode/l10n';
import { Component } from 'preact';
import { defaultChoice } from '../../core/conversation/comparison.ts';
import type { Turn } from '../../core/conversation/conversation.ts';
import { shortModelName } from '../../core/conversation/usage.ts';
import type { ModelPrices } from '../../protocol/messages.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { useFocusHeir, useStore } from '../parts/hooks.ts';
import { ComparedActions, ReplyDuration, ReplyPrice, ReplyTokens } from './replyFooter.tsx';
import { ReplyBody } from './replyView.tsx';
import { ColumnStatus } from './status.tsx';

interface ComparisonProps {
  readonly turns: readonly Turn[];
}

/** Replies of several models to one message, side by side if there is room. */
export function Comparison({ turns }: ComparisonProps) {
  const store = useStore();
  const isRunning = store.isRunning.value;
  const prices = store.panel.value?.prices;
  return (
    <div class="comparison" role="group" aria-label={l10n.t('Compared Replies')}>
      <div class="comparison-columns" data-count={turns.length}>
        {turns.map((turn) => (
          <Column key={turn.id} turn={turn} prices={prices} isOpen={isRunning} />
        ))}
      </div>
      <ChoiceNote turns={turns} />
    </div>
  );
}

/** Explains the effect of not choosing. */
function ChoiceNote({ turns }: ComparisonProps) {
  const turn = defaultChoice(turns);
  if (turn === undefined) return null;
  return (
    <p class="comparison-note" role="note">
      {l10n.t(
        'Continue with one of these replies, or send a message to continue with {0}. The others stay as versions.',
        shortModelName(turn.model),
      )}
    </p>
  );
}

interface ColumnProps {
  readonly turn: Turn;
  readonly prices: ModelPrices | undefined;
  readonly isOpen: boolean;
}

/** Re-renders only if its own reply changed, or all have ended. */
class Column extends Component<ColumnProps> {
  override shouldComponentUpdate(next: Readonly<ColumnProps>): boolean {
    const { turn, prices, isOpen } = this.props;
    return next.turn !== turn || next.prices !== prices || next.isOpen !== isOpen;
  }

  override render() {
    const { turn, prices, isOpen } = this.props;
    return (
      <section class="comparison-column" data-column={turn.id} aria-label={turn.model}>
        <ColumnHead turn={turn} prices={prices} />
        <article class="answer last" aria-label={l10n.t('Assistant')}>
          <ReplyBody turn={turn} last={!isOpen} />
        </article>
        <ColumnFoot turn={turn} />
      </section>
    );
  }
}

/** Its height is constant while the reply streams, so that nothing below it jumps. */
function ColumnHead({ turn, prices }: Omit<ColumnProps, 'isOpen'>) {
  const isRunning = turn.endedAt === undefined;
  return (
    <header class="column-head">
      <div class="column-title">
        <span class="column-model" title={turn.model}>
          {shortModelName(turn.model)}
        </span>
        {isRunning && <StopColumn turn={turn} />}
      </div>
      <div class="column-facts">
        {isRunning ? <ColumnStatus turn={turn} /> : <Facts turn={turn} prices={prices} />}
      </div>
    </header>
  );
}

/** Its height is constant, too: while the reply streams, the button is there but does nothing. */
function ColumnFoot({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const reason = store.readOnly.value;
  const hasReply = turn.endedAt !== undefined && turn.status !== 'failed';
  const mayContinue = hasReply && reason === undefined;
  return (
    <div class="column-foot">
      <button
        type="button"
        class="button secondary choose"
        aria-label={l10n.t('Continue with This Reply: {0}', turn.model)}
        title={reason}
        aria-disabled={!mayContinue}
        onClick={() => {
          if (mayContinue) store.post('choose-reply', { turn: turn.id });
        }}
      >
        <Icon name="check" />
        {l10n.t('Continue with This Reply')}
      </button>
      {turn.endedAt !== undefined && <ComparedActions turn={turn} />}
    </div>
  );
}

/** The Choose button gets focus if the reply ends while its Stop button has it. */
function chooseInColumn(frame: HTMLElement): HTMLElement | null | undefined {
  return frame.closest('.comparison-column')?.querySelector<HTMLElement>('.choose');
}

function StopColumn({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const frame = useFocusHeir(chooseInColumn);
  return (
    <span ref={frame}>
      <ChangeIconButton
        icon="debug-stop"
        name={l10n.t('Stop {0}', turn.model)}
        onClick={() => store.post('stop', { turn: turn.id })}
      />
    </span>
  );
}

function Facts({ turn, prices }: Omit<ColumnProps, 'isOpen'>) {
  const state = stateText(turn);
  return (
    <>
      {state !== '' && <span class="fact">{state}</span>}
      <ReplyDuration turn={turn} />
      {turn.usage !== undefined && <ReplyTokens usage={turn.usage} />}
      <ReplyPrice turn={turn} prices={prices} />
    </>
  );
}

function stateText({ status }: Turn): string {
  if (status === 'stopped') return l10n.t('Stopped');
  return status === 'failed' || status === 'cut' ? l10n.t('Failed') : '';
}
