import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { VersionPlace } from '../../core/conversation/versions.ts';
import { ChangeButton, ChangeIconButton } from '../parts/changeButtons.tsx';
import { Icon, isPlainEnter } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { VersionButtons } from './versionButtons.tsx';

interface UserMessageProps {
  /** Identifier of the turn. */
  readonly turn: string;
  readonly question: UserMessage;
  /** Absent where there is only one. */
  readonly versions: VersionPlace | undefined;
  readonly running: boolean;
}

/** Characters of a message that are shown; more only makes the panel slow. */
const shownLength = 20_000;

export function UserMessageView({ turn, question: message, versions, running }: UserMessageProps) {
  const frame = useRef<HTMLElement>(null);
  const cancelled = useRef(false);
  const { edits } = useStore();
  const [editing, setEditing] = useState(() => edits.has(turn));
  const close = (): void => {
    edits.delete(turn);
    setEditing(false);
  };
  const cancel = (): void => {
    cancelled.current = true;
    close();
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
      {message.attachments.length > 0 && (
        <div class="chips">
          {message.attachments.map((attachment) => (
            <span key={attachment.id} class="chip" title={attachment.path}>
              <Icon name="file-code" />
              <span class="chip-name">{attachment.name}</span>
            </span>
          ))}
        </div>
      )}
      {editing ? (
        <MessageEditor turn={turn} text={message.text} close={close} cancel={cancel} />
      ) : (
        <UserMessageText text={message.text} />
      )}
      {!editing && versions !== undefined && (
        <VersionButtons turn={turn} of="message" place={versions} />
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

function UserMessageText({ text }: { readonly text: string }) {
  const hidden = text.length - shownLength;
  return (
    <div class="question-text" data-place="question">
      {hidden > 0 ? text.slice(0, shownLength) : text}
      {hidden > 0 && (
        <div class="more">{l10n.t('… and {0} more characters', hidden.toLocaleString())}</div>
      )}
    </div>
  );
}

interface MessageEditorProps {
  /** Identifier of the turn whose message is edited. */
  readonly turn: string;
  readonly text: string;
  /** Called once the message is sent again. */
  readonly close: () => void;
  readonly cancel: () => void;
}

/** Edits a message in place. Sending it again adds a version. */
function MessageEditor({ turn, text, close, cancel }: MessageEditorProps) {
  const store = useStore();
  const field = useRef<HTMLTextAreaElement>(null);
  const [edited, setEdited] = useState(() => store.edits.get(turn) ?? text);
  const sendable = edited.trim() !== '' && store.runningId.value === undefined;

  useLayoutEffect(() => {
    // An editor that is drawn again keeps its text, and the focus stays where the person is by now.
    if (store.edits.has(turn)) return;
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [store, turn, text]);

  const edit = (value: string): void => {
    store.edits.set(turn, value);
    setEdited(value);
  };
  const send = async (): Promise<void> => {
    if (sendable && (await store.request({ type: 'resend', turn, text: edited }))) close();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) cancel();
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    void send();
  };

  return (
    <div class="question-editor">
      <textarea
        ref={field}
        class="field"
        aria-label={l10n.t('Edited Message')}
        value={edited}
        onInput={(event) => edit(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <div class="button-row">
        <span class="hint">{l10n.t('A new version is added. The old one stays.')}</span>
        <button type="button" class="button secondary" onClick={cancel}>
          {l10n.t('Cancel')}
        </button>
        <ChangeButton disabled={!sendable} onClick={() => void send()}>
          {l10n.t('Send Again')}
        </ChangeButton>
      </div>
    </div>
  );
}
