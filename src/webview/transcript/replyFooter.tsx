import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { turnText, type Turn } from '../../core/conversation/conversation.ts';
import { shortModelName, type Usage } from '../../core/conversation/usage.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { IconButton } from '../parts/controls.tsx';
import { asSentences, formatDuration, numberInPage, tokensText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { hasTryAgain } from './outcome.tsx';
import { VersionButtons } from './versionButtons.tsx';

interface ReplyFooterProps {
  readonly turn: Turn;
  /** Absent where there is only one. */
  readonly versions: VersionPlace | undefined;
  readonly last: boolean;
}

/** The model, tokens and duration of a reply, and its actions. */
export function ReplyFooter({ turn, versions, last }: ReplyFooterProps) {
  const store = useStore();
  const retry = (chooseModel: boolean): void =>
    void store.request({ type: 'retry', turn: turn.id, chooseModel });
  return (
    <div class="answer-footer">
      {versions !== undefined && <VersionButtons turn={turn.id} of="reply" place={versions} />}
      <div class="answer-actions">
        <CommonActions turn={turn} />
        {last && !hasTryAgain(turn) && (
          <ChangeIconButton icon="refresh" name={l10n.t('Retry')} onClick={() => retry(false)} />
        )}
        {last && (
          <ChangeIconButton
            icon="arrow-swap"
            name={l10n.t('Retry with Another Model…')}
            onClick={() => retry(true)}
          />
        )}
        {last && (
          <ChangeIconButton
            icon="split-horizontal"
            name={l10n.t('Compare Models…')}
            onClick={() => void store.request({ type: 'compare', turn: turn.id })}
          />
        )}
      </div>
      <div class="answer-facts">
        <span class="fact-model" title={turn.model}>
          {shortModelName(turn.model)}
        </span>
        {turn.usage !== undefined && <ReplyTokens usage={turn.usage} />}
        <ReplyDuration turn={turn} />
      </div>
    </div>
  );
}

/** What can be done with any reply. */
export function CommonActions({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  return (
    <>
      {turnText(turn) !== '' && (
        <CopyButton name={l10n.t('Copy Message')} text={() => turnText(turn)} />
      )}
      <IconButton
        icon="repo-forked"
        name={l10n.t('Fork from Here')}
        onClick={() => void store.request({ type: 'fork', turn: turn.id })}
      />
    </>
  );
}

/** Not shown if nothing was received, or if the end was not observed. */
export function ReplyDuration({ turn }: { readonly turn: Turn }) {
  if (turn.status === 'failed' || turn.duration === 0) return null;
  return <span class="fact">{formatDuration(turn.duration)}</span>;
}

/** The tokens of a reply, told in full to assistive technology. */
export function ReplyTokens({ usage }: { readonly usage: Usage }) {
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

/** Copies a text, and shows a check mark for a moment. */
function CopyButton({ name, text }: CopyButtonProps) {
  const store = useStore();
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await store.request({ type: 'copy', text: text() }))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return <IconButton icon={done ? 'check' : 'copy'} name={name} onClick={() => void copy()} />;
}
