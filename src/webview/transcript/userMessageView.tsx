import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FileRestore, UserMessage } from '../../core/conversation/conversation.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import { revealInvisible } from '../../core/support/text.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import { AttachmentChips } from '../composer/attachmentChips.tsx';
import { CompletionList } from '../composer/completionList.tsx';
import { CostNote } from '../composer/sendCost.tsx';
import { usePaste } from '../composer/dropAndPaste.tsx';
import {
  ChangeButton,
  ChangeIconButton,
  Icon,
  IconButton,
  isPlainEnter,
} from '../parts/controls.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { EditedText } from '../state/draft.ts';
import { VersionButtons } from './versionButtons.tsx';

interface UserMessageProps {
  readonly turn: string;
  readonly question: UserMessage;
  /** Undefined if there is a single version. */
  readonly versions: VersionPlace | undefined;
  readonly running: boolean;
}

/** Maximum number of visible characters of a message; more would slow down the panel. */
const shownLength = 20_000;

export function UserMessageView({ turn, question: message, versions, running }: UserMessageProps) {
  const frame = useRef<HTMLElement>(null);
  const cancelled = useRef(false);
  const store = useStore();
  const { edits, restores } = store;
  const [editing, setEditing] = useState(() => edits.has(turn));
  // Attachments can be changed when the host knows that the message is edited.
  const isEdited = editing && store.panel.value?.edits?.[turn] !== undefined;
  const close = (): void => {
    edits.delete(turn);
    restores.forget(turn);
    setEditing(false);
  };
  const cancel = (): void => {
    cancelled.current = true;
    close();
    store.post('stop-editing', { turn });
  };
  useLayoutEffect(() => {
    if (!editing && cancelled.current) frame.current?.querySelector<HTMLElement>('.edit')?.focus();
    cancelled.current = false;
  }, [editing]);
  return (
    <article
      ref={frame}
      class={editing ? 'question editing' : 'question'}
      aria-label={l10n.t('You')}
    >
      {!isEdited && <SentAttachments attachments={message.attachments} />}
      {editing ? (
        <MessageEditor turn={turn} text={message.text} close={close} cancel={cancel} />
      ) : (
        <UserMessageText text={message.text} place="question" />
      )}
      {!editing && versions !== undefined && (
        <VersionButtons turn={turn} of="message" position={versions} />
      )}
      {!editing && !running && (
        <ChangeIconButton
          className="edit"
          icon="edit"
          name={l10n.t('Edit Message')}
          onClick={() => setEditing(true)}
        />
      )}
    </article>
  );
}

interface AddedMessageProps {
  readonly message: UserMessage;
  /** Index of the part. */
  readonly index: number;
}

/** A message that went into a running turn, where it went in. */
export function AddedMessageView({ message, index }: AddedMessageProps) {
  return (
    <article class="question" aria-label={l10n.t('You')}>
      <SentAttachments attachments={message.attachments} />
      <UserMessageText text={message.text} place={String(index)} />
    </article>
  );
}

function SentAttachments({ attachments }: Pick<UserMessage, 'attachments'>) {
  if (attachments.length === 0) return null;
  return (
    <div class="chips">
      {attachments.map(({ id, name, path, image }) => (
        <span key={id} class={image ? 'sent-image' : 'chip'} title={path || name}>
          {image ? <Thumbnail hash={image.hash} name={name} /> : <Icon name="file-code" />}
          <span class="chip-name">{name}</span>
        </span>
      ))}
    </div>
  );
}

interface MessageTextProps {
  readonly text: string;
  /** Where find looks for it: see `FindMatch`. */
  readonly place: string;
}

function UserMessageText({ text, place }: MessageTextProps) {
  const hidden = text.length - shownLength;
  const name = l10n.t('Message');
  // It may exceed its maximum height.
  const mayScroll = text.length > 400 || text.split('\n', 13).length > 12;
  return (
    <div
      class="question-text"
      data-place={place}
      {...(mayScroll && { role: 'group', 'aria-label': name, tabIndex: 0 })}
    >
      {hidden > 0 ? text.slice(0, shownLength) : text}
      {hidden > 0 && (
        <div class="more">{countText(l10n.t('… and {0} more characters'), hidden)}</div>
      )}
    </div>
  );
}

interface MessageEditorProps {
  readonly turn: string;
  readonly text: string;
  /** Called when the message is sent again. */
  readonly close: () => void;
  readonly cancel: () => void;
}

