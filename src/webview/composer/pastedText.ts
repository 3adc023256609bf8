import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import type { Store } from '../state/store.ts';
import { insertIntoField, requestFor, type WrittenField } from '../state/writtenMessage.ts';

/** Pasted text with more lines, which would fill the field, is attached. */
const maxLines = 20;
const maxCharacters = 2000;

type PasteStore = Pick<Store, 'request' | 'readAttachment' | 'announce' | 'refuse' | 'panel'>;

/** The texts of a clipboard. */
interface ClipboardTexts {
  getData(type: string): string;
}

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
  readonly #store: PasteStore;
  readonly #written: WrittenField;
  #last: LastPaste | undefined;
  #undone = '';
  #count = 0;

  constructor(store: PasteStore, written: WrittenField) {
    this.#store = store;
    this.#written = written;
  }

  /** @returns false if the text should be inserted */
  attach(data: ClipboardTexts): boolean {
    const pasted = data.getData('text/plain');
    if (pasted.length > maxRequestCharacters) {
      this.#store.refuse(
        l10n.t('This text is too long to paste. Save it as a file, and attach the parts you need.'),
      );
      return true;
    }
    const text = pasted.replaceAll('\r\n', '\n');
    if (!isLong(text)) return false;
    const { selectionStart: start, selectionEnd: end } = this.#written.field;
    const id = `pasted-${Date.now()}-${++this.#count}`;
    const target = requestFor(this.#written.message.edited);
    const language = languageOf(data);
    const attached = this.#store.request('attach-text', { id, text, language, ...target });
    const last = { id, text, start, end, attached };
    this.#last = last;
    background(this.#follow(last));
    return true;
  }

  /** Inserts the text that was attached last; returns false if there is none. */
  undo(): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    this.#last = undefined;
    this.#undone = last.id;
    const { message } = this.#written;
    this.#write(last);
    background(this.#detach(last, message));
    return true;
  }

  /** Must be called after any other action, which Undo then refers to. */
  forget(): void {
    this.#last = undefined;
  }

  /** Inserts the text into the field if it can't be attached. */
  async #follow(last: LastPaste): Promise<void> {
    const isDone = await last.attached;
    // The person may have declined a confirmation.
    if (isDone && this.#isShown(last.id)) this.#store.announce(l10n.t('Pasted text attached'));
    if (isDone || this.#undone === last.id) return;
    const { selectionStart: start, selectionEnd: end } = this.#written.field;
    this.#write(this.#last === last ? last : { ...last, start, end });
    this.#last = undefined;
  }

  async #detach({ id, attached }: LastPaste, message: WrittenField['message']): Promise<void> {
    if (!(await attached)) return;
    await this.#store.request('remove-attachment', {
      attachment: id,
      ...requestFor(message.edited),
    });
  }

  #isShown(id: string): boolean {
    const { attachments = [], edits } = this.#store.panel.peek() ?? {};
    const { edited } = this.#written.message;
    const chips = edited === undefined ? attachments : (edits?.[edited]?.attachments ?? []);
    return chips.some((chip) => chip.id === id);
  }

  #write({ start, end, text }: Omit<LastPaste, 'attached'>): void {
    const { field, message } = this.#written;
    insertIntoField(field, message, { start, end, text });
  }
}

/** Inserts a pasted text at the cursor, and removes its attachment. */
export async function insertAsText(
  store: PasteStore,
  attachment: string,
  { field, message }: WrittenField,
): Promise<void> {
  field.focus();
  const text = await store.readAttachment(attachment, message.edited);
  if (text === undefined) return;
  const { selectionStart: start, selectionEnd: end } = field;
  insertIntoField(field, message, { start, end, text });
  await store.request('remove-attachment', { attachment, ...requestFor(message.edited) });
}

/** True if the text is long enough to be attached. */
function isLong(text: string): boolean {
  if (text.length > maxCharacters) return true;
  return text.replace(/\n$/, '').split('\n').length > maxLines;
}

/** The language of text that was copied in a VS Code editor. */
function languageOf(data: ClipboardTexts): string {
  const editorData = parseJson(data.getData('vscode-editor-data'));
  const mode = isObject(editorData) ? editorData['mode'] : undefined;
  return typeof mode === 'string' && /^[\w#+.-]{1,40}$/.test(mode) ? mode : '';
}

/** Ctrl+Z; Cmd+Z on macOS. */
export function isUndo({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'z' && ctrlKey !== metaKey && !shiftKey && !altKey;
}
