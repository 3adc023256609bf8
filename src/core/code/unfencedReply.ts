import { announces, refuses } from './chatPhrases.ts';
import { beginsDiff, fenceLanguage, isMarkdown, parseFence, type Fence } from './fencedBlock.ts';
import { lineKind, type LineKind } from './lineKind.ts';
import { MultilineRegion } from './multilineRegion.ts';
import { familyOf, hasStatementWords, isMarkupLanguage, isTextLanguage } from './wordyLanguages.ts';

/**
 * Reads a reply, or what is in front of its first fence, and decides what it is:
 * - `open`: not decided, nothing is returned yet
 * - `content`: it goes into the file
 * - `words`: it is for the person
 */
type Verdict = 'open' | 'content' | 'words';

/**
 * Reads the lines of a reply outside fences. In a file of code they are content only where a line is
 * certainly code and only an announcement such as "Here it is:" is in front; sentences behind the
 * code are dropped. In a file of text they are content unless they apologize, refuse or ask.
 */
export class UnfencedReply {
  readonly #language: string;
  readonly #isText: boolean;
  readonly #region: MultilineRegion;
  #verdict: Verdict = 'open';
  #held: string[] = [];
  /** What the held lines are for. */
  #heldKinds = new Set<LineKind>();
  /** The last held line that is not empty. */
  #lastHeld = '';
  #hasParagraph = false;
  /** Lines at the end of the content that may not belong to it. */
  #tail: string[] = [];
  #tailHasWords = false;
  #fences = 0;
  /** The signs at the beginning of lines as in a diff. */
  readonly #signs = new Set<string>();
  /** Whether the open comment or string has lines that may be words behind the code. */
  #regionHasWords = false;

