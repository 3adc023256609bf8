import * as l10n from '@vscode/l10n';
import type { ComponentChildren, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton, isPlainEnter } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import { ModelButton, SendButtons, send, stopEditing } from './composerButtons.tsx';
import { ComposerHeader, ContextMeter, CostLine } from './composerHeader.tsx';
import { ModeButton } from './modeButton.tsx';
import { OptionsButton } from './optionsButton.tsx';

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

interface FieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

function MessageField({ field }: FieldProps) {
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
    const by = event.isComposing ? undefined : historyStep(event);
    if (by !== undefined && history.step(by, event.currentTarget)) event.preventDefault();
    if (event.key === 'Escape' && !event.isComposing) stopEditing(store);
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

/** Arrow keys without modifiers browse earlier messages. */
function historyStep(event: KeyboardEvent): 1 | -1 | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  if (event.key === 'ArrowUp') return -1;
  return event.key === 'ArrowDown' ? 1 : undefined;
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
    const messages = this.#messages();
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

  /** Messages in the view, newest first, without consecutive duplicates. */
  #messages(): readonly string[] {
    const { running, window } = this.#store;
    return [...window.turns.peek(), running.peek()]
      .map((turn) => turn?.question.text ?? '')
      .filter((text, index, all) => text !== '' && text !== all[index + 1])
      .toReversed();
  }
}
