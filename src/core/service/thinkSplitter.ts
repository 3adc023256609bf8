import { parseFence, type Fence } from '../support/fences.ts';
import type { Chunk } from './replyAccumulator.ts';

/** A piece of a reply: its text, or reasoning that a model writes into the text. */
export type ReplySegment =
  | Chunk
  /** All text before this was reasoning. */
  | { readonly type: 'thought-end' };

/** Marks around a thought. */
interface Marks {
  readonly open: string;
  readonly close: readonly string[];
}

const tags = [
  ...['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'reflection', 'scratchpad'],
  ...['seed:think', 'longcat_think', 'think:opensource'],
];

/** Marks whose first may be in the prompt, so that the reply has only the second. */
const pairs: readonly Marks[] = [
  ...tags.map((tag) => ({ open: `<${tag}>`, close: [`</${tag}>`] })),
  { open: '[THINK]', close: ['[/THINK]'] },
  { open: '◁think▷', close: ['◁/think▷'] },
  { open: '<|begin_of_thought|>', close: ['<|end_of_thought|>'] },
  { open: '<|START_THINKING|>', close: ['<|END_THINKING|>'] },
  { open: '<|inner_prefix|>', close: ['<|inner_suffix|>'] },
  { open: '<|channel>thought', close: ['<channel|>'] },
];
const closes = pairs.flatMap(({ close }) => close);
const marksInText = [...pairs.map(({ open }) => open), ...closes];
const markInText = patternOf(marksInText);

const answerChannel = '<|channel|>final<|message|>';

/** Pairs, and channels, whose last mark ends other things than thoughts too. */
const beginnings: readonly Marks[] = [
  ...pairs,
  ...['', '<|start|>assistant'].map((start) => ({
    open: `${start}<|channel|>analysis<|message|>`,
    close: ['<|end|>', answerChannel],
  })),
];

/** Marks between a thought and the answer. */
const separators = [
  answerChannel,
  `<|start|>assistant${answerChannel}`,
  '<|begin_of_solution|>',
  '<|START_RESPONSE|>',
  ...closes,
];

const longestMark = Math.max(
  ...[...beginnings.map(({ open }) => open), ...separators].map(({ length }) => length),
);

/** Maximum number of white space characters before the reasoning, and after its end. */
const maxGapLength = 1000;

/**
 * Separates thoughts from the text of a streaming reply, in the marks that models use.
 *
 * - At the very beginning, a mark begins a thought. Another thought may follow.
 * - An end without a beginning ends a thought too, which is everything before it. That holds for the
 *   first mark of a text only: outside code, and where its line ends or the answer touches it. Any
 *   other mark shows that the text is about such marks.
 *
 * Text is passed on at once; only what may be part of a mark is held back.
 */
export class ThinkSplitter {
  #state: 'start' | 'thinking' | 'text' = 'start';
  #held = '';
  /** The marks that end the open thought. */
  #close: readonly string[] = [];
  #closePattern = markInText;
  #hasThought = false;
  /** The code in the text so far; undefined once an end without a beginning is only text. */
  #code: CodeSpans | undefined = new CodeSpans();

  push(text: string): readonly ReplySegment[] {
    this.#held += text;
    return this.#read(false);
  }

  /** Returns the text that was held back; call it when no more text follows. */
  end(): readonly ReplySegment[] {
    const segments = this.#read(true);
    const text = this.#held;
    this.#held = '';
    if (text.trim() === '' && this.#hasThought) return segments;
    return [...segments, ...segment(this.#state === 'thinking' ? 'reasoning' : 'text', text)];
  }

  #read(isEnd: boolean): readonly ReplySegment[] {
    const segments: ReplySegment[] = [];
    for (;;) {
      const state = this.#state;
      if (state === 'start') segments.push(...this.#readStart());
      else if (state === 'thinking') segments.push(...this.#readThought());
      else segments.push(...this.#readText(isEnd));
      // A mark changes the state, in which the rest is read.
      if (state === this.#state) return segments;
    }
  }

  #readStart(): readonly ReplySegment[] {
    const next = this.#hasThought ? separators : [];
    let text = this.#held.trimStart();
    const isNear = this.#hasThought || this.#held.length - text.length <= maxGapLength;
    for (;;) {
      const separator = next.find((mark) => text.startsWith(mark));
      if (separator === undefined) break;
      text = text.slice(separator.length).trimStart();
    }
    const marks = beginnings.find(({ open }) => text.startsWith(open));
    if (isNear && marks !== undefined) {
      const gap = this.#hasThought ? '\n\n' : '';
      this.#close = marks.close;
      this.#closePattern = patternOf(marks.close);
      this.#hasThought = true;
      this.#code = undefined;
      this.#state = 'thinking';
      this.#held = text.slice(marks.open.length);
      return segment('reasoning', gap);
    }
    if (this.#hasThought) this.#held = text;
    const expected = [...beginnings.map(({ open }) => open), ...next];
    const mayBegin = isNear && expected.some((mark) => mark.startsWith(text));
    if (!mayBegin) this.#state = 'text';
    return [];
  }

  #readThought(): readonly ReplySegment[] {
    const end = this.#closePattern.exec(this.#held);
    if (end === null) return this.#cut('reasoning', lengthBeforePart(this.#held, this.#close));
    const segments = this.#cut('reasoning', end.index);
    this.#held = this.#held.slice(end[0].length);
    this.#state = 'start';
    return segments;
  }

  #readText(isEnd: boolean): readonly ReplySegment[] {
    if (this.#code === undefined) return this.#cut('text', this.#held.length);
    const match = markInText.exec(this.#held);
    const unmarked = isEnd ? this.#held.length : lengthBeforePart(this.#held, marksInText);
    const length = match?.index ?? unmarked;
    this.#code.push(this.#held.slice(0, length));
    const segments = this.#cut('text', length);
    if (match === null) return segments;
    const [mark] = match;
    const rest = this.#held.slice(mark.length);
    const isClose = closes.includes(mark);
    const endsThought = isClose && this.#code.mayEndThought(rest, isEnd);
    if (endsThought === undefined) return segments;
    this.#code = undefined;
    if (!endsThought) return [...segments, ...this.#cut('text', this.#held.length)];
    this.#hasThought = true;
    this.#held = rest;
    this.#state = 'start';
    return [...segments, { type: 'thought-end' }];
  }

  #cut(type: Chunk['type'], length: number): readonly ReplySegment[] {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return segment(type, text);
  }
}

/** Ends the thought that a text proved to be, for a reader that got it as text. */
export const lateThoughtEnd = '\n</think>\n';

/** A reply without the thoughts in it. */
export function withoutThoughts(reply: string): string {
  const splitter = new ThinkSplitter();
  let text = '';
  for (const piece of [...splitter.push(reply), ...splitter.end()]) {
    if (piece.type === 'thought-end') text = '';
    else if (piece.type === 'text') text += piece.text;
  }
  return text;
}

/** Tells whether a text in Markdown is inside code at its end. */
class CodeSpans {
  /** The open fence; undefined outside. */
  #fence: Fence | undefined;
  /** The beginning of the last line, its last character, and its backticks. */
  #line = '';
  #last = '';
  #ticks = 0;

  push(text: string): void {
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) this.#endLine();
      this.#line += line.slice(0, 100 - this.#line.length);
      this.#last = line.slice(-1) || this.#last;
      for (let at = line.indexOf('`'); at >= 0; at = line.indexOf('`', at + 1)) this.#ticks++;
    }
  }

  /**
   * Whether an end mark here, followed by `rest`, ends a thought; undefined if that depends on more
   * text.
   */
  mayEndThought(rest: string, isEnd: boolean): boolean | undefined {
    if (this.#fence !== undefined || this.#ticks % 2 === 1) return false;
    const isFirstOfLine = this.#line.trim() === '';
    const [space = ''] = /^[ \t\r]*/.exec(rest) ?? [];
    const next = rest.slice(space.length);
    if (next === '' || /^(?:`{1,2}|~{1,2})$/.test(next)) {
      if (isEnd) return next === '';
      return space.length > maxGapLength ? false : undefined;
    }
    if (isFirstOfLine || next.startsWith('\n') || /^(?:```|~~~)/.test(next)) return true;
    // A name of the mark in a sentence stands between spaces or in quotes.
    if (space !== '') return /[^\s"'“‘«(<`]/u.test(this.#last);
    return /^[\p{L}\p{N}\p{Extended_Pictographic}<{[|$]/u.test(next);
  }

  #endLine(): void {
    const fence = parseFence(this.#line);
    if (this.#fence === undefined) this.#fence = fence;
    else if (
      fence?.mark === this.#fence.mark &&
      fence.length >= this.#fence.length &&
      fence.info === ''
    )
      this.#fence = undefined;
    this.#line = '';
    this.#last = '';
    this.#ticks = 0;
  }
}

function segment(type: Chunk['type'], text: string): readonly Chunk[] {
  return text === '' ? [] : [{ type, text }];
}

/** Number of characters before those that may begin a mark. */
function lengthBeforePart(text: string, marks: readonly string[]): number {
  for (let start = Math.max(0, text.length - longestMark); start < text.length; start++) {
    const part = text.slice(start);
    if (/^[<[◁]/.test(part) && marks.some((mark) => mark.startsWith(part))) return start;
  }
  return text.length;
}

function patternOf(marks: readonly string[]): RegExp {
  return new RegExp(marks.map((mark) => mark.replace(/[|[\]]/g, '\\$&')).join('|'));
}
