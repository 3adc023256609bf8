import { sendAside } from './composer/composerButtons.tsx';
import type { Store } from './state/store.ts';

/** Elements that Escape closes from anywhere, or that handle Escape while focused. */
const openParts = '[role=dialog], [role=listbox], [role=menu], [role=search]';
const editor = '.question-editor, .composer-box.editing, .deny-reason, .aside-card';
/** A queued message that can be moved. */
const queue = '.queued li:not(:only-child)';

export function listenForKeys(store: Store): void {
  // Capturing, so that open parts are found before they close themselves.
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.isComposing || !handleKey(store, event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}

/** @returns true if the key was handled */
function handleKey(store: Store, event: KeyboardEvent): boolean {
  const { key } = event;
  switch (heldKeys(event)) {
    case '':
      return key === 'Escape' && !event.repeat && stopReply(store, event.target);
    case 'alt':
      // There the keys move a message in the queue.
      if (event.target instanceof Element && event.target.closest(queue) !== null) return false;
      if (key === 'ArrowUp') return focusMessage(store, -1);
      return key === 'ArrowDown' && focusMessage(store, 1);
    case 'command+alt':
      // With Alt, the key may produce another character.
      if (event.code === 'KeyM') store.post('run', { command: 'selectModel' });
      else if (event.code === 'KeyQ') sendAside(store);
      else return false;
      return true;
    default:
      return false;
  }
}

/** Cmd on macOS, Ctrl elsewhere. */
function heldKeys({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const isMac = navigator.userAgent.includes('Mac');
  const [command, other] = isMac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  const held = { command, other, alt: altKey, shift: shiftKey };
  const names = Object.entries(held).flatMap(([name, isHeld]) => (isHeld ? [name] : []));
  return names.join('+');
}

function stopReply(store: Store, target: EventTarget | null): boolean {
  if (!store.isRunning.peek() || store.readOnly.peek() !== undefined) return false;
  const isEditing = target instanceof Element && target.closest(editor) !== null;
  if (isEditing || document.querySelector(openParts) !== null) return false;
  store.post('stop', {});
  return true;
}

/** Focuses the next message, or the previous one with -1. The composer is the last. */
function focusMessage(store: Store, by: 1 | -1): boolean {
  const messages = [...document.querySelectorAll<HTMLElement>('[role=log] article')];
  const from = messages.findIndex((message) => message.contains(document.activeElement));
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
