import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { effect, untracked } from '@preact/signals';
import {
  type ToolCallPart,
  type ToolCallStatus,
  type Turn,
  turnText,
} from '../../core/conversation/conversation.ts';
import { revealInvisible, truncateText } from '../../core/support/text.ts';
import type { AttachmentChip, PanelState } from '../../protocol/messages.ts';
import { modeName } from '../composer/composerView.tsx';
import { countText } from '../parts/format.ts';
import { useStore, useTicker } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import { outcomeText } from './outcome.tsx';

/** Minimum wait to show, in milliseconds. */
const minShownWait = 3000;

/** The status of the running turn. It counts seconds, so only its first text is announced. */
export function Status() {
  const store = useStore();
  const turn = store.shown.hasEnd.value ? store.running.value : undefined;
  const waited = useWaited(turn, store);
  useTicker(isTimed(turn) || turn?.status === 'retrying');
  const text = turn === undefined ? '' : statusText(turn, store);
  // A countdown changes its text every second and must not repeat.
  const key = turn?.status === 'retrying' ? `retry ${turn.retry?.attempt}` : text;
  const asking = turn && callsThat(turn, 'asking')[0];
  const needsUser = turn?.status === 'paused' || asking !== undefined;
  // Before the browser paints: a short reply may end before later effects run.
  useLayoutEffect(() => {
    const title = asking?.title;
    if (key !== '') store.announce(title === undefined ? text : `${text}: ${title}`);
  }, [key, asking?.title, store]);
  return (
    <div class="progress">
      <div role="status" aria-live="off" class="status">
        {turn !== undefined && (
          <>
            <span class={needsUser ? 'pulse still' : 'pulse'} aria-hidden="true" />
            <span>{text}</span>
            {waited >= minShownWait && (
              <span class="elapsed" aria-hidden="true">
                {l10n.t('{0} s', Math.floor(waited / 1000))}
              </span>
            )}
          </>
        )}
      </div>
      {turn?.retry !== undefined && <div class="retry-reason">{turn.retry.error.message}</div>}
    </div>
  );
}

