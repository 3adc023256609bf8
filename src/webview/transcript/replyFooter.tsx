import * as l10n from '@vscode/l10n';
import type { TargetedMouseEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { turnText, type Turn } from '../../core/conversation/conversation.ts';
import {
  currencyOfServices,
  formatMoney,
  knownCost,
  shortModelName,
  type Usage,
} from '../../core/conversation/usage.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import type { ModelPrices } from '../../protocol/messages.ts';
import type { ReplyCost } from '../../protocol/usageMessages.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { Icon, IconButton } from '../parts/controls.tsx';
import { asSentences, formatDuration, numberInPage, tokensText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { toggleMenu } from '../parts/menu.ts';
import { hasTryAgain } from './outcome.tsx';
import { ReplyCostView } from './replyCost.tsx';
import { VersionButtons } from './versionButtons.tsx';

interface ReplyFooterProps {
  readonly turn: Turn;
  /** Undefined if there is a single version. */
  readonly versions: VersionPlace | undefined;
  readonly last: boolean;
}

/** The actions of a reply. Their menu includes its model, tokens, duration and price. */
export function ReplyFooter({ turn, versions, last }: ReplyFooterProps) {
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
  const description = usage === undefined ? '' : describe(usage);
  // The duration is hidden if nothing was received, or if the end is unknown.
  return (
    <div class="answer-facts">
      <span class="fact-model" title={model}>
        {shortModelName(model)}
      </span>
      {usage !== undefined && (
        <span class="fact" role="note" aria-label={asSentences(description)} title={description}>
          {tokensText(usage.total_tokens, usage.estimated)}
        </span>
      )}
      {status !== 'failed' && duration !== 0 && (
        <span class="fact">{formatDuration(duration)}</span>
      )}
      {cost !== undefined && (
        <span class="fact">
          {usage?.estimated === true && '≈'}
          {formatMoney(cost, prices?.currency ?? currencyOfServices, document.documentElement.lang)}
        </span>
      )}
    </div>
  );
}

function describe(usage: Usage): string {
  const mark = usage.estimated ? '≈' : '';
  return [
    l10n.t('Tokens of this reply and everything sent for it'),
    l10n.t('Prompt: {0}', mark + numberInPage(usage.prompt_tokens)),
    l10n.t('Cached: {0}', mark + numberInPage(usage.cached_tokens)),
    l10n.t('Completion: {0}', mark + numberInPage(usage.completion_tokens)),
    l10n.t('Total: {0}', mark + numberInPage(usage.total_tokens)),
  ].join('\n');
}

function CopyMessage({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const [done, setDone] = useState(false);
  const text = turnText(turn);
  if (text === '') return null;
  const copy = async (): Promise<void> => {
    if (!(await store.request('copy', { text }))) return;
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
