import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import { Icon } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { readBase64, scaledImage } from '../parts/thumbnail.tsx';
import { insertIntoField, type WrittenField, type WrittenMessage } from '../state/draft.ts';
import type { Store } from '../state/store.ts';

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
      const { dataTransfer: data, target } = event;
      if (data === null) return;
      // VS Code's list of dragged resources, or the standard one, which any program can set.
      const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
      const addresses = trimmedLines(list).filter(
        (line) => !/^(?:#|https?:)/i.test(line) && line.length <= maxAddressLength,
      );
      // The browser clears `dataTransfer` after the event, so both are read now.
      const files = addresses.length === 0 ? [...data.files] : [];
      if (addresses.length === 0 && files.length === 0) return;
      event.preventDefault();
      const around = target instanceof Element ? target : null;
      const edited = around?.closest<HTMLElement>('[data-edited]')?.dataset['edited'];
      // Dropping doesn't focus the page.
      if (edited === undefined) store.focus.grab();
      if (addresses.length > 0) background(attachAddresses(store, addresses, edited));
      else attachImages(store, files, edited);
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
      if (data === null) return;
      const text = data.getData('text/plain');
      const addresses = pastedAddresses(text);
      // A copied table includes an image of itself; its text is pasted.
      const files = text === '' ? [...data.files] : [];
      const attachOrInsert = async (): Promise<void> => {
        const isAttached = await attachAddresses(store, addresses, message.edited);
        // The host found no file.
        if (!isAttached) insertIntoField(written, text);
      };
      if (addresses.length > 0) background(attachOrInsert());
      else if (files.length > 0) attachImages(store, files, message.edited);
      else if (!long.attach(data)) return;
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

/** Limit of one request. More files are better attached as a folder. */
const maxAddresses = 100;
const maxAddressLength = 5000;

/** Resolves with true when the host has attached the files. */
async function attachAddresses(
  store: Store,
  addresses: string[],
  edited: string | undefined,
): Promise<boolean> {
  if (addresses.length <= maxAddresses)
    return store.call('attach-addresses', { addresses, edited });
  store.refuse(l10n.t('You can attach up to {0} files at a time.', maxAddresses));
  return false;
}

/** Maximum bytes of an image to scale down; a larger one would use up the page's memory. */
const maxFileBytes = 50_000_000;

/**
 * Attaches files whose bytes alone are available, such as a pasted image. Only images are accepted.
 */
function attachImages(store: Store, files: readonly File[], edited: string | undefined): void {
  // Another chat may be visible when an image is scaled.
  const chat = store.id.peek();
  const attachAll = async (): Promise<void> => {
    for (const file of files) {
      if (!file.type.startsWith('image/')) {
        store.refuse(
          l10n.t(
            "{0} isn't a supported image. To attach files, use the Attach… button or drag them from the Explorer.",
            file.name,
          ),
        );
        continue;
      }
      const image = file.size > maxFileBytes ? undefined : await scaledImage(file);
      if (image === undefined) {
        store.refuse(l10n.t("{0} can't be read as an image.", file.name));
        continue;
      }
      const name = file.name.slice(0, 200);
      const base64 = await readBase64(image);
      await store.call('attach-image', { name, base64, edited }, chat);
    }
  };
  store.waitFor(attachAll());
}

const uri = /^(?:file|vscode-remote):\/\/\S+$/;
/** A path has at least two segments: `/explain` is a command. */
const path = /^(?:\/[^/\s](?:[^/]*[^/\s])?){2,}\/?$/;
const windowsPath = /^[a-z]:[\\/][^<>"|?*]+$/i;

/** The file paths and URIs in a text; empty if the text contains anything else. */
export function pastedAddresses(text: string): string[] {
  if (text.length > maxAddresses * maxAddressLength) return [];
  const lines = trimmedLines(text);
  const areAddresses = lines.every(
    (line) =>
      line.length <= maxAddressLength &&
      [uri, path, windowsPath].some((pattern) => pattern.test(line)),
  );
  return areAddresses && lines.length <= maxAddresses ? lines : [];
}

function trimmedLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Pasted text with more lines, which would fill the field, is attached. */
const maxLines = 20;
const maxCharacters = 2000;

/** The last attached text, and its position in the field. */
interface LastPaste {
  readonly id: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Resolves with false if it could not be attached. */
  readonly attached: Promise<boolean>;
}

/** Attaches long text that is pasted into a field. Undo right after it inserts the text instead. */
export class PastedText {
  readonly #store: Store;
  readonly #written: WrittenField;
  #last: LastPaste | undefined;
  #undone = '';
  #count = 0;

  constructor(store: Store, written: WrittenField) {
    this.#store = store;
    this.#written = written;
  }

  /** @returns false if the text should be inserted */
  attach(data: Pick<DataTransfer, 'getData'>): boolean {
    const pasted = data.getData('text/plain');
    if (pasted.length > maxRequestCharacters) {
      this.#store.refuse(
        l10n.t('This text is too long to paste. Save it as a file, and attach the parts you need.'),
      );
      return true;
    }
    const text = pasted.replaceAll('\r\n', '\n');
    const isLong =
      text.length > maxCharacters || text.replace(/\n$/, '').split('\n').length > maxLines;
    if (!isLong) return false;
    const { selectionStart: start, selectionEnd: end } = this.#written.field;
    const id = `pasted-${Date.now()}-${++this.#count}`;
    const { edited } = this.#written.message;
    // Text that was copied in a VS Code editor has a language.
    const editorData = parseJson(data.getData('vscode-editor-data'));
    const mode = isObject(editorData) ? editorData['mode'] : undefined;
    const language = typeof mode === 'string' && /^[\w#+.-]{1,40}$/.test(mode) ? mode : '';
    const attached = this.#store.call('attach-text', { id, text, language, edited });
    const last = { id, text, start, end, attached };
    this.#last = last;
    background(this.#finish(last));
    return true;
  }

  /** Inserts the text that was attached last; returns false if there is none. */
  undo(): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    this.#last = undefined;
    this.#undone = last.id;
    insertIntoField(this.#written, last.text, last.start, last.end);
    const { edited } = this.#written.message;
    const detach = async (): Promise<void> => {
      if (await last.attached)
        await this.#store.call('remove-attachment', { attachment: last.id, edited });
    };
    background(detach());
    return true;
  }

  /** Must be called after any other action, which Undo then refers to. */
  forget(): void {
    this.#last = undefined;
  }

  /** Announces that the text is attached, or inserts it into the field if it can't be. */
  async #finish(last: LastPaste): Promise<void> {
    if (await last.attached) {
      const { attachments = [], edits } = this.#store.panel.peek() ?? {};
      const { edited } = this.#written.message;
      const chips = edited === undefined ? attachments : (edits?.[edited]?.attachments ?? []);
      // The person may have declined a confirmation.
      if (chips.some(({ id }) => id === last.id))
        this.#store.announce(l10n.t('Pasted text attached'));
    } else if (this.#undone !== last.id) {
      if (this.#last === last) insertIntoField(this.#written, last.text, last.start, last.end);
      else insertIntoField(this.#written, last.text);
      this.#last = undefined;
    }
  }
}

/** Inserts a pasted text at the cursor, and removes its attachment. */
export async function insertAsText(
  store: Store,
  attachment: string,
  written: WrittenField,
): Promise<void> {
  const { edited } = written.message;
  written.field.focus();
  const answer = await store.ask('read-attachment', { attachment, edited });
  if ('error' in answer || answer.ok === undefined) return;
  insertIntoField(written, answer.ok);
  await store.call('remove-attachment', { attachment, edited });
}

/** Ctrl+Z; Cmd+Z on macOS. */
export function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'z' && ctrlKey !== metaKey && !shiftKey && !altKey;
}