/** Milliseconds without any part of a reply; a continued turn started long before that. */
function useWaited(turn: Turn | undefined, store: Store): number {
  const since = useRef<number>(undefined);
  const seen = useRef<Turn>(undefined);
  useEffect(() => {
    const subscription = store.shown.onDidGrow((grown) => {
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

function statusText(turn: Turn, store: Store): string {
  if (turn.status === 'retrying' && turn.retry !== undefined) {
    const { attempt, attempts } = turn.retry;
    const seconds = Math.ceil(store.clock.untilRetry(turn.retry) / 1000);
    return l10n.t('Retrying in {0} s ({1} of {2})', seconds, attempt, attempts);
  }
  if (turn.status === 'streaming')
    return turn.parts.at(-1)?.type === 'reasoning' ? l10n.t('Thinking') : l10n.t('Replying');
  if (turn.status === 'paused') return l10n.t('Paused');
  if (turn.status !== 'calling') return l10n.t('Waiting');
  const [asking] = callsThat(turn, 'asking');
  if (asking !== undefined)
    return asking.question?.by === 'question'
      ? l10n.t('Waiting for your answer')
      : l10n.t('Waiting for approval');
  // Waiting calls count only if none is running.
  const running = callsThat(turn, 'running');
  const [first] = running.length > 0 ? running : callsThat(turn, 'waiting');
  if (first === undefined) return l10n.t('Waiting');
  return running.length > 1
    ? countText(l10n.t('Running {0} tools'), running.length)
    : l10n.t('Running {0}', first.name);
}

function callsThat({ parts }: Turn, status: ToolCallStatus): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call').filter((call) => call.status === status);
}

/**
 * Announcements for assistive technology: the progress of a turn and the beginning of its reply,
 * each once. The transcript isn't a live region, since a stream would be read in fragments.
 */
export function Announcer() {
  const store = useStore();
  const { text, number } = store.announcement.value;
  // Before the browser paints: a short reply may end before later effects run.
  useLayoutEffect(() => {
    const subscription = store.shown.onDidTurn((type) => {
      if (type !== 'end') return;
      const turn = store.shown.turns.peek().at(-1);
      // The newest turn may not be rendered for a person who reads far above.
      const isNewest = turn !== undefined && store.shown.hasEnd.peek();
      store.announce(isNewest ? replyAnnouncement(turn) : l10n.t('Reply ready'));
    });
    return () => subscription.dispose();
  }, [store]);
  // Changes of one chat's panel; another chat has its own state.
  useEffect(() => {
    let before: { readonly chat: string; readonly panel: PanelState } | undefined;
    return effect(() => {
      const { value: panel } = store.panel;
      const chat = store.id.value;
      if (panel === undefined) return;
      const last = before;
      before = { chat, panel };
      const text =
        last?.chat === chat
          ? panelChanges(last.panel, panel)
          : elsewhereText(panel.isReadOnly, undefined);
      if (text !== '') untracked(() => store.announce(text));
    });
  }, [store]);
  return (
    <div class="announcer" aria-live="polite">
      {/* Another element for each text: an equal one would be no change. */}
      {text !== '' && <span key={number}>{text}</span>}
    </div>
  );
}

/** Empty for an error without a reply, which is an alert. */
function replyAnnouncement(turn: Turn): string {
  const beginning = beginningOf(turnText(turn));
  const isError = turn.status === 'failed' || turn.status === 'cut';
  const outcome = isError ? '' : outcomeText(turn);
  const reply = beginning === '' ? '' : l10n.t('Reply: {0}', beginning);
  return [reply, outcome].filter((part) => part !== '').join(' ');
}

/** Number of characters of a reply that are announced. */
const maxLength = 200;

/** Tags that are rendered instead of shown. */
const tag = /<\/?(?:br|details|kbd|sub|summary|sup)(?: open)? ?\/?>/gi;

/** The beginning of Markdown as it is read aloud: without marks, up to the end of a word. */
function beginningOf(markdown: string): string {
  const words = markdown
    .slice(0, maxLength * 4)
    .replaceAll(/^ {0,3}(?:#{1,6} |> |[-*+] |(?:```|~~~).*$)/gm, '')
    .replaceAll(/^[ \t|:=_*-]{3,}$/gm, '')
    .replaceAll(/^[ \t]*\||\|[ \t]*$/gm, '')
    .replaceAll(/ \| /g, ', ')
    .replaceAll(tag, ' ')
    .replaceAll(/!?\[([^[\]\n]{1,200})\]\([^()\s]{1,400}\)/g, '$1')
    .replaceAll(/[*`]+|~~/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (words.length <= maxLength) return words;
  const end = words.lastIndexOf(' ', maxLength);
  return `${truncateText(words, end > maxLength / 2 ? end : maxLength)}…`;
}

/**
 * The announcement of changes to the panel that a person can't see otherwise. Removed attachments
 * are announced by the action instead, since sending a message also removes its attachments.
 */
function panelChanges(before: PanelState, after: PanelState): string {
  const known = new Set(attachedIn(before).map(({ id }) => id));
  const added = attachedIn(after)
    .filter(({ id }) => !known.has(id))
    .map(({ name }) => revealInvisible(name).text);
  const texts: string[] = [];
  if (after.mode !== before.mode) texts.push(l10n.t('Mode: {0}', modeName(after.mode)));
  if (![before.model.id, ''].includes(after.model.id))
    texts.push(l10n.t('Model: {0}', after.model.id));
  texts.push(elsewhereText(after.isReadOnly, before.isReadOnly));
  if (after.notice !== before.notice) texts.push(after.notice ?? '');
  if (added.length > 0) texts.push(l10n.t('Attached: {0}', added.join(', ')));
  if (after.queued.length > before.queued.length) texts.push(l10n.t('Added to the queue'));
  return texts.filter((text) => text !== '').join('\n');
}

function elsewhereText(now: true | undefined, before: true | undefined): string {
  if (now === before) return '';
  return now === true
    ? l10n.t('This chat is open in another window.')
    : l10n.t('This chat is no longer open in another window.');
}

function attachedIn({ attachments }: PanelState): readonly AttachmentChip[] {
  return attachments.filter(({ state }) => state !== 'offered');
}
