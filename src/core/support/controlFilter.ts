import { ControlSequenceParser } from './controlSequences.ts';

/**
 * Removes terminal escape sequences and control characters other than line feed and tab, and turns
 * every line ending into `\n`. The result does not depend on how the text was split into chunks.
 */
export class ControlFilter {
  readonly #sequences = new ControlSequenceParser({ write: (text) => (this.#text += text) });
  #text = '';
  #afterReturn = false;

  write(text: string): string {
    // A typical chunk has nothing to remove and is returned unchanged.
    const isInside = this.#afterReturn || !this.#sequences.isBetweenSequences;
    if (!isInside && !hasControl.test(text)) return text;
    const characters = text.replace(ignored, '');
    if (characters === '') return '';
    const isSecondHalf = this.#afterReturn && characters.startsWith('\n');
    this.#afterReturn = characters.endsWith('\r');
    const input = isSecondHalf ? characters.slice(1) : characters;
    this.#sequences.read(input.replace(lineEnd, cancel + '\n'));
    const output = this.#text;
    this.#text = '';
    return output;
  }
}

const hasControl = /(?![\t\n])\p{Cc}/u;

/** 8-bit controls. In a reply they come from a wrong encoding and begin no sequence. */
const ignored = /[\u0080-\u009b\u009d-\u009f]/g;

const lineEnd = /\r\n?|\n/g;

/** Ends every sequence (CAN), so that an unfinished one cannot swallow a whole reply. */
const cancel = '\u0018';
