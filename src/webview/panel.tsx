import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { background } from '../core/support/background.ts';
import type { SideChatState } from '../protocol/messages.ts';
import { ComposerView, startSideChat } from './composer/composerView.tsx';
import { Icon, IconButton } from './parts/controls.tsx';
import { StoreContext, useStore } from './parts/hooks.ts';
import { MenuList } from './parts/menuList.tsx';
import type { ScrollPositionStore } from './state/host.ts';
import type { Store } from './state/store.ts';
import { Announcer, Status } from './transcript/announcer.tsx';
import { EmptyState } from './transcript/emptyState.tsx';
import { Transcript, TurnList } from './transcript/transcript.tsx';

/** Empty until the host has sent the first state. */
export function Panel({ positions }: { readonly positions: ScrollPositionStore }) {
  const store = useStore();
  const panel = store.panel.value;
  const hasDiagrams = panel?.diagrams === true;
  // The menu of code blocks, which aren't components, reads this attribute.
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-diagrams', hasDiagrams);
  }, [hasDiagrams]);
  if (panel === undefined) return null;
  const { notice = '', sideChat } = panel;
  return (
    <div class={store.isRunning.value ? 'panel running' : 'panel'}>
      {notice !== '' && (
        <div class="banner" role="note">
          <Icon name="info" />
          <span class="banner-text">{notice}</span>
        </div>
      )}
      <Transcript key={store.id.value} positions={positions}>
        {store.isEmpty.value && <EmptyState />}
      </Transcript>
      {store.readOnly.value !== undefined && <ElsewhereBar />}
      {sideChat !== undefined && <SideChatCard key={sideChat.chat} sideChat={sideChat} />}
      <Refusal />
      <ComposerView />
      <Announcer />
      <MenuList />
    </div>
  );
}

/** Reason why a request was refused, shown near the composer. */
function Refusal() {
  const store = useStore();
  const refusal = store.refusal.value;
  if (refusal === '') return null;
  return (
    <div class="banner warning" role="alert">
      <Icon name="warning" />
      <span class="banner-text">{refusal}</span>
      <IconButton
        icon="close"
        name={l10n.t('Dismiss')}
        onClick={() => {
          // The button is removed.
          store.focus.request();
          store.refuse('');
        }}
      />
    </div>
  );
}

/**
 * Moves the text typed into the field of the initial HTML, which exists before any script runs,
 * into the composer, after a restored draft.
 */
export function adoptInitialField(page: Document, store: Store): void {
  const field = page.querySelector<HTMLTextAreaElement>('textarea.message-field');
  if (field === null) return;
  if (field.value !== '') store.draft.replace(store.draft.text.value + field.value);
  if (page.activeElement === field) store.focus.request();
}

/** Shows that the chat is open in another window, with ways to continue. */
function ElsewhereBar() {
  const store = useStore();
  const [isBusy, setBusy] = useState(false);
  const button = (name: 'continue-in-copy' | 'reload-chat', label: string) => (
    <button
      type="button"
      class="button"
      disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => {
        setBusy(true);
        background(store.call(name, {}).finally(() => setBusy(false)));
      }}
    >
      {label}
    </button>
  );
  return (
    <div class="holder-bar" role="note">
      <Icon name="lock" />
      <span class="banner-text">{store.readOnly.value}</span>
      {button('continue-in-copy', l10n.t('Continue in a Copy'))}
      {button('reload-chat', l10n.t('Reload'))}
    </div>
  );
}

