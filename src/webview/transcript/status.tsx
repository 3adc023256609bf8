import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ToolCallPart, ToolCallStatus, Turn } from '../../core/conversation/conversation.ts';
import { countText } from '../parts/format.ts';
import { useStore, useTicker } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';

/** Minimum wait to show, in milliseconds. */
const minShownWait = 3000;

/** The status of the running turn. It counts seconds, so only its first text is announced. */
export function Status() {
  const store = useStore();
  const turn = store.window.hasEnd.value ? store.running.value : undefined;
  const waited = useWaited(turn, store);
  useAnnouncement(turn, store);
  useTicker(isTimed(turn) || turn?.status === 'retrying');
  return (
    <div class="progress">
      <div role="status" aria-live="off" class="status">
        {turn !== undefined && <StatusText turn={turn} waited={waited} />}
      </div>
      {turn?.retry !== undefined && <div class="retry-reason">{turn.retry.error.message}</div>}
    </div>
  );
}

/** @param props.waited milliseconds without any part of a reply */
function StatusText({ turn, waited }: { readonly turn: Turn; readonly waited: number }) {
  const store = useStore();
  return (
    <>
      <span class={needsUser(turn) ? 'pulse still' : 'pulse'} aria-hidden="true" />
      <span>{describe(turn, store)}</span>
      {waited >= minShownWait && (
        <span class="elapsed" aria-hidden="true">
          {l10n.t('{0} s', Math.floor(waited / 1000))}
        </span>
      )}
    </>
  );
}

/** Milliseconds without any part of a reply; a continued turn started long before that. */
function useWaited(turn: Turn | undefined, store: Store): number {
  const since = useRef<number>(undefined);
  const seen = useRef<Turn>(undefined);
  useEffect(() => {
    const subscription = store.window.onDidGrow((grown) => {
      if (grown.turn === seen.current?.id) since.current = store.clock.now();
    });
    return () => subscription.dispose();
  }, [store]);
  if (turn === undefined || !isTimed(turn)) {
    since.current = undefined;
    return 0;
  }
  if (since.current === undefined || seen.current !== turn)
    since.current = turn.parts.length === 0 ? turn.runningSince : store.clock.now();
  seen.current = turn;
  return store.clock.now() - since.current;
}

/** True if the turn waits for the service. */
function isTimed(turn: Turn | undefined): boolean {
  return turn?.status === 'waiting' || turn?.status === 'streaming';
}

/** Announces each status once; a countdown with its initial number. */
function useAnnouncement(turn: Turn | undefined, store: Store): void {
  const text = turn === undefined ? '' : describe(turn, store);
  const key = turn?.status === 'retrying' ? `retry ${turn.retry?.attempt}` : text;
  const asking = turn === undefined ? undefined : callsThat(turn, 'asking')[0]?.title;
  // Before the browser paints: a short reply may end before later effects run.
  useLayoutEffect(() => {
    if (key === '') return;
    store.announce(asking === undefined ? text : `${text}: ${asking}`);
    // Announces a status once. A countdown changes its text every second and must not repeat.
  }, [key, asking, store]);
}

function describe(turn: Turn, store: Store): string {
  if (turn.status === 'retrying' && turn.retry !== undefined) {
    const { attempt, attempts } = turn.retry;
    const seconds = Math.ceil(store.clock.untilRetry(turn.retry) / 1000);
    return l10n.t('Retrying in {0} s ({1} of {2})', seconds, attempt, attempts);
  }
  switch (turn.status) {
    case 'streaming':
      return turn.parts.at(-1)?.type === 'reasoning' ? l10n.t('Thinking') : l10n.t('Replying');
    case 'calling':
      return callText(turn);
    case 'paused':
      return l10n.t('Paused');
    default:
      return l10n.t('Waiting');
  }
}

/** The status of tool calls. Waiting calls count only if none is running. */
function callText(turn: Turn): string {
  const [running, waiting] = [callsThat(turn, 'running'), callsThat(turn, 'waiting')];
  const [first, ...others] = running.length > 0 ? running : waiting.slice(0, 1);
  if (asks(turn)) return l10n.t('Waiting for approval');
  if (first === undefined) return l10n.t('Waiting');
  return others.length === 0
    ? l10n.t('Running {0}', first.name)
    : countText(l10n.t('Running {0} tools'), others.length + 1);
}

function needsUser(turn: Turn): boolean {
  return turn.status === 'paused' || asks(turn);
}

function asks(turn: Turn): boolean {
  return callsThat(turn, 'asking').length > 0;
}

function callsThat({ parts }: Turn, status: ToolCallStatus): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call').filter((call) => call.status === status);
}
