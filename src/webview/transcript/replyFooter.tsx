import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { turnText, type Turn } from '../../core/conversation/conversation.ts';
import {
  formatMoney,
  shortModelName,
  usageCost,
  type Usage,
} from '../../core/conversation/usage.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import type { ModelPrices } from '../../protocol/messages.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { IconButton } from '../parts/controls.tsx';
import { asSentences, formatDuration, numberInPage, tokensText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import type { MenuItem } from '../parts/menu.ts';
import { MenuButton } from '../parts/menuButton.tsx';
import type { Store } from '../state/store.ts';
import { hasTryAgain } from './outcome.tsx';
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
  return (
    <div class="answer-footer">
      {versions !== undefined && <VersionButtons turn={turn.id} of="reply" position={versions} />}
      <div class="answer-actions">
        <CopyMessage turn={turn} />
        {last && !hasTryAgain(turn) && (
          <ChangeIconButton
            icon="refresh"
            name={l10n.t('Retry')}
            onClick={() => store.post('retry', { turn: turn.id, chooseModel: false })}
          />
        )}
        <MenuButton
          menu={() => ({
            items: [...(last ? [otherModel(store, turn.id)] : []), fork(store, turn.id)],
            facts: <Facts turn={turn} prices={store.panel.peek()?.prices} />,
          })}
        />
      </div>
    </div>
  );
}

function otherModel(store: Store, turn: string): MenuItem {
  return {
    icon: 'arrow-swap',
    name: l10n.t('Retry with Another Model…'),
    disabled: store.readOnly.peek(),
    run: () => store.post('retry', { turn, chooseModel: true }),
  };
}

function fork(store: Store, turn: string): MenuItem {
  return {
    icon: 'repo-forked',
    name: l10n.t('Fork from Here'),
    run: () => store.post('fork', { turn }),
  };
}

interface FactsProps {
  readonly turn: Turn;
  readonly prices: ModelPrices | undefined;
}

function Facts({ turn, prices }: FactsProps) {
  return (
    <div class="answer-facts">
      <span class="fact-model" title={turn.model}>
        {shortModelName(turn.model)}
      </span>
      {turn.usage !== undefined && <ReplyTokens usage={turn.usage} />}
      <ReplyDuration turn={turn} />
      <ReplyPrice turn={turn} prices={prices} />
    </div>
  );
}

/** The cost of a reply, if the price of its model is known. */
function ReplyPrice({ turn: { usage, model }, prices }: FactsProps) {
  const price = prices?.byModel[model];
  if (usage === undefined || prices === undefined || price === undefined) return null;
  const { lang } = document.documentElement;
  const cost = formatMoney(usageCost(usage, price), prices.currency, lang);
  return <span class="fact">{usage.estimated ? `≈${cost}` : cost}</span>;
}

function CopyMessage({ turn }: { readonly turn: Turn }) {
  const text = turnText(turn);
  return text === '' ? null : <CopyButton name={l10n.t('Copy Message')} text={() => text} />;
}

/** Hidden if nothing was received, or if the end is unknown. */
function ReplyDuration({ turn }: { readonly turn: Turn }) {
  if (turn.status === 'failed' || turn.duration === 0) return null;
  return <span class="fact">{formatDuration(turn.duration)}</span>;
}

/** The tokens of a reply, with the exact number for assistive technology. */
function ReplyTokens({ usage }: { readonly usage: Usage }) {
  const description = describe(usage);
  return (
    <span class="fact" role="note" aria-label={asSentences(description)} title={description}>
      {tokensText(usage.total_tokens, usage.estimated)}
    </span>
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

interface CopyButtonProps {
  readonly name: string;
  readonly text: () => string;
}

function CopyButton({ name, text }: CopyButtonProps) {
  const store = useStore();
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await store.request('copy', { text: text() }))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <IconButton icon={done ? 'check' : 'copy'} name={name} onClick={() => background(copy())} />
  );
}
