import * as l10n from '@vscode/l10n';
import type { RefObject, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalRequest } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { longestReason } from '../../core/support/toolError.ts';
import type { CallParameters, FileLines } from '../../protocol/rpc.ts';
import { ChangeLines } from '../parts/changeLines.tsx';
import { ChangeButton, Icon } from '../parts/controls.tsx';
import { deliberatePresses } from '../parts/deliberatePress.ts';
import { FileList, FileName, LineCounts } from '../parts/fileList.tsx';
import { useStore } from '../parts/hooks.ts';
import { toggleMenu, type MenuItem } from '../parts/menuList.tsx';

type Decision = CallParameters['decide']['decision'];

interface Props {
  readonly turn: string;
  readonly call: string;
  readonly question: ApprovalRequest;
}

/**
 * The approval request of a call. Only edits of unprotected files are approved here, which the host
 * verifies; for all others, VS Code shows a dialog.
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
  const { files, forChat, untracked = false } = question;
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const [isGivingReason, setGivingReason] = useState(false);
  const decide = (decision: Decision, reason = ''): void =>
    store.post('decide', { turn, call, decision, ...(reason !== '' && { reason }) });
  useAllowKey(frame, () => decide('once'));
  return (
    <div class="tool-question" ref={frame}>
      <ReviewedFiles files={files} review={(path) => store.post('review', { turn, call, path })} />
      {files.length > 0 && <PlannedLines turn={turn} call={call} />}
      {untracked && (
        <div class="tool-note">
          {files.length === 1
            ? l10n.t("Git doesn't track this file.")
            : l10n.t("Git doesn't track some of these files.")}
        </div>
      )}
      {isGivingReason ? (
        <ReasonField
          deny={(reason) => decide('deny', reason)}
          cancel={() => setGivingReason(false)}
        />
      ) : (
        <div class="button-row">
          <span class="split-button">
            <DecideButton
              isDeliberate
              decide={() => decide('once')}
              name={l10n.t('Allow Once')}
              title={l10n.t('Allow Once (Ctrl+Enter)')}
            />
            {forChat && (
              <MoreWays
                name={l10n.t('More Ways to Allow…')}
                itemOf={(button) => ({
                  icon: 'check-all',
                  name: l10n.t('Allow in This Chat'),
                  isDeliberate: true,
                  run() {
                    focusCard(button);
                    decide('chat');
                  },
                })}
              />
            )}
          </span>
          <span class="split-button">
            <DecideButton isSecondary decide={() => decide('deny')} name={l10n.t('Deny')} />
            {/* Its name shares no words with Deny, so that there is only one such button. */}
            <MoreWays
              isSecondary
              name={l10n.t('Give a Reason…')}
              itemOf={() => ({
                icon: 'comment',
                name: l10n.t('Deny with Reason…'),
                run: () => setGivingReason(true),
              })}
            />
          </span>
        </div>
      )}
    </div>
  );
}

/** The lines that would change. The host is asked for them: they aren't stored with the chat. */
function PlannedLines({ turn, call }: Pick<Props, 'turn' | 'call'>) {
  const store = useStore();
  const [files, setFiles] = useState<readonly FileLines[]>([]);
  useEffect(() => {
    let isShown = true;
    const read = async (): Promise<void> => {
      const answer = await store.query('changed-lines', { turn, call });
      if (isShown) setFiles(answer ?? []);
    };
    background(read());
    return () => (isShown = false);
  }, [store, turn, call]);
  const isSingle = files.length === 1;
  return (
    <>
      {files.map(({ path, change }) => (
        <ChangeLines key={path} change={change} path={isSingle ? undefined : path} />
      ))}
    </>
  );
}

interface ReviewedFilesProps {
  readonly files: ApprovalRequest['files'];
  readonly review: (path?: string) => void;
}

/** The files of the request. The name of a single one, or a link above several, opens the diff. */
function ReviewedFiles({ files, review }: ReviewedFilesProps) {
  const reason = useStore().readOnly.value;
  const isSingle = files.length === 1;
  return (
    <>
      {!isSingle && (
        <button
          type="button"
          class="link"
          title={reason}
          disabled={reason !== undefined}
          onClick={() => review()}
        >
          {l10n.t('Review Diff')}
        </button>
      )}
      <FileList items={files} keyOf={({ path }) => path}>
        {({ path, kind, addedLines, removedLines }) => (
          <>
            {/* Several files are for the mouse only; the keyboard reaches them through the link. */}
            <FileName
              path={path}
              kind={kind}
              name={isSingle ? l10n.t('Review Diff') : undefined}
              disabled={isSingle ? reason : undefined}
              tabIndex={isSingle ? 0 : -1}
              onClick={() => review(isSingle ? undefined : path)}
            />
            <LineCounts added={addedLines} removed={removedLines} />
          </>
        )}
      </FileList>
    </>
  );
}

