import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApprovalRequest } from '../../core/conversation/conversation.ts';
import type { ViewRequest } from '../../protocol/messages.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { FileList, FileName, LineCounts } from '../parts/fileList.tsx';
import { useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';

type Decision = Extract<ViewRequest, { type: 'decide' }>['decision'];

interface Props {
  /** Identifier of the turn. */
  readonly turn: string;
  /** Identifier of the call. */
  readonly call: string;
  readonly question: ApprovalRequest;
}

/**
 * The approval request of a call. Only edits of unprotected files are approved here, which the host
 * verifies; for all others VS Code shows a dialog.
 */
export function ApprovalRequestView({ turn, call, question: request }: Props) {
  if (request.by === 'panel') return <PanelApproval turn={turn} call={call} question={request} />;
  return (
    <div class="tool-note">
      <Icon name="shield" />
      <span class="tool-words">{l10n.t('Respond in the dialog to continue')}</span>
    </div>
  );
}

function PanelApproval({ turn, call, question }: Props) {
  const { files, forChat } = question;
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  useAllowKey(frame, () => void store.request({ type: 'decide', turn, call, decision: 'once' }));
  const review = (path?: string): void => void store.request({ type: 'review', turn, call, path });
  return (
    <div class="tool-question" ref={frame}>
      <FileList items={files} keyOf={({ path }) => path}>
        {({ path, kind, addedLines, removedLines }) => (
          <>
            {/* For the mouse only; with the keyboard the files are reached through Review Diff. */}
            <FileName path={path} kind={kind} onClick={() => review(path)} tabIndex={-1} />
            <LineCounts added={addedLines} removed={removedLines} />
          </>
        )}
      </FileList>
      <div class="button-row">
        <ChangeButton isSecondary onClick={() => review()}>
          {l10n.t('Review Diff')}
        </ChangeButton>
        <DecideButton
          turn={turn}
          call={call}
          decision="once"
          name={l10n.t('Allow Once')}
          title={l10n.t('Allow Once (Ctrl+Enter)')}
        />
        {forChat && (
          <DecideButton
            turn={turn}
            call={call}
            decision="chat"
            name={l10n.t('Allow in This Chat')}
          />
        )}
        <DecideButton turn={turn} call={call} decision="deny" name={l10n.t('Deny')} />
      </div>
    </div>
  );
}

/** Milliseconds after which a key press is meant for the request that is shown. */
const minShownTime = 700;

/**
 * Allows the request on Ctrl+Enter, or Cmd+Enter, with the focus in its card or in the empty
 * composer. A request that has just appeared is not allowed, and one out of view is shown first.
 */
function useAllowKey(frame: RefObject<HTMLElement | null>, allow: () => void): void {
  const store = useStore();
  const latest = useRef(allow);
  latest.current = allow;
  useEffect(() => {
    const shownAt = performance.now();
    const listeners = new AbortController();
    const keyDown = (event: KeyboardEvent): void => {
      const card = frame.current?.closest('details');
      if (!isCommandEnter(event) || card === null || card === undefined) return;
      const focused = document.activeElement;
      // The other buttons keep their meaning.
      if (frame.current?.contains(focused) === true && focused?.matches('.secondary') === true)
        return;
      if (!card.contains(focused) && !isComposerEmpty(store)) return;
      // Other requests get no part of it, and the focused button is not pressed.
      event.preventDefault();
      event.stopImmediatePropagation();
      if (performance.now() - shownAt < minShownTime) return;
      if (!isInView(card)) card.scrollIntoView({ block: 'nearest' });
      else {
        if (card.contains(document.activeElement)) card.querySelector('summary')?.focus();
        latest.current();
      }
    };
    document.addEventListener('keydown', keyDown, { capture: true, signal: listeners.signal });
    return () => listeners.abort();
  }, [frame, store]);
}

function isCommandEnter(event: KeyboardEvent): boolean {
  const isHeld = event.ctrlKey || event.metaKey;
  return event.key === 'Enter' && isHeld && !event.repeat && !event.altKey && !event.shiftKey;
}

/** Whether there is nothing to send, and nothing else has the focus that Enter would act on. */
function isComposerEmpty(store: Store): boolean {
  const focused = document.activeElement;
  const isFree = focused === null || focused.matches('body, .message-field, .scroller, article');
  return isFree && store.draft.text.peek() === '';
}

function isInView(element: Element): boolean {
  const { bottom, top } = element.getBoundingClientRect();
  return bottom >= 0 && top <= window.innerHeight;
}

interface DecideProps {
  readonly turn: string;
  readonly call: string;
  readonly decision: Decision;
  readonly name: string;
  readonly title?: string;
}

/** The buttons are removed, and the next request may be in another card. */
function focusCard(inside: Element | null): void {
  inside?.closest('details')?.querySelector('summary')?.focus();
}

function DecideButton({ turn, call, decision, name, title }: DecideProps) {
  const store = useStore();
  return (
    <ChangeButton
      isSecondary={decision !== 'once'}
      title={title}
      onClick={({ currentTarget }) => {
        focusCard(currentTarget);
        void store.request({ type: 'decide', turn, call, decision });
      }}
    >
      {name}
    </ChangeButton>
  );
}
