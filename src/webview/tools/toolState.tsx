import * as l10n from '@vscode/l10n';
import type { ToolCallPart, ToolCallStatus } from '../../core/conversation/conversation.ts';
import { isCallEnded } from '../../core/conversation/reduce.ts';
import { Icon } from '../parts/controls.tsx';
import { formatDuration } from '../parts/format.ts';
import { useStore, useTicker } from '../parts/hooks.ts';

/** Icons of statuses; the text is the accessible name. */
const signs: Partial<Record<ToolCallStatus, string>> = {
  asking: 'question',
  running: 'loading codicon-modifier-spin',
  done: 'check',
};

interface ToolStateProps {
  readonly status: ToolCallStatus;
  /** False for a call that was never decided on: its reply was incomplete. */
  readonly hasResult: boolean;
}

export function ToolState({ status, hasResult }: ToolStateProps) {
  const words = wordsOf(status, hasResult);
  const sign = signs[status];
  return sign === undefined ? (
    <span key="words" class={`tool-state ${status}`}>
      {words}
    </span>
  ) : (
    <span key="sign" class={`tool-state ${status}`} role="img" aria-label={words} title={words}>
      <Icon name={sign} />
    </span>
  );
}

function wordsOf(status: ToolCallStatus, hasResult: boolean): string {
  switch (status) {
    case 'waiting':
      return l10n.t('Waiting');
    case 'asking':
      return l10n.t('Needs approval');
    case 'running':
      return l10n.t('Running');
    case 'done':
      return l10n.t('Done');
    case 'failed':
      return l10n.t('Failed');
    case 'denied':
      return hasResult ? l10n.t('Denied') : l10n.t('Not run');
    case 'stopped':
      return l10n.t('Stopped');
  }
}

/** Minimum duration to show, in milliseconds. */
const minShownDuration = 1000;

/** The time in which at least one of the calls ran, updated while one is running. */
export function CallTime({ calls }: { readonly calls: readonly ToolCallPart[] }) {
  const store = useStore();
  const runs = calls.some(({ status }) => status === 'running');
  useTicker(runs);
  if (!runs && !calls.every(isCallEnded)) return null;
  const time = timeOf(calls, store.clock.now());
  if (time < minShownDuration) return null;
  return (
    <span class="tool-time" aria-hidden={runs}>
      {runs ? l10n.t('{0} s', Math.floor(time / 1000)) : formatDuration(time)}
    </span>
  );
}

/** Milliseconds in which at least one call ran, without approvals in between. */
function timeOf(calls: readonly ToolCallPart[], now: number): number {
  const starts = calls
    .filter(({ startedAt, status }) => startedAt !== undefined && status !== 'asking')
    .map(({ startedAt = 0, endedAt = now }) => ({ startedAt, endedAt }))
    .toSorted((first, second) => first.startedAt - second.startedAt);
  let time = 0;
  let until = 0;
  for (const { startedAt, endedAt } of starts) {
    time += Math.max(0, endedAt - Math.max(startedAt, until));
    until = Math.max(until, endedAt);
  }
  return time;
}
