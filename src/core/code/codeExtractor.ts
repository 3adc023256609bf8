import { indentOf, isBlank, shiftIndent, type IndentPair } from '../edits/whitespace.ts';
import { ThinkSplitter, type ReplySegment } from '../service/thinkSplitter.ts';
import {
  FencedLines,
  fenceLanguage,
  isMarkdown,
  parseFence,
  type Fence,
} from '../support/fences.ts';
import { wordSet } from '../support/text.ts';

/** Thrown if a reply has no code block, or none that may be the code. */
export class WordsReply extends Error {
  override readonly name = 'WordsReply';
  /** The reply; empty if nothing was written. */
  readonly words: string;
  /**
   * The reply as code, in case the person confirms that it is: without thoughts, empty lines around
   * it and the last line ending. Undefined if the reply has a block, which is not the code, or is a
   * diff.
   */
  readonly code: string | undefined;

  constructor(words: string, code: string | undefined) {
    super('The reply has no code');
    this.words = words;
    this.code = code;
  }
}

const shells = wordSet(
  'sh bash zsh fish ksh shell shellscript console terminal powershell pwsh ps1 bat cmd shell-session',
);
const texts = wordSet('text plaintext txt output log');
const diffs = wordSet('diff patch udiff');

const documents = wordSet('latex tex restructuredtext rst asciidoc org textile typst git-commit');

/** True if a file of this language holds text, in which a block may show commands or a list. */
function isText(language: string): boolean {
  return texts.has(language) || documents.has(language) || isMarkdown(language);
}

/**
 * Role of a block:
 * - `code`: the code
 * - `sample`: the code if there is no other block
 * - `aside`: never the code: a diff, or a command to run beside code of another language
 */
type BlockUse = 'code' | 'sample' | 'aside';

/**
 * Extracts the code from a reply as it streams: fences and the text around them are dropped, and so
 * are thoughts in the text.
 *
 * - A reply without a fence is words, see {@link WordsReply}.
 * - Of several blocks, the first is the code; a block for a shell or of plain text only if there is
 *   no other.
 * - A fence inside a block may open a nested block, see {@link FencedLines}.
 * - A bare fence within a string over several lines doesn't end a block, if another one does.
 * - For Markdown files, a fence after more than a remark is part of the text, unless it is one of
 *   Markdown.
 * - An unterminated or incomplete fence is dropped too.
 *
 * Code is returned in whole lines, so the result does not depend on how the reply was split into
 * pieces.
 */
export class CodeExtractor {
  readonly #language: string;
  readonly #onRestart: () => void;
  readonly #splitter = new ThinkSplitter();
  #blocks: BlockReader;

  /**
   * @param language id of the target file's language, if known: a block in this language is not a
   * sample
   * @param onRestart called when all code that was returned proves to be that of a thought
   */
  constructor(language = '', onRestart: () => void = () => undefined) {
    this.#language = language;
    this.#onRestart = onRestart;
    this.#blocks = new BlockReader(language);
  }

  /** Adds a piece of the reply, and returns the code that is certain so far. */
  push(text: string): string {
    return this.#read(this.#splitter.push(text));
  }

  /**
   * Returns the rest of the code. Must be called when no more text follows.
   *
   * @throws {WordsReply} if no block is the code; then the text returned before isn't code either
   */
  end(): string {
    const code = this.#read(this.#splitter.end());
    return code + this.#blocks.end();
  }

  #read(segments: readonly ReplySegment[]): string {
    let code = '';
    for (const segment of segments) {
      if (segment.type === 'text') code += this.#blocks.push(segment.text);
      if (segment.type !== 'thought-end') continue;
      code = '';
      this.#blocks = new BlockReader(this.#language);
      this.#onRestart();
    }
    return code;
  }
}

/** Reads the text of a reply for {@link CodeExtractor}. */
class BlockReader {
  readonly #language: string;
  readonly #lines = new LineSplitter();
  readonly #outside = new TextOutside();
  readonly #reply: string[] = [];
  #block: FencedBlock | undefined;
  #use: BlockUse = 'code';
  /** True once the block has a line or its end. */
  #hasBlock = false;
  /** True until the block has a line that is not empty: only that may begin a diff. */
  #isFirstLine = false;
  /** The lines of the first sample. */
  #sample: string[] | undefined;
  #sampleIsOpen = false;
  readonly #signs = new DiffSigns();

