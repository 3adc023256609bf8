const open = '<think>';
const close = '</think>';

/** Maximum number of white space characters before the reasoning. */
const maxGapLength = 1000;

/** A piece of a reply's text, or of the reasoning that some models write before it. */
export interface TextSegment {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Separates a leading `<think>…</think>` from the text of a streaming reply. The tag counts only at
 * the very beginning; later it is ordinary text. Holds back only text that may be part of a tag.
 */
export class ThinkSplitter {
  #state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  #held = '';

  push(text: string): readonly TextSegment[] {
    if (this.#state === 'text') return [{ type: 'text', text }];
    this.#held += text;
    const segments: TextSegment[] = [];
    if (this.#state === 'start') this.#readStart(segments);
    if (this.#state === 'thinking') this.#readThought(segments);
    if (this.#state === 'after') this.#readGap(segments);
    return segments;
  }

  /** Returns the text that was held back; call it when no more text follows. */
  end(): readonly TextSegment[] {
    const text = this.#held;
    const type = this.#state === 'thinking' ? 'reasoning' : 'text';
    this.#held = '';
    return text.trim() === '' && this.#state !== 'start' ? [] : segment(type, text);
  }

  #readStart(segments: TextSegment[]): void {
    const start = this.#held.trimStart();
    const gap = this.#held.length - start.length;
    if (gap <= maxGapLength && start.startsWith(open)) {
      this.#state = 'thinking';
      this.#held = start.slice(open.length);
    } else if (gap > maxGapLength || !open.startsWith(start)) {
      this.#state = 'text';
      segments.push(...this.#cutSegment('text', this.#held.length));
    }
  }

  #readThought(segments: TextSegment[]): void {
    const end = this.#held.indexOf(close);
    if (end < 0) {
      segments.push(...this.#cutSegment('reasoning', this.#held.length - overlap(this.#held)));
      return;
    }
    segments.push(...this.#cutSegment('reasoning', end));
    this.#held = this.#held.slice(close.length);
    this.#state = 'after';
  }

  #readGap(segments: TextSegment[]): void {
    this.#held = this.#held.trimStart();
    if (this.#held === '') return;
    this.#state = 'text';
    segments.push(...this.#cutSegment('text', this.#held.length));
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

/** Number of characters at the end of `text` that may begin the closing tag. */
function overlap(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(close.slice(0, length))) return length;
  }
  return 0;
}
