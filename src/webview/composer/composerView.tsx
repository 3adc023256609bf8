import * as l10n from '@vscode/l10n';
import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { mayHaveTools, messagesOf } from '../../core/conversation/conversation.ts';
import { formatTokens, shortModelName } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import { truncateText } from '../../core/support/text.ts';
import type { QueuedMessage } from '../../protocol/messages.ts';
import {
  ChangeIconButton,
  Icon,
  IconButton,
  isAltEnter,
  isPlainEnter,
} from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import { AttachmentChips } from './attachmentChips.tsx';
import { CompletionList } from './completionList.tsx';
import { DropTarget, usePaste } from './dropAndPaste.tsx';
import { OptionChips, OptionsButton } from './optionsButton.tsx';
import { ContextMeter, CostLine, costText } from './sendCost.tsx';

/** The field for messages and its buttons. It stays usable while a reply is streamed. */
export function ComposerView() {
  const store = useStore();
  const field = useRef<HTMLTextAreaElement>(null);
  const [isPainted, setPainted] = useState(false);
  useEffect(() => setPainted(true), []);
  return (
    <div class="composer">
      <div
        class={store.editedInQueue.value === undefined ? 'composer-box' : 'composer-box editing'}
      >
        {isPainted && field.current !== null && <ComposerHeader field={field.current} />}
        <MessageField field={field} />
        <div class="composer-bar">
          <IconButton
            icon="add"
            name={l10n.t('Attach…')}
            title={l10n.t('Attach… (or drag files here while holding Shift)')}
            onClick={() => store.post('attach', {})}
          />
          <ModelButton />
          <ModeButton />
          <OptionsButton />
          <span class="spring" />
          {isPainted && <ContextMeter />}
          <SendButtons />
        </div>
      </div>
      <ComposerFooter>{isPainted && <CostLine />}</ComposerFooter>
    </div>
  );
}

/**
 * The area above the message field: completions, queued messages, attachments and options. It isn't
 * needed to type and send, so it is rendered after the first paint.
 */
function ComposerHeader({ field }: { readonly field: HTMLTextAreaElement }) {
  const { draft, panel } = useStore();
  usePaste(field, draft);
  return (
    <>
      <CompletionList field={field} message={draft} />
      <DropTarget />
      <QueuedMessages />
      <div class="chips">
        <AttachmentChips
          attachments={panel.value?.attachments ?? []}
          message={draft}
          field={field}
        />
        <OptionChips />
      </div>
    </>
  );
}

function MessageField({ field }: { readonly field: RefObject<HTMLTextAreaElement | null> }) {
  const store = useStore();
  const focus = store.focus.count.value;
  useLayoutEffect(() => {
    // When the view opens, the editor keeps focus.
    if (focus === 0 || !document.hasFocus()) return;
    const element = field.current;
    if (element === null || element === document.activeElement) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [focus]);
  const history = useMemo(() => new MessageHistory(store), [store]);
  const keyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    if (!event.isComposing) {
      const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      const by = isPlain ? stepOf(event.key) : undefined;
      if (by !== undefined && history.step(by, event.currentTarget)) event.preventDefault();
      if (event.key === 'Escape') stopEditing(store);
    }
    const isAlt = isAltEnter(event);
    if (!isAlt && !isPlainEnter(event)) return;
    event.preventDefault();
    send(store, isAlt && hasNextRequest(store));
  };
  return (
    <textarea
      ref={field}
      class="message-field"
      rows={1}
      aria-label={l10n.t('Message')}
      placeholder={l10n.t('Ask about your code')}
      value={store.draft.text.value}
      onInput={(event) => store.draft.replace(event.currentTarget.value)}
      onBlur={() => store.draft.flush()}
      onKeyDown={keyDown}
    />
  );
}

/** The direction of an arrow key, in a list that goes down. */
function stepOf(key: string): 1 | -1 | undefined {
  if (key === 'ArrowUp') return -1;
  return key === 'ArrowDown' ? 1 : undefined;
}