/** The side chat with its reply, drawn as in a chat of its own. */
function SideChatCard({ sideChat }: { readonly sideChat: SideChatState }) {
  const store = useStore();
  const side = useMemo(() => store.openSideChat(sideChat.chat), [store, sideChat.chat]);
  useEffect(() => () => side.dispose(), [side]);
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof Element && target.closest('.question-editor, .deny-reason')) return;
    event.preventDefault();
    store.post('close-side-chat', {});
  };
  return (
    <section class="side-chat" aria-label={l10n.t('Side Chat')} onKeyDown={keyDown}>
      <header class="side-chat-head">
        <span class="side-chat-title">{l10n.t('Side Chat')}</span>
        <IconButton
          icon="debug-stop"
          name={l10n.t('Stop Side Chat')}
          disabled={!sideChat.isRunning}
          onClick={() => side.post('stop', {})}
        />
        <IconButton
          icon="attach"
          name={l10n.t('Add to Chat')}
          title={l10n.t('Attach the side chat to the next message')}
          disabled={sideChat.isRunning}
          onClick={() => store.post('close-side-chat', { action: 'attach' })}
        />
        <IconButton
          icon="link-external"
          name={l10n.t('Open as Chat')}
          onClick={() => store.post('close-side-chat', { action: 'open' })}
        />
        <IconButton
          icon="close"
          name={l10n.t('Close Side Chat')}
          title={`${l10n.t('Close (Escape)')}\n${l10n.t('You can restore the chat for 30 days.')}`}
          onClick={() => store.post('close-side-chat', {})}
        />
      </header>
      {side.panel.value !== undefined && (
        <StoreContext.Provider value={side}>
          <div class="side-chat-turns">
            <div>
              <TurnList store={side} skip={sideChat.copied} />
              <Status />
            </div>
          </div>
          <Refusal />
          <Announcer />
        </StoreContext.Provider>
      )}
    </section>
  );
}

/** Elements that Escape closes from anywhere, or that handle Escape while focused. */
const openParts = '[role=dialog], [role=listbox], [role=menu], [role=search]';
const editor = '.question-editor, .composer-box.editing, .deny-reason, .side-chat';
/** A queued message that can be moved. */
const queue = '.queued li:not(:only-child)';

export function listenForKeys(store: Store): void {
  const isMac = navigator.userAgent.includes('Mac');
  /** Returns true if the key was handled. */
  const handle = (event: KeyboardEvent): boolean => {
    const { key, code, altKey, shiftKey } = event;
    const target = event.target instanceof Element ? event.target : null;
    const command = isMac ? event.metaKey : event.ctrlKey;
    const other = isMac ? event.ctrlKey : event.metaKey;
    if (shiftKey || other || (command && !altKey)) return false;
    if (command) {
      // With Alt, the key may produce another character.
      if (code === 'KeyM') store.post('run', { command: 'selectModel' });
      else if (code === 'KeyQ') startSideChat(store);
      return code === 'KeyM' || code === 'KeyQ';
    }
    if (altKey) {
      // There the keys move a message in the queue.
      if (target?.closest(queue)) return false;
      if (key === 'ArrowUp') return focusMessage(store, -1);
      return key === 'ArrowDown' && focusMessage(store, 1);
    }
    if (key !== 'Escape' || event.repeat) return false;
    if (!store.isRunning.peek() || store.readOnly.peek() !== undefined) return false;
    if (target?.closest(editor) || document.querySelector(openParts) !== null) return false;
    store.post('stop', {});
    return true;
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || !handle(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  // Capturing, so that open parts are found before they close themselves.
  document.addEventListener('keydown', keyDown, true);
}

/** Focuses the next message, or the previous one with -1. The composer is the last. */
function focusMessage(store: Store, by: 1 | -1): boolean {
  const messages = [...document.querySelectorAll<HTMLElement>('[role=log] article')];
  // A message that was added to a turn is inside its reply.
  const from = messages.findLastIndex((message) => message.contains(document.activeElement));
  const next = (from < 0 && by === -1 ? messages.length : from) + by;
  const message = messages[next];
  if (from < 0 && by === 1) return false;
  if (message !== undefined) {
    message.tabIndex = -1;
    message.focus();
    message.scrollIntoView({ block: 'nearest' });
  } else if (by === 1) store.focus.request();
  return true;
}
