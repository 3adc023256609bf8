import {
  beginsDiff,
  FencedBlock,
  fenceLanguage,
  isMarkdown,
  parseFence,
  type Fence,
} from './fencedBlock.ts';
import { LineSplitter } from './lineSplitter.ts';
import { UnfencedReply } from './unfencedReply.ts';
import { familyOf, isMarkupLanguage, isTextLanguage } from './wordyLanguages.ts';

/** A reply that has only words for the person where code was wanted. */
export class WordsReply extends Error {
  override readonly name = 'WordsReply';
  /** The reply; empty if nothing was written. */
  readonly words: string;

  constructor(words: string) {
    super('The reply has no code');
    this.words = words;
  }
}

const shells = setOf(
  'sh bash zsh fish shell shellscript console terminal powershell pwsh ps1 bat cmd shell-session',
);
const texts = setOf('text plaintext txt output log');
const diffs = setOf('diff patch udiff');

function setOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/**
 * What a block is for:
 * - `code`: the code
 * - `sample`: the code if there is no other block
 * - `aside`: never the code: a diff, or a command to run beside code of another language
 */
type BlockUse = 'code' | 'sample' | 'aside';

/**
 * Extracts the code from a reply as it streams: fences and the text around them are dropped, and so
 * are thoughts in tags at the beginning.
 *
 * - A reply without a fence is code where it certainly is, see `UnfencedReply`.
 * - Of several blocks, the first is the code; a block for a shell or of plain text only if there is
 *   no other.
 * - A fence with a language inside a block opens a nested block; in Markdown, so does a bare fence.
 * - An unterminated or incomplete fence is dropped too.
 *
 * Code is returned in whole lines, so the result does not depend on how the reply was split into
 * pieces.
 */
export class CodeExtractor {
  readonly #language: string;
  readonly #lines = new LineSplitter();
  readonly #unfenced: UnfencedReply;
  readonly #thoughts: LeadingThoughts;
  readonly #reply: string[] = [];
  #block: FencedBlock | undefined;
  #use: BlockUse = 'code';
  /** Whether the block has a line, or its end. */
  #hasBlock = false;
  /** The first lines of the block, while they may be those of a diff. */
  #isFirstLine = false;
  /** The lines of the first sample. */
  #sample: string[] | undefined;
  #sampleIsOpen = false;
  #sampleIsText = false;
  readonly #signs = new DiffSigns();

  /**
   * @param language id of the language of the file that the code is for, if known: a block in this
   *   language is not a sample, and in a file of text words are the content
   */
  constructor(language = '') {
    this.#language = language;
    this.#unfenced = new UnfencedReply(language);
    this.#thoughts = new LeadingThoughts(isMarkupLanguage(language));
  }

