import type { Store } from './state/store.ts';

/** Elements that Escape closes wherever they are, or that need Escape while they have the focus. */
const openParts = '[role=dialog], [role=listbox], [role=menu], [role=search]';
const editor = '.question-editor, .composer-box.editing, .deny-reason';
/** A queued message that has another one to change places with. */
const queue = '.queued li:not(:only-child)';

/** The keys that work wherever the focus is in the panel. */
export function listenForKeys(store: Store): void {
  // Before parts that are open close themselves: then they are found here.
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

/** @returns whether the key is used up */
function handleKey(store: Store, event: KeyboardEvent): boolean {
  const { key } = event;
  switch (heldKeys(event)) {
    case '':
      return key === 'Escape' && !event.repeat && stopReply(store, event.target);
    case 'alt':
      // There they move a message in the queue.
      if (event.target instanceof Element && event.target.closest(queue) !== null) return false;
      if (key === 'ArrowUp') return focusMessage(store, -1);
      return key === 'ArrowDown' && focusMessage(store, 1);
    case 'command+alt':
      // With Alt, the key may write another character.
      if (event.code !== 'KeyM') return false;
      store.post('run', { command: 'selectModel' });
      return true;
    default:
      return false;
  }
}

/** Cmd is the command key on macOS, Ctrl elsewhere. */
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

/** Moves the focus to the next message, or to the previous one with -1; the composer is the last. */
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
  } else if (by === 1) store.focusComposer();
  return true;
}
