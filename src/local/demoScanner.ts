/** Syntax of the comments and strings of a language. */
export interface Lexicon {
  /** Starts of comments that last to the end of the line. */
  readonly line: readonly string[];
  /** Starts and ends of comments that may have several lines. */
  readonly block: readonly (readonly [string, string])[];
  /** Quotes of single-line strings. */
  readonly quotes: string;
  /** Quotes of multi-line strings. */
  readonly long: readonly string[];
  /** True for regular expressions and templates as in JavaScript. */
  readonly script?: true;
  /** True if `#` begins a comment only at the beginning of a word. */
  readonly wordHash?: true;
  /** Syntax that cannot be read reliably with these rules. */
  readonly unsure?: RegExp;
}

const slashes = { line: ['//'], block: [['/*', '*/']], quotes: '"\'', long: [] } as const;
const hashes = { line: ['#'], block: [], quotes: '"\'', long: [] } as const;
const jsx = /(?:^|[(,=?:&|{};>]|\breturn)\s*<[A-Za-z/>]/;

const lexicons: Readonly<Record<string, Lexicon>> = {
  typescript: { ...slashes, script: true },
  javascript: { ...slashes, script: true, unsure: jsx },
  typescriptreact: { ...slashes, script: true, unsure: jsx },
  javascriptreact: { ...slashes, script: true, unsure: jsx },
  java: { ...slashes, long: ['"""'] },
  kotlin: { ...slashes, long: ['"""'] },
  scala: { ...slashes, long: ['"""'] },
  swift: { ...slashes, long: ['"""'], unsure: /#"|#\// },
  csharp: { ...slashes, long: ['"""'], unsure: /[@$]"|"""/ },
  dart: { ...slashes, long: ['"""', "'''"] },
  c: { ...slashes, unsure: /\\$(?<=\/\/.*)/m },
  cpp: { ...slashes, unsure: /\\$(?<=\/\/.*)|R"|\d'\d/m },
  'objective-c': slashes,
  groovy: { ...slashes, long: ['"""', "'''"], unsure: /~\/|\$\// },
  go: { ...slashes, long: ['`'] },
  rust: { ...slashes, quotes: '"', unsure: /\br#*"|'["\\]|\/\*[^]*\/\*/ },
  php: { ...slashes, line: ['//', '#'], unsure: /<<<|\?>|#\[/ },
  css: { ...slashes, line: [] },
  scss: { ...slashes, unsure: /url\(|:\/\// },
  less: { ...slashes, unsure: /url\(|:\/\/|~["`]/ },
  jsonc: slashes,
  json: { line: [], block: [], quotes: '"', long: [] },
  python: { ...hashes, long: ['"""', "'''"] },
  shellscript: { ...hashes, wordHash: true, unsure: /<<|\$\(|`|\$'|\\['"]/ },
  ruby: { ...hashes, unsure: /<<|#\{|%[qQwWiIrxs]?[({[<|!/]|\/|^=begin|\?["'#]/m },
  elixir: { ...hashes, long: ['"""', "'''"], unsure: /~[a-zA-Z]|#\{|\?["'#]/ },
  r: hashes,
  julia: { ...hashes, long: ['"""'], unsure: /#=|'/ },
  powershell: { ...hashes, unsure: /<#|@["']|`/ },
  dockerfile: { ...hashes, wordHash: true, unsure: /<<|["']/ },
  yaml: { ...hashes, wordHash: true, unsure: /["']|[|>][-+\d]*\s*$/m },
  toml: { ...hashes, long: ['"""', "'''"] },
  sql: { line: ['--'], block: [['/*', '*/']], quotes: '"\'', long: [], unsure: /\$\w*\$|\\'|`/ },
  lua: { line: ['--'], block: [['--[[', ']]']], quotes: '"\'', long: [], unsure: /\[=*\[/ },
  haskell: {
    line: ['--'],
    block: [['{-', '-}']],
    quotes: '"',
    long: [],
    unsure: /'|--[^\s\w-]|\{-[^]*\{-/,
  },
  html: { line: [], block: [['<!--', '-->']], quotes: '', long: [] },
  xml: { line: [], block: [['<!--', '-->']], quotes: '', long: [], unsure: /<!\[CDATA/ },
};

/** The comments and strings of a language, by VS Code's id; undefined if the demo doesn't know it. */
export function lexiconOf(language: string): Lexicon | undefined {
  return Object.hasOwn(lexicons, language) ? lexicons[language] : undefined;
}

type Kind = 'code' | 'text' | 'comment';

/** A code text, character by character. */
export interface ScannedCode {
  /** Kind of each UTF-16 unit; `text` is a string. */
  readonly kinds: readonly Kind[];
  /** The code, with spaces in place of strings, comments and unreadable text. */
  readonly code: string;
  /** True if all of it was read, and the end is neither inside a string nor a comment. */
  readonly isWhole: boolean;
}

/** Distinguishes code from strings and comments, as far as that is certain. */
export function scanCode(text: string, language: string): ScannedCode {
  const lexicon = lexiconOf(language);
  if (lexicon === undefined)
    return { kinds: [], code: text.replace(/[^\r\n]/g, ' '), isWhole: false };
  return new CodeScanner(text, lexicon).run();
}

/** Lines of a file, and the text before them. */
export interface PieceOfFile {
  readonly piece: string;
  readonly language: string;
  readonly before: string;
  /** Whether `before` begins with the file. */
  readonly isFromStart: boolean;
}

/** Scans a piece together with the code before it. Recognizes nothing if its start is uncertain. */
export function scanPiece({ piece, language, before, isFromStart }: PieceOfFile): ScannedCode & {
  /** Whether the piece begins inside a string or a comment. */
  readonly beginsInside: boolean;
} {
  const front = before === '' ? '' : before.replace(/\n?$/, '\n');
  const text = front + piece;
  const isUnknown = !isFromStart && mayBeginInside(text, language);
  const { kinds, code, isWhole } = scanCode(text, isUnknown ? '' : language);
  const beginsInside = front !== '' && kinds[front.length - 1] !== 'code';
  return {
    kinds: kinds.slice(front.length),
    code: code.slice(front.length),
    isWhole,
    beginsInside,
  };
}

/** Whether a text from the middle of a file may begin inside a comment or a string. */
function mayBeginInside(text: string, language: string): boolean {
  const { block = [], long = [], script } = lexiconOf(language) ?? {};
  const ends = block.some(([start, end]) => {
    const [first, last] = [text.indexOf(start), text.indexOf(end)];
    return last >= 0 && (first < 0 || last < first);
  });
  const quotes = script === true ? ['`'] : long;
  return ends || quotes.some((quote) => text.split(quote).length % 2 === 0);
}

class CodeScanner {
  readonly #text: string;
  readonly #lexicon: Lexicon;
  readonly #kinds: Kind[] = [];
  /** Offset after which the result is not certain. */
  readonly #limit: number;
  #at = 0;
  #isSure = true;
  /** Depths of braces inside the placeholders of open templates. */
  readonly #templates: number[] = [];

  constructor(text: string, lexicon: Lexicon) {
    this.#text = text;
    this.#lexicon = lexicon;
    this.#limit = lexicon.unsure?.exec(text)?.index ?? text.length;
  }

  run(): ScannedCode {
    while (this.#isSure && this.#at < this.#limit) {
      const start = this.#at;
      this.#step();
      this.#isSure &&= this.#at <= this.#limit;
      if (!this.#isSure) this.#kinds.length = start;
    }
    let code = '';
    for (let index = 0; index < this.#text.length; index++) {
      const character = this.#text[index] ?? '';
      const isKept = this.#kinds[index] === 'code' || character === '\n' || character === '\r';
      code += isKept ? character : ' ';
    }
    const isWhole = this.#kinds.length === this.#text.length && this.#templates.length === 0;
    return { kinds: this.#kinds, code, isWhole };
  }

  #step(): void {
    const { line, block, quotes, long, script } = this.#lexicon;
    const pair = block.find(([start]) => this.#starts(start));
    if (pair !== undefined) {
      this.#takeTo('comment', pair[1], pair[0].length);
      return;
    }
    if (line.some((start) => this.#starts(start)) && this.#mayComment()) {
      this.#takeLine();
      return;
    }
    const quote = long.find((mark) => this.#starts(mark));
    if (quote !== undefined) {
      this.#takeTo('text', quote, quote.length);
      return;
    }
    const character = this.#text[this.#at] ?? '';
    if (quotes.includes(character)) {
      this.#takeString(character);
      return;
    }
    if (script !== true || !this.#takeScript(character)) this.#take('code', 1);
  }

  #starts(mark: string): boolean {
    return this.#text.startsWith(mark, this.#at);
  }

  #mayComment(): boolean {
    const before = this.#text[this.#at - 1] ?? ' ';
    return this.#lexicon.wordHash !== true || /[\s;,(){}[\]]/.test(before);
  }

  #take(kind: Kind, length: number): void {
    for (let end = this.#at + length; this.#at < end; this.#at++) this.#kinds.push(kind);
  }

  #takeLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    const stop = end < 0 ? this.#text.length : end;
    this.#take('comment', stop - this.#at - (this.#text[stop - 1] === '\r' ? 1 : 0));
  }

  #takeTo(kind: Kind, end: string, skipped: number): void {
    let at = this.#text.indexOf(end, this.#at + skipped);
    while (kind === 'text' && end !== '`' && at >= 0 && this.#isEscaped(at)) {
      at = this.#text.indexOf(end, at + 1);
    }
    this.#isSure &&= at >= 0;
    this.#take(kind, (at < 0 ? this.#text.length : at + end.length) - this.#at);
  }

  #isEscaped(at: number): boolean {
    let start = at;
    while (this.#text[start - 1] === '\\') start--;
    return (at - start) % 2 === 1;
  }

  /** Reads a single-line string. A quote without an end (a lifetime in Rust) is not certain. */
  #takeString(quote: string): void {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote && this.#text[end] !== '\n') {
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    if (this.#text[end] !== quote) this.#isSure = false;
    this.#take('text', Math.min(end + 1, this.#text.length) - this.#at);
  }

  #takeScript(character: string): boolean {
    if (character === '`') return this.#takeTemplate();
    const last = this.#templates.length - 1;
    const depth = this.#templates[last];
    if (depth !== undefined && character === '{') this.#templates[last] = depth + 1;
    if (depth === 0 && character === '}') {
      this.#templates.pop();
      return this.#takeTemplate();
    }
    if (depth !== undefined && character === '}') this.#templates[last] = depth - 1;
    return character === '/' && this.#takeExpression();
  }

  /** Reads the text of a template, up to its end or its next placeholder. */
  #takeTemplate(): true {
    let end = this.#at + 1;
    while (
      end < this.#text.length &&
      this.#text[end] !== '`' &&
      !this.#text.startsWith('${', end)
    ) {
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    const isPlaceholder = this.#text[end] === '$';
    this.#isSure &&= end < this.#text.length;
    this.#take('text', Math.min(end + (isPlaceholder ? 2 : 1), this.#text.length) - this.#at);
    if (isPlaceholder) this.#templates.push(0);
    return true;
  }

  /** Reads a regular expression; false if the slash is a division. */
  #takeExpression(): boolean {
    let start = this.#at - 1;
    const isSpace = (at: number): boolean => /\s/.test(this.#text[at] ?? '');
    while (start >= 0 && (this.#kinds[start] === 'comment' || isSpace(start))) start--;
    const before = this.#text.slice(Math.max(0, start - 12), start + 1);
    if (this.#kinds[start] === 'text') return false;
    const isSpaced = isSpace(this.#at + 1) || this.#text[this.#at + 1] === '=';
    if (/[)\]}]$/.test(before)) {
      // After a closing bracket it may be either.
      this.#isSure &&= isSpaced || before.endsWith(']');
      return false;
    }
    if (/[\w$]$/.test(before) && !beforeExpression.test(before)) return false;
    const source = /\/(?:\\.|\[(?:\\.|[^\]\\\n]){0,300}\]|[^/\\[\n]){1,500}\/[a-z]*/y;
    source.lastIndex = this.#at;
    const expression = source.exec(this.#text)?.[0];
    this.#isSure &&= expression !== undefined;
    this.#take('text', expression?.length ?? 1);
    return true;
  }
}

const beforeExpression =
  /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|instanceof|yield|await)$/;
