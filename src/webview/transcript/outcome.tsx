import * as l10n from '@vscode/l10n';
import {
  canContinue,
  turnText,
  type Turn,
  type Remedy,
} from '../../core/conversation/conversation.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { countText } from '../parts/format.ts';
import type { Store } from '../state/store.ts';
import { useStore } from '../parts/hooks.ts';

interface OutcomeProps {
  readonly turn: Turn;
  readonly last: boolean;
}

/** The outcome of a turn, unless it succeeded. */
export function Outcome({ turn, last }: OutcomeProps) {
  const lost =
    (turn.lostRecords ?? 0) === 0
      ? ''
      : l10n.t("Part of this turn was damaged on the disk and couldn't be read.");
  const refused = turn.toolsRefused
    ? l10n.t('This model refused tools, so it replied without them.')
    : '';
  const words = [outcomeText(turn), refused, damageText(turn), lost]
    .filter((line) => line !== '')
    .join('\n');
  if (words === '') return null;
  const isError = turn.status === 'failed' || turn.status === 'cut';
  const content = (
    <>
      <Icon name={isError ? 'error' : 'info'} />
      <div class="outcome-body">
        <div class="outcome-text">{words}</div>
        {last && <Buttons turn={turn} />}
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

function Buttons({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  const continuable = canContinue(turn);
  const remedy = turn.error?.remedy;
  if (!continuable && turn.error === undefined) return null;
  return (
    <div class="button-row">
      {continuable && (
        <ChangeButton isDeliberate onClick={() => store.post('continue', { turn: turn.id })}>
          {l10n.t('Continue')}
        </ChangeButton>
      )}
      {turn.error !== undefined && (
        <>
          {remedy === 'without-tools' && (
            <ChangeButton
              isDeliberate
              onClick={() => store.post('retry-without-tools', { turn: turn.id })}
            >
              {nameOf(remedy)}
            </ChangeButton>
          )}
          {remedy !== undefined && remedy !== 'try-again' && remedy !== 'without-tools' && (
            <button type="button" class="button" onClick={() => requestRemedy(store, remedy)}>
              {nameOf(remedy)}
            </button>
          )}
          {remedy === 'raise-chat-budget' && (
            <button
              type="button"
              class="button secondary"
              onClick={() => store.post('run', { command: 'newChat' })}
            >
              {l10n.t('New Chat')}
            </button>
          )}
          <ChangeButton
            isSecondary={remedy !== 'try-again' || continuable}
            isDeliberate
            onClick={() => store.post('retry', { turn: turn.id, chooseModel: false })}
          >
            {l10n.t('Try Again')}
          </ChangeButton>
        </>
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
      return finishedText(turn);
    case 'waiting':
    case 'retrying':
    case 'streaming':
    case 'calling':
    case 'paused':
      return '';
  }
}

function damageText({ malformedEvents = 0 }: Turn): string {
  if (malformedEvents === 0) return '';
  return malformedEvents === 1
    ? l10n.t("Part of this reply couldn't be read and was left out.")
    : countText(
        l10n.t("{0} parts of this reply couldn't be read and were left out."),
        malformedEvents,
      );
}

function finishedText(turn: Turn): string {
  switch (turn.finishReason) {
    case 'length':
      return l10n.t('The reply reached the maximum length.');
    case 'content_filter':
      return l10n.t("The service's content filter ended this reply.");
    default:
      return turnText(turn) === '' && turn.parts.every((part) => part.type !== 'tool-call')
        ? l10n.t('The model returned an empty reply.')
        : '';
  }
}

type OtherRemedy = Exclude<Remedy, 'try-again'>;

function nameOf(remedy: OtherRemedy): string {
  switch (remedy) {
    case 'set-api-key':
      return l10n.t('Set API Key');
    case 'select-model':
      return l10n.t('Select Model');
    case 'open-console':
      return l10n.t('Open Console');
    case 'connect':
      return l10n.t('Connect');
    case 'new-chat':
      return l10n.t('New Chat');
    case 'raise-budget':
    case 'raise-chat-budget':
      return l10n.t('Raise Budget…');
    case 'without-tools':
      return l10n.t('Try without Tools');
  }
}

function requestRemedy(store: Store, remedy: Exclude<OtherRemedy, 'without-tools'>): void {
  if (remedy === 'raise-budget' || remedy === 'raise-chat-budget') {
    store.post('raise-budget', {});
    return;
  }
  const commands = {
    'set-api-key': 'setApiKey',
    'select-model': 'selectModel',
    'open-console': 'openConsole',
    connect: 'connect',
    'new-chat': 'newChat',
  } as const;
  store.post('run', { command: commands[remedy] });
}