  constructor(language: string) {
    this.#language = language;
  }

  push(text: string): string {
    this.#reply.push(text);
    let code = '';
    for (const line of this.#lines.push(text)) code += this.#read(line);
    return code;
  }

  /** @throws {WordsReply} */
  end(): string {
    // The last line may be an incomplete fence, or have a fence directly after its code.
    const last = this.#lines.end();
    const isNone = last === '' || /^\s*(?:`{1,2}|~{1,2})$/.test(last);
    const code = isNone ? '' : this.#read(this.#block?.withoutTrailingFence(last) ?? last);
    if (this.#use === 'code' && this.#hasBlock) {
      if (this.#isDiff(this.#signs)) throw this.#wordsReply();
      return code;
    }
    const sample = (this.#sample ?? []).join('');
    if (sample === '') throw this.#wordsReply();
    return sample;
  }

  #wordsReply(): WordsReply {
    const lines = this.#outside.lines;
    const signs = new DiffSigns();
    for (const line of lines) signs.push(line);
    const isDiff = this.#isDiff(signs) || this.#beginsDiff(lines[0] ?? '');
    const code = isDiff ? '' : lines.join('').replace(/\r?\n$/, '');
    return new WordsReply(this.#reply.join('').trim(), code === '' ? undefined : code);
  }

  #isDiff(signs: DiffSigns): boolean {
    return signs.isDiff && !diffs.has(this.#language) && !isText(this.#language);
  }

  /** True if a line is the first of a diff, which isn't code for a file. */
  #beginsDiff(line: string): boolean {
    const begin =
      /^(?:diff --git |--- (?:a\/|\S+\t|\/dev\/null)|@@ -\d|Index: \S|\*\*\* Begin Patch)/;
    return begin.test(line) && !diffs.has(this.#language);
  }

  #read(text: string): string {
    const block = this.#block;
    const fence = parseFence(text);
    const mayOpen = block === undefined || (this.#use !== 'code' && block.isClosed);
    if (mayOpen && fence !== undefined) {
      const language = fenceLanguage(fence);
      const isInText = block === undefined && isMarkdown(this.#language) && !isMarkdown(language);
      if (!isInText || this.#outside.paragraphs <= (fence.info === '' ? 1 : 0)) {
        this.#use = this.#useOf(language);
        // A bare fence may also be the end of code whose first fence is missing.
        if (fence.info !== '') this.#outside.clear();
        this.#block = new FencedBlock(fence, this.#language);
        this.#hasBlock = false;
        this.#isFirstLine = true;
        this.#sampleIsOpen = this.#use === 'sample' && this.#sample === undefined;
        if (this.#sampleIsOpen) this.#sample = [];
        return '';
      }
    }
    if (block === undefined) {
      this.#outside.push(text);
      return '';
    }
    this.#outside.clear();
    this.#hasBlock = true;
    if (this.#isFirstLine && !block.isClosed) {
      this.#isFirstLine = text.trim() === '';
      // A diff is not code, whatever language the fence names.
      if (this.#beginsDiff(text)) {
        this.#use = 'aside';
        this.#sampleIsOpen = false;
      }
    }
    const code = block.push(text);
    if (this.#use === 'code') {
      this.#signs.push(code);
      return code;
    }
    if (this.#sampleIsOpen) this.#sample?.push(code);
    return '';
  }

  #useOf(language: string): BlockUse {
    const target = this.#language;
    if (diffs.has(language)) return diffs.has(target) ? 'code' : 'aside';
    if (texts.has(language)) return texts.has(target) ? 'code' : 'sample';
    if (isMarkdown(language) && target !== '' && !isText(target)) return 'sample';
    if (!shells.has(language) || shells.has(target)) return 'code';
    return target === '' || isText(target) || runsCommands.test(target) ? 'sample' : 'aside';
  }
}

/** Languages whose files may consist of commands for a shell. */
const runsCommands =
  /^(?:dockerfile|makefile|yaml|dockercompose|github-actions-workflow|ini|properties|dotenv|just)$/;

/** The text before the first block. */
class TextOutside {
  readonly #lines: string[] = [];
  #isBehindBlank = true;
  #paragraphs = 0;

  /** Number of paragraphs. A fence that opened no block counts as one too. */
  get paragraphs(): number {
    return this.#paragraphs;
  }

  /** Lines without empty ones around them. */
  get lines(): readonly string[] {
    const isFilled = (line: string): boolean => line.trim() !== '';
    const first = this.#lines.findIndex(isFilled);
    return first < 0 ? [] : this.#lines.slice(first, this.#lines.findLastIndex(isFilled) + 1);
  }

  push(line: string): void {
    const isBlank = line.trim() === '';
    if (!isBlank && (this.#isBehindBlank || parseFence(line) !== undefined)) this.#paragraphs++;
    this.#isBehindBlank = isBlank;
    this.#lines.push(line);
  }

  clear(): void {
    this.#lines.length = 0;
  }
}

/** Detects code whose lines are all marked as those of a diff without a header. */
class DiffSigns {
  readonly #signs = new Set<string>();

  get isDiff(): boolean {
    const known = [' ', '+', '-'].filter((sign) => this.#signs.has(sign)).length;
    return this.#signs.has('+') && this.#signs.has('-') && known === this.#signs.size;
  }

  push(line: string): void {
    if (line.trim() !== '') this.#signs.add(line.slice(0, 1));
  }
}

/** Reads a fenced code block line by line. */
class FencedBlock {
  readonly #outer: Fence;
  readonly #lines: FencedLines;
  /** Undefined in Markdown, whose quotes and backticks are marks. */
  readonly #strings: LongStrings | undefined;
  /** Lines from an apparent end on: they belong to the block if that wasn't its end. */
  #held: string[] = [];
  /** True after an apparent end within a string. */
  #isInString = false;

  /** @param language of the target file, used if the fence specifies none */
  constructor(fence: Fence, language: string) {
    this.#outer = fence;
    const own = fenceLanguage(fence) || language;
    this.#lines = new FencedLines(fence, isMarkdown(own));
    this.#strings = isMarkdown(own) ? undefined : new LongStrings(own);
  }

  /** True if its end was read. Later lines may revoke that. */
  get isClosed(): boolean {
    return this.#lines.state !== 'open';
  }

  /** Adds a line of the reply, and returns the code that is certain so far. */
  push(line: string): string {
    const fence = this.#lines.fenceOf(line);
    if (fence === undefined) this.#strings?.push(line);
    if (this.#isInString && fence !== undefined && !this.#continuesString(fence))
      return this.#release(fence.info === '');
    const { isClosed } = this;
    // A list around the block indents its fence and its lines.
    let start = 0;
    while (start < this.#outer.indent && (line[start] === ' ' || line[start] === '\t')) start++;
    this.#held.push(line.slice(start));
    this.#lines.push(line);
    switch (this.#lines.state) {
      case 'open':
        return this.#release(true);
      case 'ending':
      case 'undecided':
        return '';
      case 'ended':
        if (!isClosed && fence !== undefined) this.#isInString = this.#continuesString(fence);
        return this.#isInString ? '' : this.#release(false);
    }
  }

  /** Removes a fence that directly follows the code of the last line. */
  withoutTrailingFence(line: string): string {
    if (this.isClosed || this.#lines.isNested || parseFence(line) !== undefined) return line;
    const marks = this.#outer.mark.repeat(this.#outer.length);
    const text = line.trimEnd();
    return text.endsWith(marks) ? text.slice(0, -marks.length) : line;
  }

  #continuesString({ info }: Fence): boolean {
    return info === '' && this.#strings?.isOpen === true;
  }

  /** Returns the held lines if they are code. */
  #release(isCode: boolean): string {
    const code = isCode ? this.#held.join('') : '';
    this.#held = [];
    this.#isInString = false;
    return code;
  }
}

/** Languages with strings in backticks, which may contain line breaks. */
const backtickStrings = wordSet(
  'javascript js mjs cjs jsx javascriptreact typescript ts mts cts tsx typescriptreact go golang vue svelte astro',
);

/** Tells whether a string over several lines is open: in backticks, or in three quotes. */
class LongStrings {
  readonly #marks: RegExp;
  #count = 0;

  constructor(language: string) {
    this.#marks = backtickStrings.has(language) ? /\\.|`/g : /\\.|"""|'''/g;
  }

  get isOpen(): boolean {
    return this.#count % 2 === 1;
  }

  push(line: string): void {
    for (const [mark] of line.matchAll(this.#marks)) if (!mark.startsWith('\\')) this.#count++;
  }
}

/** Splits streaming text into lines. The last line is held back until it is complete. */
class LineSplitter {
  /**
   * Pieces of the incomplete line, joined once: repeated concatenation of a long line would be
   * slow.
   */
  #pieces: string[] = [];

  /** Adds text, and returns the lines that are now complete, each with its line ending. */
  push(text: string): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#pieces.push(text.slice(start, end + 1));
      lines.push(this.end());
      start = end + 1;
    }
    if (start < text.length) this.#pieces.push(text.slice(start));
    return lines;
  }

  /** Returns the incomplete last line; empty if the text ended with a line ending. */
  end(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    return line;
  }
}

/** The indentation at the place where code is inserted. */
export interface IndentStyle {
  /** Indentation of its first non-empty line. */
  readonly indent: string;
  /** One level of indentation in the document: a tab, or a number of spaces. */
  readonly unit: string;
}

/** The indentation of the first non-empty line. */
export function indentOfLines(lines: readonly string[]): string {
  return indentOf(lines.find((line) => !isBlank(line)) ?? '');
}

/**
 * True if more lines of a document begin with a tab than with spaces; undefined if none does. A
 * single space isn't counted: lines of a comment often have one.
 */
export function usesTabs(lines: readonly string[]): boolean | undefined {
  const tabs = lines.filter((line) => line.startsWith('\t')).length;
  const spaces = lines.filter((line) => line.startsWith('  ')).length;
  return tabs + spaces === 0 ? undefined : tabs > spaces;
}

/**
 * Indents streaming code for the place where it is inserted. The shift of the first non-empty line
 * applies to all lines; if that line is already right, nothing is changed.
 *
 * - If only the first line lacks its indentation, as the second shows, the others are not shifted.
 * - Levels of tabs are converted to spaces or the reverse, to match the document.
 *
 * Multi-line strings inside the code are shifted too.
 */
export class CodeIndenter {
  readonly #style: IndentStyle;
  readonly #lines = new LineSplitter();
  #base: IndentPair | undefined;
  /** Indentation of one level, if tabs and spaces are converted. */
  #level: IndentPair | undefined;
  /** Number of non-empty lines so far. */
  #count = 0;
  /** True if the lines after the first are already indented for the document. */
  #isAsWritten = false;

  constructor(style: IndentStyle) {
    this.#style = style;
  }

  /** Adds a piece of code, and returns its complete lines. */
  push(code: string): string {
    let indented = '';
    for (const line of this.#lines.push(code)) indented += this.#fit(line);
    return indented;
  }

  /** Returns the last line, if it has no line ending. */
  end(): string {
    return this.#fit(this.#lines.end());
  }

  #fit(line: string): string {
    if (isBlank(line)) return line;
    const written = indentOf(line);
    this.#base ??= { written, real: this.#style.indent };
    this.#count++;
    const { written: first, real } = this.#base;
    if (this.#count === 1) this.#isAsWritten = first === real && real !== '';
    if (this.#count === 2 && first === '' && real !== '') {
      // More than one level deeper than the first line: it was indented as in the document.
      const tooDeep = written.length > this.#style.unit.length;
      this.#isAsWritten = tooDeep && written.startsWith(real);
    }
    const isDeeper = written.length > first.length && written.startsWith(first);
    if (this.#level === undefined && isDeeper) {
      const step = written.slice(first.length);
      const isOtherKind = step.includes('\t') !== this.#style.unit.includes('\t');
      if (isOtherKind) this.#level = { written, real: real + this.#style.unit };
    }
    if (this.#isAsWritten && this.#count > 1) return line;
    const content = line.slice(written.length);
    const inside = written.startsWith(first) ? written.slice(first.length) : undefined;
    const isKept = this.#level === undefined || inside === '';
    if (inside !== undefined && isKept) return real + inside + content;
    const pairs = this.#level === undefined ? [this.#base] : [this.#base, this.#level];
    return shiftIndent(written, [this.#base], pairs) + content;
  }
}
