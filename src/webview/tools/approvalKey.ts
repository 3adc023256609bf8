import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { isPlainEnter } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

/** Keys pressed sooner after a request appears, in milliseconds, were meant for something else. */
const minKeyDelay = 700;

/**
 * Ctrl+Enter (Cmd+Enter) allows the edit that waits in this card: with the focus in the call, or in
 * the empty composer if no other edit waits above. In all other cases it sends.
 *
 * @param request another one waits anew
 */
export function useApprovalKey(
  card: RefObject<HTMLElement | null>,
  request: object,
  allow: () => void,
): void {
  const store = useStore();
  useEffect(() => {
    const shownAt = performance.now();
    const keyDown = (event: KeyboardEvent): void => {
      if (!isApprovalKey(event) || event.timeStamp - shownAt < minKeyDelay) return;
      const isDraftEmpty = store.draft.text.value.trim() === '';
      if (card.current === null || !isMeant(card.current, isDraftEmpty)) return;
      // The composer would send, and the title of the call would fold it.
      event.preventDefault();
      event.stopPropagation();
      allow();
    };
    document.addEventListener('keydown', keyDown, { capture: true });
    return () => document.removeEventListener('keydown', keyDown, { capture: true });
  }, [request]);
}

function isApprovalKey(event: KeyboardEvent): boolean {
  return isPlainEnter(event) && (event.ctrlKey || event.metaKey) && !event.repeat;
}

function isMeant(card: HTMLElement, isDraftEmpty: boolean): boolean {
  const focused = document.activeElement;
  if (focused === null) return false;
  // The other buttons keep their meaning.
  if (card.contains(focused)) return !focused.matches('button.secondary');
  if (card.closest('details')?.contains(focused) === true) return true;
  const isFirst = document.querySelector('.tool-question') === card;
  return isFirst && isDraftEmpty && focused.matches('.message-field');
}
