import { effect } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef, useMemo } from 'preact/hooks';
import { revealInvisible } from '../../core/support/text.ts';
import type { CompletionItem } from '../../protocol/rpc.ts';
import { Icon, isPlainEnter } from '../parts/controls.tsx';
import { TruncatedName } from '../parts/cutText.tsx';
import { useStore } from '../parts/hooks.ts';
import type { WrittenMessage } from '../state/writtenMessage.ts';
import { CompletionController } from './completionController.ts';

const listId = 'completions';
const itemId = (index: number): string => `completion-${index}`;

interface Props {
  readonly field: HTMLTextAreaElement;
  readonly message: WrittenMessage;
}

/** The completions of the word at the cursor, above the field. The focus stays in the field. */
export function CompletionList({ field, message }: Props) {
  const completion = useCompletion(field, message);
  const result = completion.result.value;
  const active = completion.active.value;
  const open = result !== undefined;
  const activeId = result?.items[active] && itemId(active);
  // Exposes the active item. A text box has no `aria-expanded`: it controls its list.
  useLayoutEffect(() => {
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-haspopup', 'listbox');
    setOrRemove(field, 'aria-controls', open ? listId : undefined);
    setOrRemove(field, 'aria-activedescendant', activeId);
  }, [field, open, activeId]);
  if (result === undefined) return null;
  const { trigger, items } = result;
  return (
    // A mouse press must not move focus out of the field.
    <div class="completions" onMouseDown={(event) => event.preventDefault()}>
      <div
        id={listId}
        class="completion-items"
        role="listbox"
        aria-label={trigger === '@' ? l10n.t('Attach Context') : l10n.t('Commands')}
      >
        {items.map((item, index) => (
          <Item key={item.id} item={item} index={index} completion={completion} />
        ))}
      </div>
      {items.every(({ isAction }) => isAction) && <NoResults />}
    </div>
  );
}

/** A live region is announced only if it exists before its text. */
function NoResults() {
  const store = useStore();
  const text = l10n.t('No matching results');
  useEffect(() => store.announce(text), [store, text]);
  return <div class="completions-none">{text}</div>;
}

interface ItemProps {
  readonly item: CompletionItem;
  readonly index: number;
  readonly completion: CompletionController;
}

function Item({ item, index, completion }: ItemProps) {
  const row = useRef<HTMLDivElement>(null);
  const isActive = completion.active.value === index;
  useLayoutEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const detail = item.detail === undefined ? '' : revealInvisible(item.detail).text;
  return (
    <div
      ref={row}
      id={itemId(index)}
      class={item.isAction === true ? 'completion action' : 'completion'}
      role="option"
      aria-selected={isActive}
      title={detail === '' ? undefined : detail}
      onPointerMove={() => completion.point(index)}
      onClick={() => {
        completion.point(index);
        completion.choose();
      }}
    >
      <Icon name={item.icon} />
      <TruncatedName name={item.label} />
      {detail !== '' && <span class="completion-detail">{detail}</span>}
    </div>
  );
}

function setOrRemove(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Connects a controller to the field of another component with event listeners. */
function useCompletion(field: HTMLTextAreaElement, message: WrittenMessage): CompletionController {
  const store = useStore();
  const completion = useMemo(
    () => new CompletionController(store, field, message),
    [store, field, message],
  );
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const keyDown = (event: KeyboardEvent): void => {
      if (!handleKey(completion, event)) return;
      event.preventDefault();
      // Otherwise the composer would send on Enter, and other views would close on Escape.
      event.stopImmediatePropagation();
    };
    field.addEventListener('keydown', keyDown, { signal, capture: true });
    field.addEventListener('input', () => completion.update(), { signal });
    field.addEventListener('keyup', () => completion.follow(), { signal });
    field.addEventListener('click', () => completion.follow(), { signal });
    field.addEventListener('blur', () => completion.leave(), { signal });
    field.addEventListener('focus', () => completion.comeBack(), { signal });
    // Completes text that was typed before this module was loaded.
    if (document.activeElement === field) completion.update();
    const stopWatching = effect(() => {
      // The draft was sent, or another chat was opened.
      if (message.text.value !== field.value) completion.close();
    });
    return () => {
      listeners.abort();
      stopWatching();
    };
  }, [store, field, message, completion]);
  return completion;
}

/** Handles a key while the list is open. Returns false for keys with their default action. */
function handleKey(completion: CompletionController, event: KeyboardEvent): boolean {
  if (completion.result.peek() === undefined || event.isComposing) return false;
  if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false;
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp':
      completion.step(event.key === 'ArrowDown' ? 1 : -1);
      return true;
    case 'Enter':
      return isPlainEnter(event) && completion.accept();
    case 'Tab':
      return completion.accept();
    case 'Escape':
      completion.dismiss();
      return true;
    default:
      return false;
  }
}
