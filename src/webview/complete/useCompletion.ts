import { effect } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { isPlainEnter } from '../view/isPlainEnter.ts';
import { useStore } from '../view/storeContext.ts';
import { Completion } from './completion.ts';

/** The completion of a field that is there already: it learns of what happens in it by listening. */
export function useCompletion(field: HTMLTextAreaElement): Completion {
  const store = useStore();
  const completion = useMemo(() => new Completion(store, field), [store, field]);
  useLayoutEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const keyDown = (event: KeyboardEvent): void => {
      if (!press(completion, event)) return;
      event.preventDefault();
      // The same keys send, and close what else is open.
      event.stopImmediatePropagation();
    };
    field.addEventListener('keydown', keyDown, { signal, capture: true });
    field.addEventListener('input', () => completion.look(), { signal });
    field.addEventListener('keyup', () => completion.follow(), { signal });
    field.addEventListener('click', () => completion.follow(), { signal });
    field.addEventListener('blur', () => completion.close(), { signal });
    const stopReceiving = effect(() => completion.receive(store.completions.value));
    const stopWatching = effect(() => {
      // The draft was sent, or is that of another chat.
      if (store.draft.text.value !== field.value) completion.close();
    });
    return () => {
      ending.abort();
      stopReceiving();
      stopWatching();
    };
  }, [store, field, completion]);
  return completion;
}

/** Does what a key means while the list is open; false where it means nothing to it. */
function press(completion: Completion, event: KeyboardEvent): boolean {
  if (completion.found.peek() === undefined || event.isComposing) return false;
  if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false;
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp':
      completion.step(event.key === 'ArrowDown' ? 1 : -1);
      return true;
    case 'Enter':
      return isPlainEnter(event) && completion.choose();
    case 'Tab':
      return completion.choose();
    case 'Escape':
      completion.dismiss();
      return true;
    default:
      return false;
  }
}
