import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { AttachmentChips } from './attachmentChips.tsx';
import { ComposerFoot } from './composerFoot.tsx';
import { isPlainEnter } from './isPlainEnter.ts';
import { ModelButton } from './modelButton.tsx';
import { OptionChips } from './optionChips.tsx';
import { OptionsButton } from './optionsButton.tsx';
import { QueuedMessages } from './queuedMessages.tsx';
import { SendButtons } from './sendButtons.tsx';
import { send } from './send.ts';
import { useStore } from './storeContext.ts';

/** Where questions are written. It stays usable while a reply comes. */
export function Composer() {
  return (
    <div class="composer">
      <div class="composer-box">
        <QueuedMessages />
        <div class="chips">
          <AttachmentChips />
          <OptionChips />
        </div>
        <MessageField />
        <div class="composer-bar">
          <ModelButton />
          <OptionsButton />
          <span class="spring" />
          <SendButtons />
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