/** Browses earlier messages of the chat in the composer, like commands in a shell. */
class MessageHistory {
  readonly #store: Store;
  /** Index of the visible message, from the newest; undefined if none is visible. */
  #index: number | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Shows an earlier message, or a later one with 1; the composer is empty after the newest.
   *
   * @returns false if the key should move the cursor, as in a text that was typed or changed
   */
  step(by: 1 | -1, { value, selectionStart, selectionEnd }: HTMLTextAreaElement): boolean {
    const { running, shown } = this.#store;
    // Newest first, without consecutive duplicates.
    const messages = [...shown.turns.peek(), running.peek()]
      .flatMap((turn) => (turn === undefined ? [] : messagesOf(turn).map(({ text }) => text)))
      .filter((text, index, all) => text !== '' && text !== all[index + 1])
      .toReversed();
    const current = this.#index === undefined ? undefined : messages[this.#index];
    const isUnchanged = value === current && selectionStart === selectionEnd;
    const isAtEnd = selectionEnd === value.length || selectionEnd === 0;
    if (value !== '' && !(isUnchanged && isAtEnd)) return false;
    const from = value === '' ? -1 : (this.#index ?? -1);
    const next = Math.min(from - by, messages.length - 1);
    if (next < -1 || messages.length === 0) return false;
    this.#index = next < 0 ? undefined : next;
    this.#store.draft.replace(messages[next] ?? '');
    return true;
  }
}

/** Messages that wait for the end of the running turn, or for its next request, and can be changed. */
function QueuedMessages() {
  const store = useStore();
  const queued = store.panel.value?.queued ?? [];
  const moved = useRef<Element | null>(null);
  const order = queued.map(({ id }) => id).join(' ');
  // A browser removes focus from reordered nodes.
  useLayoutEffect(() => {
    const focused = moved.current;
    moved.current = null;
    const isLost = document.activeElement === document.body && document.hasFocus();
    if (isLost && focused instanceof HTMLElement && focused.isConnected) focused.focus();
  }, [order]);
  if (queued.length === 0) return null;
  const move = async (index: number, by: 1 | -1): Promise<void> => {
    const message = queued[index];
    if (message === undefined || queued[index + by] === undefined) return;
    moved.current = document.activeElement;
    if (await store.call('move-queued', { message: message.id, by }))
      store.announce(l10n.t('Moved to {0} of {1}', index + by + 1, queued.length));
  };
  return (
    <ul class="queued" aria-label={l10n.t('Queued Messages')}>
      {queued.map((message, index) => (
        <QueuedRow
          key={message.id}
          message={message}
          index={index}
          count={queued.length}
          move={(by) => background(move(index, by))}
        />
      ))}
    </ul>
  );
}

/** Number of characters of a removed message that are announced. */
const spokenLength = 60;

interface RowProps {
  readonly message: QueuedMessage;
  readonly index: number;
  readonly count: number;
  readonly move: (by: 1 | -1) => void;
}

function QueuedRow({ message, index, count, move }: RowProps) {
  const { id, text, isEdited = false, now = false } = message;
  const store = useStore();
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) stopEditing(store);
    const isHeld = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const by = isHeld ? stepOf(event.key) : undefined;
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  };
  const remove = async (): Promise<void> => {
    if (await store.call('unqueue', { message: id }))
      store.announce(l10n.t('Removed: {0}', truncateText(text, spokenLength)));
  };
  return (
    <li class={isEdited ? 'edited' : undefined} onKeyDown={keyDown}>
      {now && !isEdited ? (
        <span
          class="queued-now"
          role="img"
          aria-label={l10n.t('Goes in with the next request')}
          title={l10n.t('Goes in with the next request')}
        >
          <Icon name="arrow-circle-up" />
        </span>
      ) : (
        <Icon name={isEdited ? 'edit' : 'clock'} />
      )}
      <span class="queued-text" title={text.slice(0, 1000)}>
        {text.slice(0, 200)}
      </span>
      {!now && !isEdited && hasNextRequest(store) && (
        <ChangeIconButton
          icon="arrow-circle-up"
          name={count === 1 ? l10n.t('Send Now') : l10n.t('Send Now: Message {0}', index + 1)}
          title={l10n.t('Send Now, with the next request of this reply')}
          onClick={() => store.post('send-now', { message: id })}
        />
      )}
      {count > 1 && (
        <>
          <IconButton
            icon="arrow-up"
            name={l10n.t('Move Queued Message {0} Up', index + 1)}
            title={l10n.t('Move Up (Alt+UpArrow)')}
            disabled={index === 0}
            onClick={() => move(-1)}
          />
          <IconButton
            icon="arrow-down"
            name={l10n.t('Move Queued Message {0} Down', index + 1)}
            title={l10n.t('Move Down (Alt+DownArrow)')}
            disabled={index === count - 1}
            onClick={() => move(1)}
          />
        </>
      )}
      {isEdited ? (
        <IconButton
          icon="discard"
          name={l10n.t('Stop Editing Queued Message')}
          title={l10n.t('Stop Editing (Escape)')}
          onClick={() => stopEditing(store)}
        />
      ) : (
        <IconButton
          icon="edit"
          name={
            count === 1
              ? l10n.t('Edit Queued Message')
              : l10n.t('Edit Queued Message {0}', index + 1)
          }
          title={l10n.t('Edit')}
          disabled={store.editedInQueue.value !== undefined}
          onClick={() => {
            // The host stores the draft in the composer.
            store.draft.flush();
            store.post('edit-queued', { message: id });
          }}
        />
      )}
      <IconButton
        icon="close"
        name={
          count === 1
            ? l10n.t('Remove Queued Message')
            : l10n.t('Remove Queued Message {0}', index + 1)
        }
        title={l10n.t('Remove')}
        onClick={() => background(remove())}
      />
    </li>
  );
}

