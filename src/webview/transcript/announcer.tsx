import { effect, untracked } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { turnText, type Turn } from '../../core/conversation/conversation.ts';
import { revealInvisible, truncateText } from '../../core/support/text.ts';
import type { AttachmentChip, PanelState } from '../../protocol/messages.ts';
import { modeName } from '../composer/modeButton.tsx';
import { useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import { outcomeText } from './outcome.tsx';

/**
 * Announcements for assistive technology: the progress of a turn and the beginning of its reply,
 * each once. The transcript isn't a live region, since a stream would be read in fragments.
 */
export function Announcer() {
  const store = useStore();
  const { text, number } = store.announcement.value;
  // Before the browser paints: a short reply may end before later effects run.
  useLayoutEffect(() => {
    const subscription = store.window.onDidTurn((type) => {
      if (type === 'end') store.announce(lastReply(store));
    });
    return () => subscription.dispose();
  }, [store]);
  usePanelChanges(store);
  return (
    <div class="announcer" aria-live="polite">
      {/* Another element for each text: an equal one would be no change. */}
      {text !== '' && <span key={number}>{text}</span>}
    </div>
  );
}

/** Announces changes of one chat's panel; another chat has its own state. */
function usePanelChanges(store: Store): void {
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
          : elsewhereText(panel.openElsewhere, undefined);
      if (text !== '') untracked(() => store.announce(text));
    });
  }, [store]);
}

/** The newest turn may not be rendered for a person who reads far above. */
function lastReply({ window }: Store): string {
  const turn = window.turns.peek().at(-1);
  const isNewest = turn !== undefined && window.hasEnd.peek();
  return isNewest ? replyAnnouncement(turn) : l10n.t('Reply ready');
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
  const texts = [
    after.mode === before.mode ? '' : l10n.t('Mode: {0}', modeName(after.mode)),
    [before.model.id, ''].includes(after.model.id) ? '' : l10n.t('Model: {0}', after.model.id),
    elsewhereText(after.openElsewhere, before.openElsewhere),
    after.notice === before.notice ? '' : (after.notice ?? ''),
    attachedText(before, after),
    after.queued.length > before.queued.length ? l10n.t('Added to the queue') : '',
  ];
  return texts.filter((text) => text !== '').join('\n');
}

function elsewhereText(now: true | undefined, before: true | undefined): string {
  if (now === before) return '';
  return now === true
    ? l10n.t('This chat is open in another window.')
    : l10n.t('This chat is no longer open in another window.');
}

function attachedText(before: PanelState, after: PanelState): string {
  const known = new Set(attachedIn(before).map(({ id }) => id));
  const added = attachedIn(after).filter(({ id }) => !known.has(id));
  if (added.length === 0) return '';
  return l10n.t('Attached: {0}', added.map(({ name }) => revealInvisible(name).text).join(', '));
}

function attachedIn({ attachments }: PanelState): readonly AttachmentChip[] {
  return attachments.filter(({ state }) => state !== 'offered');
}