  /** Adds a piece of the reply, and returns the code that is certain so far. */
  push(text: string): string {
    this.#reply.push(text);
    let code = '';
    for (const line of this.#lines.push(text)) code += this.#read(line);
    return code;
  }

  /**
   * Returns the rest of the code; call it when no more text follows.
   * @throws {WordsReply} if the reply has no code; what was returned before is not the code either
   */
  end(): string {
    const rest = this.#readLast(this.#lines.end());
    if (this.#block !== undefined && this.#use === 'code' && this.#hasBlock) {
      const mayBeDiff = !diffs.has(this.#language) && !isTextLanguage(this.#language);
      if (mayBeDiff && this.#signs.isDiff) throw this.#wordsReply();
      return rest;
    }
    if (this.#block !== undefined) return rest + this.#sampleCode();
    const code = rest + this.#unfenced.end();
    if (this.#unfenced.verdict === 'words') throw this.#wordsReply();
    return code;
  }

  #wordsReply(): WordsReply {
    return new WordsReply(this.#reply.join('').trim());
  }

  /** The code of the sample; of plain text only what is certainly code. */
  #sampleCode(): string {
    const lines = this.#sample ?? [];
    if (lines.length === 0) throw this.#wordsReply();
    if (!this.#sampleIsText || this.#language === '' || isTextLanguage(this.#language)) {
      return lines.join('');
    }
    const reader = new UnfencedReply(this.#language);
    const code = lines.map((line) => reader.push(line)).join('') + reader.end();
    if (reader.verdict === 'words') throw this.#wordsReply();
    return code;
  }

  #read(line: string): string {
    const text = this.#thoughts.push(line);
    if (text === undefined) return '';
    const block = this.#block;
    const fence = parseFence(text);
    const mayOpen = block === undefined || (this.#use !== 'code' && block.isClosed);
    if (mayOpen && fence !== undefined && this.#opens(fence)) return this.#open(fence);
    if (block === undefined) return this.#unfenced.push(text);
    this.#hasBlock = true;
    if (this.#isFirstLine && !block.isClosed) this.#readFirst(text);
    const code = block.push(text);
    if (this.#use === 'code') {
      this.#signs.push(code);
      return code;
    }
    if (this.#sampleIsOpen) this.#sample?.push(code);
    return '';
  }

  #opens(fence: Fence): boolean {
    return this.#block !== undefined || this.#unfenced.endsBefore(fence, fenceLanguage(fence));
  }

  /** A diff is no code, whatever the fence says. */
  #readFirst(line: string): void {
    this.#isFirstLine = line.trim() === '';
    if (diffs.has(this.#language) || !beginsDiff(line)) return;
    this.#use = 'aside';
    this.#sampleIsOpen = false;
  }

  /**
   * Reads the last line without a line ending, which may be an incomplete fence, or have a fence
   * directly after its code.
   */
  #readLast(line: string): string {
    const isHalfFence = /^\s*(?:`{1,2}|~{1,2})$/.test(line);
    if (line === '' || (isHalfFence && this.#unfenced.verdict !== 'content')) return '';
    return this.#read(this.#block?.withoutTrailingFence(line) ?? line);
  }

  #open(fence: Fence): string {
    const language = fenceLanguage(fence);
    this.#use = this.#useOf(language);
    this.#block = new FencedBlock(fence, this.#language);
    this.#hasBlock = false;
    this.#isFirstLine = true;
    this.#sampleIsOpen = this.#use === 'sample' && this.#sample === undefined;
    if (this.#sampleIsOpen) {
      this.#sample = [];
      this.#sampleIsText = texts.has(language) || isMarkdown(language);
    }
    return '';
  }

  #useOf(language: string): BlockUse {
    const target = this.#language;
    if (diffs.has(language)) return diffs.has(target) ? 'code' : 'aside';
    if (texts.has(language)) return texts.has(target) ? 'code' : 'sample';
    if (isMarkdown(language) && target !== '' && !isTextLanguage(target)) return 'sample';
    if (!shells.has(language) || familyOf(target) === 'shellscript' || shells.has(target))
      return 'code';
    return target === '' || isTextLanguage(target) || runsCommands.test(target)
      ? 'sample'
      : 'aside';
  }
}

/** Languages whose files may consist of commands for a shell. */
const runsCommands =
  /^(?:dockerfile|makefile|yaml|dockercompose|github-actions-workflow|ini|properties|dotenv|just)$/;

/** Notices lines that are all marked as those of a diff without a header. */
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

/** Leaves out the thoughts with which some models begin their replies. */
class LeadingThoughts {
  #state: 'start' | 'inside' | 'after';
  #end = '';

  constructor(isOff: boolean) {
    this.#state = isOff ? 'after' : 'start';
  }

  /** The line without thoughts; undefined if nothing is left of it. */
  push(line: string): string | undefined {
    if (this.#state === 'after') return line;
    if (this.#state === 'start' && line.trim() !== '') this.#readStart(line);
    return this.#state === 'inside' ? this.#readThought(line) : line;
  }

  #readStart(line: string): void {
    const tag = /^\s*<(think|thinking|thoughts?|reasoning|reflection|scratchpad)>/i.exec(line)?.[1];
    this.#state = tag === undefined ? 'after' : 'inside';
    this.#end = `</${tag?.toLowerCase() ?? ''}>`;
  }

  #readThought(line: string): string | undefined {
    const at = line.toLowerCase().indexOf(this.#end);
    if (at < 0) return undefined;
    this.#state = 'after';
    const rest = line.slice(at + this.#end.length);
    return rest.trim() === '' ? undefined : rest.trimStart();
  }
}
