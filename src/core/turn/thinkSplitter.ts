const open = '<think>';
const close = '</think>';

/** How much white space may stand in front of a thought. */
const maxGapLength = 1000;

/** A piece of an answer, or of the thoughts that some models write in front of it. */
export interface TextSegment {
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

  push(text: string): readonly TextSegment[] {
    if (this.#state === 'text') return [{ type: 'text', text }];
    this.#held += text;
    const pieces: TextSegment[] = [];
    if (this.#state === 'start') this.#readStart(pieces);
    if (this.#state === 'thinking') this.#readThought(pieces);
    if (this.#state === 'after') this.#readGap(pieces);
    return pieces;
  }

  /** What was held back, once nothing follows. */
  end(): readonly TextSegment[] {
    const text = this.#held;
    const type = this.#state === 'thinking' ? 'reasoning' : 'text';
    this.#held = '';
    return text.trim() === '' && this.#state !== 'start' ? [] : segment(type, text);
  }

  #readStart(pieces: TextSegment[]): void {
    const start = this.#held.trimStart();
    const gap = this.#held.length - start.length;
    if (gap <= maxGapLength && start.startsWith(open)) {
      this.#state = 'thinking';
      this.#held = start.slice(open.length);
    } else if (gap > maxGapLength || !open.startsWith(start)) {
      this.#state = 'text';
      pieces.push(...this.#cutSegment('text', this.#held.length));
    }
  }

  #readThought(pieces: TextSegment[]): void {
    const end = this.#held.indexOf(close);
    if (end < 0) {
      pieces.push(...this.#cutSegment('reasoning', this.#held.length - overlap(this.#held)));
      return;
    }
    pieces.push(...this.#cutSegment('reasoning', end));
    this.#held = this.#held.slice(close.length);
    this.#state = 'after';
  }

  /** The blank lines between thought and answer belong to neither. */
  #readGap(pieces: TextSegment[]): void {
    this.#held = this.#held.trimStart();
    if (this.#held === '') return;
    this.#state = 'text';
    pieces.push(...this.#cutSegment('text', this.#held.length));
  }

  #cutSegment(type: TextSegment['type'], length: number): readonly TextSegment[] {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return segment(type, text);
  }
}

function segment(type: TextSegment['type'], text: string): readonly TextSegment[] {
  return text === '' ? [] : [{ type, text }];
}

/** How many characters at the end could begin the closing tag. */
function overlap(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(close.slice(0, length))) return length;
  }
  return 0;
}