function ModelButton() {
  const store = useStore();
  const model = store.panel.value?.model;
  if (model === undefined) return null;
  const { id, fromWorkspace, missing } = model;
  const lines = [id === '' ? l10n.t('Select the model to chat with.') : id];
  if (id !== '' && fromWorkspace) lines.push(l10n.t('Set in the workspace settings.'));
  if (id !== '' && missing)
    lines.push(l10n.t('The service no longer lists this model. Select another one.'));
  return (
    <button
      type="button"
      class={missing ? 'model-button missing' : 'model-button'}
      aria-label={id === '' ? undefined : l10n.t('Model: {0}', id)}
      title={lines.join('\n')}
      onClick={() => store.post('run', { command: 'selectModel' })}
    >
      {missing && <Icon name="warning" />}
      {fromWorkspace && <Icon name="root-folder" />}
      <span class="model-name">{id === '' ? l10n.t('Select Model…') : shortModelName(id)}</span>
      <Icon name="chevron-down" />
    </button>
  );
}

const icons = { chat: 'comment', ask: 'search', agent: 'tools' } as const;

function ModeButton() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined) return null;
  const { mode, cost } = panel;
  const reason = store.readOnly.value;
  const tokens = mode === 'chat' ? undefined : cost.toolTokens;
  const obstacle = mode === 'chat' ? undefined : panel.toolObstacle;
  const detail = {
    chat: l10n.t('No tools. Costs the fewest tokens.'),
    ask: l10n.t('Tools that only read: files, searches, problems.'),
    agent: l10n.t('All tools. Edits and commands need your approval.'),
  }[mode];
  const obstacleText =
    obstacle &&
    {
      refused: l10n.t('This model refused tools, so none are sent to it.'),
      model: l10n.t("This model can't use tools."),
      setting: l10n.t('Tools are turned off in the settings.'),
      untrusted: l10n.t('Trust this workspace to use tools.'),
      empty: l10n.t('Open a folder or a file to use tools.'),
    }[obstacle];
  const lines = [detail];
  if (obstacleText !== undefined) lines.push(obstacleText);
  if (tokens !== undefined)
    lines.push(l10n.t('Tools: {0} tokens per request', formatTokens(tokens, true)));
  return (
    <>
      <button
        type="button"
        class="model-button mode-button"
        aria-label={l10n.t('Mode: {0}', modeName(mode))}
        title={reason ?? lines.join('\n')}
        disabled={reason !== undefined}
        onClick={() => store.post('run', { command: 'setMode' })}
      >
        <Icon name={icons[mode]} />
        <span class="mode-name">{modeName(mode)}</span>
      </button>
      {obstacle === 'refused' && reason === undefined && (
        <IconButton
          icon="warning"
          name={l10n.t('Try Tools Again')}
          title={`${obstacleText}\n${l10n.t('Click to try tools again.')}`}
          onClick={() => store.post('try-tools', {})}
        />
      )}
    </>
  );
}

export function modeName(mode: ChatMode): string {
  return { chat: l10n.t('Chat'), ask: l10n.t('Ask'), agent: l10n.t('Agent') }[mode];
}

