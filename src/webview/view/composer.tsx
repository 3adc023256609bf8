import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Store } from '../store.ts';
import { AttachmentChips } from './attachmentChips.tsx';
import { ComposerFoot } from './composerFoot.tsx';
import { IconButton } from './iconButton.tsx';
import { isPlainEnter } from './isPlainEnter.ts';
import { ModelButton } from './modelButton.tsx';
import { OptionChips } from './optionChips.tsx';
import { OptionsButton } from './optionsButton.tsx';
import { useStore } from './storeContext.ts';

/** Where questions are written. It stays usable while a reply comes. */
export function Composer() {
  return (
    <div class="composer">
      <div class="composer-box">
        <div class="chips">
          <AttachmentChips />
          <OptionChips />
        </div>
        <MessageField />
        <div class="composer-bar">
          <ModelButton />
          <OptionsButton />
          <span class="spring" />
          <SendButton />
        </div>
      </div>
      <ComposerFoot />
    </div>
  );
}

function MessageField() {
  const store = useStore();
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = store.focus.value;
  useLayoutEffect(() => {
    // Not by itself when the view opens: the editor keeps the focus until the person moves it.
    if (focus === 0) return;
    const element = field.current;
    if (element === null || element === document.activeElement) return;
    element.focus();
    element.setSelectionRange(element.value.length, element.value.length);
  }, [focus]);
  const keyDown = (event: KeyboardEvent): void => {
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    send(store);
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

function SendButton() {
  const store = useStore();
  if (store.runningId.value !== undefined) {
    return (
      <IconButton
        className="send"
        icon="debug-stop"
        name={l10n.t('Stop')}
        onClick={() => void store.request({ type: 'stop' })}
      />
    );
  }
  return (
    <IconButton
      className="send"
      icon="send"
      name={l10n.t('Send')}
      title={l10n.t('Send (Enter)')}
      disabled={store.draft.text.value.trim() === ''}
      onClick={() => send(store)}
    />
  );
}

/** While a turn runs, the text waits in the field. */
function send(store: Store): void {
  const text = store.draft.text.value;
  if (text.trim() !== '' && store.runningId.value === undefined) void store.send(text);
}
