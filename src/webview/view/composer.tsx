import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ComposerFoot } from './composerFoot.tsx';
import { IconButton } from './iconButton.tsx';
import { isPlainEnter } from './isPlainEnter.ts';
import { late } from './late.ts';
import { ModelButton } from './modelButton.tsx';
import { OptionsButton } from './optionsButton.tsx';
import { SendButtons } from './sendButtons.tsx';
import { send } from './send.ts';
import { useStore } from './storeContext.ts';

const composerParts = late(() => import('./composerParts.ts'));

/** Where questions are written. It stays usable while a reply comes. */
export function Composer() {
  const store = useStore();
  const field = useRef<HTMLTextAreaElement>(null);
  const [isPainted, setPainted] = useState(false);
  useEffect(() => setPainted(true), []);
  const parts = isPainted ? composerParts() : undefined;
  return (
    <div class="composer">
      <div class="composer-box">
        {parts !== undefined && field.current !== null && (
          <parts.ComposerTop field={field.current} />
        )}
        <MessageField field={field} />
        <div class="composer-bar">
          <IconButton
            icon="add"
            name={l10n.t('Attach…')}
            onClick={() => void store.request({ type: 'attach' })}
          />
          <ModelButton />
          <OptionsButton />
          <span class="spring" />
          <SendButtons />
        </div>
      </div>
      <ComposerFoot>{parts !== undefined && <parts.CostLine />}</ComposerFoot>
    </div>
  );
}

interface FieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

function MessageField({ field }: FieldProps) {
  const store = useStore();
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