interface MoreWaysProps {
  readonly name: string;
  readonly isSecondary?: boolean;
  readonly itemOf: (button: HTMLElement) => MenuItem;
}

function MoreWays({ name, isSecondary = false, itemOf }: MoreWaysProps) {
  const reason = useStore().readOnly.value;
  const open = ({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>): void =>
    toggleMenu({ anchor: currentTarget, items: [itemOf(currentTarget)] });
  return (
    <button
      type="button"
      class={`split-more ${isSecondary ? 'secondary' : ''}`}
      aria-label={name}
      title={reason ?? name}
      aria-haspopup="menu"
      aria-expanded="false"
      disabled={reason !== undefined}
      onClick={open}
    >
      <Icon name="chevron-down" />
    </button>
  );
}

interface ReasonFieldProps {
  /** Called with the typed text, which may be empty. */
  readonly deny: (reason: string) => void;
  readonly cancel: () => void;
}

/** A line for the person's reason. Enter denies, even without a reason. */
function ReasonField({ deny, cancel }: ReasonFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const label = l10n.t('Reason for the model');
  const send = (): void => deny(field.current?.value.trim() ?? '');
  const keyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    event.stopPropagation();
    focusCard(event.currentTarget);
    if (event.key === 'Enter') send();
    else cancel();
  };
  return (
    <div class="button-row deny-reason">
      <input
        ref={field}
        class="field"
        type="text"
        aria-label={label}
        placeholder={label}
        maxLength={longestReason}
        onKeyDown={keyDown}
      />
      <DecideButton isSecondary decide={send} name={l10n.t('Deny')} />
    </div>
  );
}

/**
 * Allows the request on Ctrl+Enter, or Cmd+Enter, with focus in its card or in the empty composer.
 * A request that has just appeared isn't allowed, and one out of view is shown first.
 */
function useAllowKey(frame: RefObject<HTMLElement | null>, allow: () => void): void {
  const store = useStore();
  const latest = useRef(allow);
  latest.current = allow;
  useEffect(() => {
    const listeners = new AbortController();
    const keyDown = (event: KeyboardEvent): void => {
      const card = frame.current?.closest('details');
      const isHeld = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (event.key !== 'Enter' || !isHeld || event.repeat || !card) return;
      const focused = document.activeElement;
      // Other buttons handle the key as usual.
      const isInFrame = frame.current?.contains(focused) === true;
      if (isInFrame && focused?.matches('.button:not(.secondary)') !== true) return;
      // There is nothing to send, and no other focused element would handle Enter.
      const isFree =
        focused === null || focused.matches('body, .message-field, .scroller, article');
      const isComposerEmpty = isFree && store.draft.text.peek() === '';
      if (!card.contains(focused) && !isComposerEmpty) return;
      // No other request handles the key, and the focused button isn't pressed.
      event.preventDefault();
      event.stopImmediatePropagation();
      const button = frame.current?.querySelector('.button:not(.secondary)');
      if (button === null || button === undefined) return;
      if (!deliberatePresses.accepts(button, event)) return;
      const { bottom, top } = card.getBoundingClientRect();
      if (bottom < 0 || top > window.innerHeight) card.scrollIntoView({ block: 'nearest' });
      else {
        if (card.contains(document.activeElement)) card.querySelector('summary')?.focus();
        latest.current();
      }
    };
    document.addEventListener('keydown', keyDown, { capture: true, signal: listeners.signal });
    return () => listeners.abort();
  }, [frame, store]);
}

interface DecideProps {
  readonly name: string;
  readonly title?: string;
  readonly isSecondary?: boolean;
  readonly isDeliberate?: boolean;
  readonly decide: () => void;
}

/** The buttons are removed, and the next request may be in another card. */
function focusCard(inside: Element | null): void {
  inside?.closest('details')?.querySelector('summary')?.focus();
}

function DecideButton(props: DecideProps) {
  const { name, title, isSecondary = false, isDeliberate = false, decide } = props;
  return (
    <ChangeButton
      isSecondary={isSecondary}
      isDeliberate={isDeliberate}
      title={title}
      onClick={({ currentTarget }) => {
        focusCard(currentTarget);
        decide();
      }}
    >
      {name}
    </ChangeButton>
  );
}