/** Edits a message in place. Sending it again adds a version. */
function MessageEditor({ turn, text, close, cancel }: MessageEditorProps) {
  const store = useStore();
  const [field, setField] = useState<HTMLTextAreaElement | null>(null);
  const message = useMemo(() => new EditedText(store.edits, turn, text), [store, turn, text]);
  const edited = message.text.value;
  const { attachments = [], cost } = store.panel.value?.edits?.[turn] ?? {};
  const sendable = edited.trim() !== '' && !store.isRunning.value;

  useLayoutEffect(() => {
    if (field === null) return;
    const isNew = !store.edits.has(turn);
    if (isNew || store.panel.peek()?.edits?.[turn] === undefined)
      store.post('edit-message', { turn });
    // An editor that is rendered again keeps its text, and doesn't take focus.
    if (!isNew) return;
    message.replace(text);
    field.focus();
    field.setSelectionRange(text.length, text.length);
  }, [store, turn, text, message, field]);
  const attach = async (): Promise<void> => {
    await store.call('attach', { edited: turn });
    if (document.hasFocus()) field?.focus();
    else window.addEventListener('focus', () => field?.focus(), { once: true });
  };
  const send = async (): Promise<void> => {
    if (!sendable) return;
    const restoring = store.restores.wanted.peek().includes(turn) ? { restoreFiles: true } : {};
    if (await store.call('resend', { turn, text: edited, ...restoring })) close();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) cancel();
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    background(send());
  };

  return (
    <div class="question-editor" data-edited={turn}>
      {field !== null && (
        <EditedAttachments field={field} message={message} attachments={attachments} />
      )}
      <textarea
        ref={setField}
        class="field"
        aria-label={l10n.t('Edited Message')}
        value={edited}
        onInput={(event) => message.replace(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      {field !== null && (
        <>
          <CompletionList field={field} message={message} />
          <div class="edited-foot">
            <IconButton
              icon="add"
              name={l10n.t('Attach to Edited Message…')}
              onClick={() => background(attach())}
            />
            {cost !== undefined && <CostNote cost={cost} length={edited.length} />}
          </div>
        </>
      )}
      <RestoreChoice turn={turn} />
      <div class="button-row">
        <span class="hint">{l10n.t('A new version is added. The old one stays.')}</span>
        <button type="button" class="button secondary" onClick={cancel}>
          {l10n.t('Cancel')}
        </button>
        <ChangeButton disabled={!sendable} isDeliberate onClick={() => background(send())}>
          {l10n.t('Send Again')}
        </ChangeButton>
      </div>
    </div>
  );
}

interface EditedAttachmentsProps {
  readonly attachments: readonly AttachmentChip[];
  readonly field: HTMLTextAreaElement;
  readonly message: EditedText;
}

function EditedAttachments({ attachments, field, message }: EditedAttachmentsProps) {
  usePaste(field, message);
  if (attachments.length === 0) return null;
  return (
    <div class="chips">
      <AttachmentChips attachments={attachments} message={message} field={field} />
    </div>
  );
}

/**
 * Offers to restore the files that the turn and later ones changed. Renders nothing if there are
 * none.
 */
function RestoreChoice({ turn }: { readonly turn: string }) {
  const store = useStore();
  const { restores } = store;
  // A running turn may change more files.
  const running = store.runningId.value;
  useLayoutEffect(() => background(restores.find(turn)), [restores, turn, running]);
  const restorable = restores.byTurn.value[turn];
  if (restorable === undefined) return null;
  const { files, left: skipped } = restorable;
  const count = files.length + skipped.length;
  if (count === 0) return null;
  const whole = count === 1 ? l10n.t('1 file') : countText(l10n.t('{0} files'), count);
  const choose = (isWanted: boolean): void => {
    restores.want(turn, isWanted);
    // Files may have been changed since.
    background(restores.find(turn));
  };
  return (
    <div class="restore-choice">
      <label>
        <input
          type="checkbox"
          checked={restores.wanted.value.includes(turn)}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        {l10n.t('Restore files to before this message')}
      </label>
      <span class="restore-count">
        {skipped.length === 0 ? whole : l10n.t('{0} of {1} files', files.length, count)}
      </span>
      {files.length > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => store.post('restore-files', { turn, action: 'review' })}
        >
          {l10n.t('Review…')}
        </button>
      )}
      {skipped.length > 0 && (
        <div class="hint">{l10n.t('Changed since, stays as it is: {0}', pathsText(skipped))}</div>
      )}
    </div>
  );
}

interface RestoredFilesProps {
  readonly turn: string;
  readonly restore: FileRestore;
}

/** Lists the files that were restored before a message was sent, with a button to undo that. */
export function RestoredFiles({ turn, restore }: RestoredFilesProps) {
  const store = useStore();
  const { files, left: skipped, status } = restore;
  const isRestored = status === 'restored';
  const count = files.length;
  const one = isRestored ? l10n.t('1 file restored') : l10n.t('1 file restored, then undone');
  const many = isRestored
    ? countText(l10n.t('{0} files restored'), count)
    : countText(l10n.t('{0} files restored, then undone'), count);
  const change = async (): Promise<void> => {
    const action = isRestored ? 'undo' : 'redo';
    if (await store.call('restore-files', { turn, action }))
      store.announce(isRestored ? l10n.t('Undone') : l10n.t('Redone'));
  };
  return (
    <div class="restored-files" role="group" aria-label={l10n.t('Restored Files')}>
      <div class="restored-head">
        <Icon name="history" />
        <span class="tool-words" title={pathsText(files)}>
          {count === 0 ? l10n.t('No files were restored') : count === 1 ? one : many}
        </span>
        {count > 0 && (
          <ChangeButton isSecondary isDeliberate onClick={() => background(change())}>
            {isRestored ? l10n.t('Undo Restore') : l10n.t('Redo Restore')}
          </ChangeButton>
        )}
      </div>
      {skipped.length > 0 && (
        <div class="restored-left">
          {isRestored
            ? l10n.t('Not restored because of later changes: {0}', pathsText(skipped))
            : l10n.t('Not undone because of later changes: {0}', pathsText(skipped))}
        </div>
      )}
    </div>
  );
}

/** Maximum number of listed paths. */
const mostPaths = 20;

function pathsText(paths: readonly string[]): string {
  const named = paths.slice(0, mostPaths).map((path) => revealInvisible(path).text);
  return [...named, ...(paths.length > mostPaths ? ['…'] : [])].join(', ');
}