function SendButtons() {
  const store = useStore();
  const running = store.isRunning.value;
  const queue = running ? l10n.t('Add to Queue (Enter)') : l10n.t('Send (Enter)');
  const isEditing = store.editedInQueue.value !== undefined;
  return (
    <>
      {running && store.readOnly.value === undefined && <StopButton />}
      {(running || store.shown.turns.value.length > 0) && <SideChatButton />}
      {hasNextRequest(store) && (
        <ChangeIconButton
          icon="arrow-circle-up"
          name={l10n.t('Send Now')}
          title={l10n.t('Send Now, with the next request of this reply (Alt+Enter)')}
          disabled={store.draft.text.value.trim() === ''}
          onClick={() => send(store, true)}
        />
      )}
      <ChangeIconButton
        className="send"
        icon="send"
        name={l10n.t('Send')}
        title={isEditing ? l10n.t('Update Queued Message (Enter)') : queue}
        disabled={!canSend(store)}
        onClick={() => send(store)}
      />
    </>
  );
}

function SideChatButton() {
  const store = useStore();
  const { value: panel } = store.panel;
  if (panel === undefined) return null;
  const key = navigator.userAgent.includes('Mac') ? '⌥⌘Q' : 'Ctrl+Alt+Q';
  const { lang } = document.documentElement;
  const isFree = panel.connection.kind === 'demo';
  const { length } = store.draft.text.value;
  const cost = costText(panel.sideChatCost, length, lang, panel.mode === 'chat', isFree);
  return (
    <IconButton
      icon="comment-discussion"
      name={l10n.t('Ask Aside')}
      title={`${l10n.t('Ask about this chat without changing it ({0})', key)}\n${cost.description}`}
      disabled={!canStartSideChat(store)}
      onClick={() => startSideChat(store)}
    />
  );
}

/** True if there is a draft of the next message, and no side chat without a reply. */
function canStartSideChat({ draft, editedInQueue, panel }: Store): boolean {
  const isRunning = panel.value?.sideChat?.isRunning === true;
  return draft.text.value.trim() !== '' && editedInQueue.value === undefined && !isRunning;
}

/** Sends the draft as a side chat, or asks for one in a box. */
export function startSideChat(store: Store): void {
  if (canStartSideChat(store)) background(store.send(store.draft.text.value, 'ask-side-chat'));
  else store.post('run', { command: 'askAside' });
}

function StopButton() {
  const store = useStore();
  const frame = useRef<HTMLSpanElement>(null);
  // Send gets focus if the turn ends while Stop has it, unless the person has left the page.
  useLayoutEffect(() => {
    const { current } = frame;
    return () => {
      if (!document.hasFocus() || current?.contains(document.activeElement) !== true) return;
      current.parentElement?.querySelector<HTMLElement>('.send')?.focus();
    };
  }, []);
  return (
    <span ref={frame}>
      <IconButton
        className="stop"
        icon="debug-stop"
        name={l10n.t('Stop')}
        onClick={() => store.post('stop', {})}
      />
    </span>
  );
}

/** True if there is a draft, or queued messages that are held after a stopped turn. */
function canSend(store: Store): boolean {
  if (store.draft.text.value.trim() !== '') return true;
  if (store.editedInQueue.value !== undefined) return false;
  return !store.isRunning.value && (store.panel.value?.queued ?? []).length > 0;
}

/** @param now true if it should go in with the next request of a running turn */
function send(store: Store, now = false): void {
  const reason = store.readOnly.value;
  if (reason !== undefined) store.refuse(reason);
  else if (canSend(store))
    background(store.send(store.draft.text.value, 'send', now ? { now } : {}));
}

/** True if a turn with tools runs: only such a turn sends further requests. */
function hasNextRequest({ isRunning, panel, readOnly, running }: Store): boolean {
  const isPossible = isRunning.value && panel.value?.toolObstacle === undefined;
  const hasTools = running.value === undefined || mayHaveTools(running.value);
  return isPossible && hasTools && readOnly.value === undefined;
}

/** Ends editing a queued message without changing it. */
function stopEditing(store: Store): void {
  if (store.editedInQueue.value !== undefined) store.post('stop-editing-queued', {});
}

/**
 * The line below the composer: the host if there are several services, and the cost as children.
 */
function ComposerFooter({ children }: { readonly children: ComponentChildren }) {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined) return null;
  const { connection } = panel;
  return (
    <div class="composer-foot">
      {connection.kind === 'demo' && (
        <span
          class="badge"
          title={l10n.t('Demo mode: scripted replies in English. Nothing is sent.')}
        >
          {l10n.t('Demo')}
        </span>
      )}
      {connection.host !== undefined && (
        <span class="host" title={connection.host}>
          {connection.host}
        </span>
      )}
      {children}
    </div>
  );
}
