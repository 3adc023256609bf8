import { signal, type ReadonlySignal } from '@preact/signals';

/** A message in a field: the next one, or an earlier one that is edited. */
export interface WrittenMessage {
  readonly text: ReadonlySignal<string>;
  replace(text: string): void;
  /** The turn of an earlier message; undefined for the next one. */
  readonly edited?: string | undefined;
}

export interface WrittenField {
  readonly field: HTMLTextAreaElement;
  readonly message: WrittenMessage;
}

/** An earlier message that is edited. Its text survives while its turn isn't rendered. */
export class EditedText implements WrittenMessage {
  readonly #edits: Map<string, string>;
  readonly #text;
  readonly edited: string;
  readonly text: ReadonlySignal<string>;

  /** @param text the original message */
  constructor(edits: Map<string, string>, turn: string, text: string) {
    this.#edits = edits;
    this.edited = turn;
    this.#text = signal(edits.get(turn) ?? text);
    this.text = this.#text;
  }

  replace(text: string): void {
    this.#edits.set(this.edited, text);
    this.#text.value = text;
  }
}

export function requestFor(edited: string | undefined): { readonly edited?: string } {
  return edited === undefined ? {} : { edited };
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Inserts text as if it were typed; the cursor is placed after it. */
export function insertIntoField(
  field: HTMLTextAreaElement,
  message: WrittenMessage,
  { start, end, text }: Change,
): void {
  field.setRangeText(text, start, end, 'end');
  message.replace(field.value);
}