  /** @param language of the target file */
  constructor(language: string) {
    this.#language = language;
    this.#isText = isTextLanguage(language);
    this.#region = new MultilineRegion(familyOf(language));
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  /** Whether a fence after the lines so far begins the code, instead of being part of the content. */
  endsBefore(fence: Fence, language: string): boolean {
    if (this.#verdict === 'content') return false;
    if (!isMarkdown(this.#language) || this.#held.length === 0) return true;
    if (isMarkdown(language)) return true;
    return fence.info === '' && !this.#hasParagraph && this.#verdict === 'open';
  }

  /** Adds a line, and returns the lines that certainly are content. */
  push(line: string): string {
    if (this.#verdict === 'words') return '';
    const kind = this.#kindOf(line);
    if (!this.#isText && this.#isDiff(line)) return this.#reject();
    if (this.#verdict === 'open') {
      return this.#isText ? this.#readText(line, kind) : this.#readCode(line, kind);
    }
    return this.#isText ? this.#goOnText(line, kind) : this.#goOnCode(line, kind);
  }

  /** Returns the rest of the content; call it when no more text follows. */
  end(): string {
    if (this.#verdict === 'open') return this.#decideAtEnd();
    if (this.#verdict === 'words') return '';
    if (this.#isText) return this.#endText();
    return this.#region.isOpen && this.#regionHasWords ? this.#reject() : '';
  }

  #kindOf(line: string): LineKind {
    const isInside = this.#region.push(line);
    const kind = lineKind(line, this.#language);
    if (!isInside) this.#regionHasWords = false;
    if (isInside && kind !== 'blank') {
      this.#regionHasWords ||= kind === 'prose' && /^\S/.test(line);
      return 'hint';
    }
    return kind === 'unclear' && announces(line) ? 'prose' : kind;
  }

  /** Whether the lines are a diff instead of code: its first line, or added and removed lines. */
  #isDiff(line: string): boolean {
    if (/^diff$/.test(this.#language)) return false;
    if (!this.#heldKinds.has('hint') && this.#verdict === 'open' && beginsDiff(line)) return true;
    if (/^[-+]\s*[A-Za-z}]/.test(line) && !this.#region.isOpen) this.#signs.add(line.slice(0, 1));
    return this.#signs.size === 2;
  }

  #decideAtEnd(): string {
    const isContent = this.#isText
      ? this.#held.length > 0 && !announces(this.#lastHeld)
      : this.#heldKinds.has('hint') && !this.#heldKinds.has('prose');
    if (!isContent) return this.#reject();
    const last = this.#held.findLastIndex((line) => line.trim() !== '');
    this.#held.length = last + 1;
    return this.#accept();
  }

  /** The held lines are content, and so is what follows. */
  #accept(): string {
    const text = this.#held.join('');
    this.#verdict = 'content';
    this.#held = [];
    return text;
  }

  #reject(): string {
    this.#verdict = 'words';
    this.#held = [];
    return '';
  }

  #hold(line: string, kind: LineKind): string {
    if (kind === 'blank' && this.#held.length === 0) return '';
    this.#held.push(line);
    if (kind === 'blank') return '';
    this.#hasParagraph ||= this.#held.at(-2)?.trim() === '';
    this.#heldKinds.add(kind);
    this.#lastHeld = line;
    return '';
  }

  /** Drops the held announcement; the line after it decides. */
  #dropAnnouncement(): void {
    this.#held = [];
    this.#heldKinds = new Set();
    this.#hasParagraph = false;
  }

  #readCode(line: string, kind: LineKind): string {
    const isCode = kind === 'code' || kind === 'hint';
    if (isCode && this.#heldKinds.has('prose')) {
      if (this.#heldKinds.size > 1 || !announces(this.#lastHeld)) return this.#reject();
      this.#dropAnnouncement();
    } else if (kind === 'prose' && this.#heldKinds.has('hint')) return this.#reject();
    if (isCode && this.#hasBareWords()) return this.#reject();
    this.#hold(line, kind);
    return kind === 'code' ? this.#accept() : '';
  }

  /** Whether a held line is only a word or two, in a language whose statements are not. */
  #hasBareWords(): boolean {
    if (!this.#heldKinds.has('unclear')) return false;
    const words = hasStatementWords(familyOf(this.#language))
      ? /^(?:I|you|we|the|this|it)\b/i
      : /^[\p{L} ]+$/u;
    return this.#held.some((line) => words.test(line.trim()));
  }

  #goOnCode(line: string, kind: LineKind): string {
    const isFence = !/^\s{4}/.test(line) && parseFence(line) !== undefined && !this.#region.isOpen;
    const isOutside = /^\S/.test(line) && kind === 'prose';
    if (kind === 'blank' || isFence || isOutside || this.#tailHasWords) {
      if (isFence && this.#tailHasWords && parseFence(line)?.info !== '') return this.#reject();
      this.#tailHasWords ||= isFence || isOutside;
      if (kind !== 'code' || isFence) {
        this.#tail.push(line);
        return '';
      }
      // Code again, behind words: where they are no part of the file, nothing is certain.
      if (!isMarkupLanguage(this.#language)) return this.#reject();
    }
    const text = this.#tail.join('') + line;
    this.#tail = [];
    this.#tailHasWords = false;
    return text;
  }

  #readText(line: string, kind: LineKind): string {
    if (kind === 'blank') return this.#hold(line, kind);
    const isNewParagraph = this.#held.at(-1)?.trim() === '';
    if (isNewParagraph && announces(this.#lastHeld) && !this.#hasParagraph) {
      this.#dropAnnouncement();
    }
    if (this.#held.length > 0) return this.#hold(line, kind);
    if (refuses(line)) return this.#reject();
    this.#hold(line, kind);
    return textStart.test(line) ? this.#accept() : '';
  }

  #goOnText(line: string, kind: LineKind): string {
    const fence = parseFence(line);
    const isFence = fence !== undefined;
    if (isFence) this.#fences++;
    // Behind a remark that looks like a list or a heading, the text itself is in a block.
    if (fence !== undefined && isMarkdown(fenceLanguage(fence))) return this.#reject();
    if (isFence || kind === 'blank') {
      this.#tail.push(line);
      return '';
    }
    const text = this.#tail.join('') + line;
    this.#tail = [];
    return text;
  }

  /** Without empty lines, and without a fence that only ends the text. */
  #endText(): string {
    const dropBlank = (): void => {
      while (this.#tail.at(-1)?.trim() === '') this.#tail.pop();
    };
    dropBlank();
    const last = parseFence(this.#tail.at(-1) ?? '');
    if (this.#fences % 2 === 1 && last?.info === '') {
      this.#tail.pop();
      dropBlank();
    }
    return this.#tail.join('');
  }
}

/** Beginnings of blocks of Markdown, LaTeX, AsciiDoc and the like, with which no remark begins. */
const textStart = /^(?:#{1,6} |[-*+>|] |\d+[.)] |---|\||<(?!think)|\\\w|%|={1,6} |\.\. |:\w)/;
