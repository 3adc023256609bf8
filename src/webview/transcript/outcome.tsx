import * as l10n from '@vscode/l10n';
import {
  canContinue,
  countOfRounds,
  turnText,
  type Turn,
} from '../../core/conversation/conversation.ts';
import {
  estimatedMoney,
  formatMoney,
  formatTokens,
  knownCost,
  shownCount,
  zeroUsage,
} from '../../core/conversation/usage.ts';
import type { ModelPrices } from '../../protocol/messages.ts';
import type { CallParameters } from '../../protocol/rpc.ts';
import { ChangeButton, CommandButton, Icon } from '../parts/controls.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

interface OutcomeProps {
  readonly turn: Turn;
  readonly last: boolean;
}

/** The outcome of a turn, unless it succeeded. */
export function Outcome({ turn, last }: OutcomeProps) {
  const { malformedEvents = 0, lostRecords = 0 } = turn;
  const words = [outcomeText(turn)];
  if (turn.toolsRefused)
    words.push(l10n.t('This model refused tools, so it replied without them.'));
  if (malformedEvents === 1)
    words.push(l10n.t("Part of this reply couldn't be read and was left out."));
  if (malformedEvents > 1)
    words.push(
      countText(
        l10n.t("{0} parts of this reply couldn't be read and were left out."),
        malformedEvents,
      ),
    );
  if (lostRecords > 0)
    words.push(l10n.t("Part of this turn was damaged on the disk and couldn't be read."));
  const text = words.filter((line) => line !== '').join('\n');
  if (text === '') return null;
  const isError = turn.status === 'failed' || turn.status === 'cut';
  const content = (
    <>
      <Icon name={isError ? 'error' : 'info'} />
      <div class="outcome-body">
        <div class="outcome-text">{text}</div>
        {last && <OutcomeButtons turn={turn} />}
      </div>
    </>
  );
  // An earlier error would be announced again with every re-render.
  return isError && last ? (
    <div class="outcome error" role="alert">
      {content}
    </div>
  ) : (
    <div class={isError ? 'outcome error' : 'outcome'}>{content}</div>
  );
}

function OutcomeButtons({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const continuable = canContinue(turn);
  const { error } = turn;
  if (!continuable && error === undefined) return null;
  const remedy = error?.remedy;
  const isChatBudget = remedy === 'raise-chat-budget';
  const newChat = ['newChat', l10n.t('New Chat')] as const;
  const commands = new Map<typeof remedy, readonly [CallParameters['run']['command'], string]>([
    ['set-api-key', ['setApiKey', l10n.t('Set API Key')]],
    ['select-model', ['selectModel', l10n.t('Select Model')]],
    ['open-console', ['openConsole', l10n.t('Open Console')]],
    ['connect', ['connect', l10n.t('Connect')]],
    ['new-chat', newChat],
    ['raise-chat-budget', newChat],
  ]);
  const [command, label] = commands.get(remedy) ?? [];
  return (
    <div class="button-row">
      {continuable && (
        <ChangeButton isDeliberate onClick={() => store.post('continue', { turn: turn.id })}>
          {l10n.t('Continue')}
        </ChangeButton>
      )}
      {remedy === 'without-tools' && (
        <ChangeButton
          isDeliberate
          onClick={() => store.post('retry-without-tools', { turn: turn.id })}
        >
          {l10n.t('Try without Tools')}
        </ChangeButton>
      )}
      {(isChatBudget || remedy === 'raise-budget') && (
        <button type="button" class="button" onClick={() => store.post('raise-budget', {})}>
          {l10n.t('Raise Budget…')}
        </button>
      )}
      {command !== undefined && (
        <CommandButton command={command} look={isChatBudget ? 'button secondary' : 'button'}>
          {label}
        </CommandButton>
      )}
      {error !== undefined && (
        <ChangeButton
          isSecondary={remedy !== 'try-again' || continuable}
          isDeliberate
          onClick={() => store.post('retry', { turn: turn.id, chooseModel: false })}
        >
          {l10n.t('Try Again')}
        </ChangeButton>
      )}
    </div>
  );
}

/** True if the outcome of the newest turn has the button Try Again. */
export function hasTryAgain(turn: Turn): boolean {
  return turn.error !== undefined && outcomeText(turn) !== '';
}

/** The outcome of a turn as text; empty if it succeeded. */
export function outcomeText(turn: Turn): string {
  switch (turn.status) {
    case 'failed':
      return turn.error?.message || l10n.t('The window was closed before a reply arrived.');
    case 'cut':
      return (
        turn.error?.message || l10n.t('The reply was cut off. The text received so far was kept.')
      );
    case 'stopped':
      return l10n.t('You stopped this reply.');
    case 'finished':
      if (turn.finishReason === 'length') return l10n.t('The reply reached the maximum length.');
      if (turn.finishReason === 'content_filter')
        return l10n.t("The service's content filter ended this reply.");
      return turnText(turn) === '' && turn.parts.every((part) => part.type !== 'tool-call')
        ? l10n.t('The model returned an empty reply.')
        : '';
    case 'waiting':
    case 'retrying':
    case 'streaming':
    case 'calling':
    case 'paused':
      return '';
  }
}

/** A turn that reached a limit: the reason, the tokens used, and a button to continue. */
export function Paused({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const { pause, usage } = turn;
  const lines = [pauseText(turn, store.panel.value?.prices)];
  // The reason has the tokens already if they are the limit.
  if (usage !== undefined && pause?.reason !== 'tokens') {
    const { total_tokens: tokens, estimated } = usage;
    const amount = formatTokens(tokens, estimated);
    lines.push(countText(l10n.t('{0} tokens so far'), shownCount(tokens), amount));
  }
  return (
    <div class="outcome paused" role="group" aria-label={l10n.t('Paused')}>
      <Icon name="debug-pause" />
      <div class="outcome-body">
        <div class="outcome-text">{lines.join('\n')}</div>
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

function pauseText(turn: Turn, prices: ModelPrices | undefined): string {
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
  const rounds = countOfRounds(turn);
  return rounds === 1
    ? l10n.t('Paused after 1 tool round.')
    : countText(l10n.t('Paused after {0} tool rounds.'), rounds);
}
