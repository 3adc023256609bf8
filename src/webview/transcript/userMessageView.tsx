import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import { AttachmentChips } from '../composer/attachmentChips.tsx';
import { CompletionList } from '../composer/completionList.tsx';
import { CostNote } from '../composer/composerHeader.tsx';
import { usePaste } from '../composer/dropAndPaste.tsx';
import { ChangeButton, ChangeIconButton } from '../parts/changeButtons.tsx';
import { Icon, IconButton, isPlainEnter } from '../parts/controls.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { Thumbnail } from '../parts/thumbnail.tsx';
import { EditedText } from '../state/writtenMessage.ts';
import { RestoreChoice } from './restoreFiles.tsx';
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
      {message.attachments.length > 0 && !isEdited && (
        <div class="chips">
          {message.attachments.map((attachment) => (
            <SentAttachment key={attachment.id} attachment={attachment} />
          ))}
        </div>
      )}
      {editing ? (
        <MessageEditor turn={turn} text={message.text} close={close} cancel={cancel} />
      ) : (
        <UserMessageText text={message.text} />
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

function SentAttachment({ attachment }: { readonly attachment: Attachment }) {
  const { name, path, image } = attachment;
  return (
    <span class={image === undefined ? 'chip' : 'sent-image'} title={path || name}>
      {image === undefined ? (
        <Icon name="file-code" />
      ) : (
        <Thumbnail hash={image.hash} name={name} />
      )}
      <span class="chip-name">{name}</span>
    </span>
  );
}

function UserMessageText({ text }: { readonly text: string }) {
  const hidden = text.length - shownLength;
  const name = l10n.t('Message');
  // It may exceed its maximum height.
  const mayScroll = text.length > 400 || text.split('\n', 13).length > 12;
  return (
    <div
      class="question-text"
      data-place="question"
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
  const send = async (): Promise<void> => {
    if (!sendable) return;
    const restoring = store.restores.wanted.peek().includes(turn) ? { restoreFiles: true } : {};
    if (await store.request('resend', { turn, text: edited, ...restoring })) close();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) cancel();
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    background(send());
  };

  return (
    <div class="question-editor" data-edited={turn}>
      {field !== null && <EditedHeader field={field} message={message} />}
      <textarea
        ref={setField}
        class="field"
        aria-label={l10n.t('Edited Message')}
        value={edited}
        onInput={(event) => message.replace(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      {field !== null && <EditedFooter field={field} message={message} />}
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

interface EditedProps {
  readonly field: HTMLTextAreaElement;
  readonly message: EditedText;
}

function EditedHeader({ field, message }: EditedProps) {
  const store = useStore();
  usePaste(field, message);
  const attachments = store.panel.value?.edits?.[message.edited]?.attachments ?? [];
  if (attachments.length === 0) return null;
  return (
    <div class="chips">
      <AttachmentChips attachments={attachments} message={message} field={field} />
    </div>
  );
}

/** Completions, the attach button, and the cost of sending the new version. */
function EditedFooter({ field, message }: EditedProps) {
  const store = useStore();
  const { edited: turn, text } = message;
  const cost = store.panel.value?.edits?.[turn]?.cost;
  const attach = async (): Promise<void> => {
    await store.request('attach', { edited: turn });
    focusInPage(field);
  };
  return (
    <>
      <CompletionList field={field} message={message} />
      <div class="edited-foot">
        <IconButton
          icon="add"
          name={l10n.t('Attach to Edited Message…')}
          onClick={() => background(attach())}
        />
        {cost !== undefined && <CostNote cost={cost} length={text.value.length} />}
      </div>
    </>
  );
}

function focusInPage(field: HTMLTextAreaElement): void {
  if (document.hasFocus()) field.focus();
  else window.addEventListener('focus', () => field.focus(), { once: true });
}
