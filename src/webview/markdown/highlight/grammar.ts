import { StringStream, type StreamParser } from '@codemirror/streamparser';

/** A token of a line of code; undefined kinds are not highlighted. */
export interface CodeToken {
  readonly text: string;
  readonly kind: TokenKind | undefined;
}

/** A grammar with its state after the lines read so far. */
export interface Grammar {
  /** Tokenizes the next line, given without its line ending. */
  read(line: string): readonly CodeToken[];
  /** An independent copy with the same state. */
  copy(): Grammar;
}

const tabSize = 4;
const indentUnit = 2;

export function startGrammar(parser: StreamParser<unknown>): Grammar {
  return new LineGrammar(parser, parser.startState?.(indentUnit));
}

class LineGrammar implements Grammar {
  readonly #parser: StreamParser<unknown>;
  readonly #state: unknown;

  constructor(parser: StreamParser<unknown>, state: unknown) {
    this.#parser = parser;
    this.#state = state;
  }

  copy(): Grammar {
    const parser = this.#parser;
    const copy = parser.copyState?.(this.#state) ?? shallowCopy(this.#state);
    return new LineGrammar(parser, copy);
  }

  read(line: string): readonly CodeToken[] {
    if (line === '') this.#parser.blankLine?.(this.#state, indentUnit);
    const tokens: MutableToken[] = [];
    const stream = new StringStream(line, tabSize, indentUnit);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = this.#next(stream);
      add(tokens, stream.current(), kind);
    }
    return tokens;
  }

  #next(stream: StringStream): TokenKind | undefined {
    // A grammar may change its state without consuming text; the limit prevents an endless loop.
    for (let attempt = 0; attempt < 10; attempt++) {
      const kind = kindOf(this.#parser.token(stream, this.#state));
      if (stream.pos > stream.start) return kind;
    }
    stream.next();
    return undefined;
  }
}

interface MutableToken {
  text: string;
  readonly kind: TokenKind | undefined;
}

/** Merges tokens of the same kind, even across whitespace, which has no color, for fewer nodes. */
function add(tokens: MutableToken[], text: string, kind: TokenKind | undefined): void {
  const last = tokens.at(-1);
  const before = tokens.at(-2);
  if (last?.kind === kind && last !== undefined) last.text += text;
  else if (before !== undefined && before.kind === kind && last?.text.trim() === '') {
    before.text += last.text + text;
    tokens.pop();
  } else tokens.push({ text, kind });
}

/** The default of CodeMirror for grammars without `copyState`. */
function shallowCopy(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return state;
  const copy = { ...state };
  for (const [key, value] of Object.entries(copy))
    if (Array.isArray(value)) Reflect.set(copy, key, Array.from<unknown>(value));
  return copy;
}

/** The kind of a token. The style sheet defines its color. */
type TokenKind =
  | 'keyword'
  | 'tag'
  | 'constant'
  | 'number'
  | 'string'
  | 'comment'
  | 'name'
  | 'type'
  | 'meta'
  | 'inserted'
  | 'deleted';

/**
 * CodeMirror's style names. All others, such as variables and functions, aren't highlighted, for
 * fewer nodes and a calmer page.
 */
const kinds: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  tag: 'tag',
  tagName: 'tag',
  header: 'tag',
  heading: 'tag',
  atom: 'constant',
  bool: 'constant',
  null: 'constant',
  constant: 'constant',
  number: 'number',
  unit: 'number',
  string: 'string',
  link: 'string',
  attributeValue: 'string',
  comment: 'comment',
  attribute: 'name',
  attributeName: 'name',
  type: 'type',
  typeName: 'type',
  className: 'type',
  builtin: 'type',
  standard: 'type',
  meta: 'meta',
  annotation: 'meta',
  processingInstruction: 'meta',
  inserted: 'inserted',
  deleted: 'deleted',
};

const known = new Map<string, TokenKind | undefined>();

/** Maps a CodeMirror style, for example `string.special` or `variableName.function`. */
function kindOf(style: string | null | undefined): TokenKind | undefined {
  if (style === null || style === undefined) return undefined;
  if (!known.has(style)) known.set(style, style.split(/[ .]/).map(kindOfWord).find(Boolean));
  return known.get(style);
}

function kindOfWord(word: string): TokenKind | undefined {
  return Object.hasOwn(kinds, word) ? kinds[word] : undefined;
}
