import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { Icon } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import {
  insertIntoField,
  type WrittenField,
  type WrittenMessage,
} from '../state/writtenMessage.ts';
import { isUndo, PastedText } from './pastedText.ts';
import { draggedAddresses, attachAddresses, attachFiles, pastedAddresses } from './attachFiles.ts';

const fileTypes = ['application/vnd.code.uri-list', 'text/uri-list', 'Files'];

/** Accepts files dropped anywhere in the panel, and shows a hint while they are dragged over it. */
export function DropTarget() {
  const store = useStore();
  const [isOver, setOver] = useState(false);
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const dragOver = (event: DragEvent): void => {
      const { dataTransfer: data } = event;
      if (data === null || !fileTypes.some((type) => data.types.includes(type))) return;
      event.preventDefault();
      data.dropEffect = 'copy';
      setOver(true);
    };
    const dragLeave = (event: DragEvent): void => {
      // The event is also fired between two elements of the panel.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      if (event.dataTransfer !== null && attachDropped(store, event.dataTransfer, event.target))
        event.preventDefault();
    };
    document.addEventListener('dragover', dragOver, { signal });
    document.addEventListener('dragleave', dragLeave, { signal });
    document.addEventListener('drop', drop, { signal });
    return () => listeners.abort();
  }, [store]);
  if (!isOver) return null;
  return (
    <div class="drop-place">
      <Icon name="add" />
      <span>{l10n.t('Drop to attach')}</span>
    </div>
  );
}

function attachDropped(store: Store, data: DataTransfer, dropTarget: EventTarget | null): boolean {
  // The browser clears `dataTransfer` after the event, so both are read now.
  const addresses = draggedAddresses(data);
  const files = addresses.length === 0 ? [...data.files] : [];
  if (addresses.length === 0 && files.length === 0) return false;
  const edited =
    dropTarget instanceof Element
      ? dropTarget.closest<HTMLElement>('[data-edited]')?.dataset['edited']
      : undefined;
  // Dropping doesn't focus the page.
  if (edited === undefined) store.focus.grab();
  background(
    addresses.length > 0
      ? attachAddresses(store, addresses, edited)
      : attachFiles(store, files, edited),
  );
  return true;
}

/** Attaches pasted files and long text; shorter text is inserted. */
export function usePaste(field: HTMLTextAreaElement, message: WrittenMessage): void {
  const store = useStore();
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const written = { field, message };
    const long = new PastedText(store, written);
    const paste = (event: ClipboardEvent): void => {
      const { clipboardData: data } = event;
      if (data !== null && (attachPasted(store, written, data) || long.attach(data)))
        event.preventDefault();
    };
    const keyDown = (event: KeyboardEvent): void => {
      if (isUndo(event) && long.undo()) event.preventDefault();
    };
    field.addEventListener('input', () => long.forget(), { signal });
    field.addEventListener('keydown', keyDown, { signal });
    field.addEventListener('paste', paste, { signal });
    return () => listeners.abort();
  }, [store, field, message]);
}

function attachPasted(store: Store, written: WrittenField, data: DataTransfer): boolean {
  const text = data.getData('text/plain');
  const addresses = pastedAddresses(text);
  if (addresses.length > 0) background(attachOrWrite(store, written, addresses, text));
  // A copied table includes an image of itself; its text is pasted.
  const files = text === '' ? [...data.files] : [];
  if (files.length > 0) background(attachFiles(store, files, written.message.edited));
  return addresses.length > 0 || files.length > 0;
}

/** Inserts the text if the host doesn't find a file. */
async function attachOrWrite(
  store: Store,
  { field, message }: WrittenField,
  addresses: string[],
  text: string,
): Promise<void> {
  if (await attachAddresses(store, addresses, message.edited)) return;
  const { selectionStart: start, selectionEnd: end } = field;
  insertIntoField(field, message, { start, end, text });
}
