const open = '<think>';
const close = '</think>';

/** How much white space may stand in front of a thought. */
const longestGap = 1000;

/** A piece of an answer, or of the thoughts that some models write in front of it. */
export interface SplitText {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Parts a leading `<think>…</think>` from the answer while it streams. Only the very beginning
 * counts: the same tag later is text about the tag. Holds back no more than could be part of a tag.
 */
export class ThinkSplitter {
  #state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  #held = '';

  push(text: string): readonly SplitText[] {
    if (this.#state === 'text') return [{ type: 'text', text }];
    this.#held += text;
    const pieces: SplitText[] = [];
    if (this.#state === 'start') this.#readStart(pieces);
    if (this.#state === 'thinking') this.#readThought(pieces);
    if (this.#state === 'after') this.#readGap(pieces);
    return pieces;
  }

  /** What was held back, once nothing follows. */
  end(): readonly SplitText[] {
    const text = this.#held;
    const type = this.#state === 'thinking' ? 'reasoning' : 'text';
    this.#held = '';
    return text.trim() === '' && this.#state !== 'start' ? [] : piece(type, text);
  }

  #readStart(pieces: SplitText[]): void {
    const start = this.#held.trimStart();
    const gap = this.#held.length - start.length;
    if (gap <= longestGap && start.startsWith(open)) {
      this.#state = 'thinking';
      this.#held = start.slice(open.length);
    } else if (gap > longestGap || !open.startsWith(start)) {
      this.#state = 'text';
      pieces.push(...this.#take('text', this.#held.length));
    }
  }

  #readThought(pieces: SplitText[]): void {
    const end = this.#held.indexOf(close);
    if (end < 0) {
      pieces.push(...this.#take('reasoning', this.#held.length - overlap(this.#held)));
      return;
    }
    pieces.push(...this.#take('reasoning', end));
    this.#held = this.#held.slice(close.length);
    this.#state = 'after';
  }

  /** The blank lines between thought and answer belong to neither. */
  #readGap(pieces: SplitText[]): void {
    this.#held = this.#held.trimStart();
    if (this.#held === '') return;
    this.#state = 'text';
    pieces.push(...this.#take('text', this.#held.length));
  }

  #take(type: SplitText['type'], length: number): readonly SplitText[] {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return piece(type, text);
  }
}

function piece(type: SplitText['type'], text: string): readonly SplitText[] {
  return text === '' ? [] : [{ type, text }];
}

/** How many characters at the end could begin the closing tag. */
function overlap(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(close.slice(0, length))) return length;
  }
  return 0;
}
