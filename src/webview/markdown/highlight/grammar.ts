import { StringStream, type StreamParser } from '@codemirror/streamparser';

/** A piece of a line of code; without a kind it is plain. */
export interface CodeToken {
  readonly text: string;
  readonly kind: TokenKind | undefined;
}

/** A grammar in the middle of a text: it reads line by line and knows what came before. */
export interface Grammar {
  /** The pieces of the next line, which has no line end. */
  read(line: string): readonly CodeToken[];
  /** The same place in the text, to read on from there without this one. */
  copy(): Grammar;
}

const tabSize = 4;
const indentUnit = 2;

/** A grammar before the first line. */
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
    // A grammar may change its state without reading on, but it must not hold up a reply.
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

/** Pieces of the same kind are one, also across a space, which has no colour: fewer nodes. */
function add(tokens: MutableToken[], text: string, kind: TokenKind | undefined): void {
  const last = tokens.at(-1);
  const before = tokens.at(-2);
  if (last?.kind === kind && last !== undefined) last.text += text;
  else if (before !== undefined && before.kind === kind && last?.text.trim() === '') {
    before.text += last.text + text;
    tokens.pop();
  } else tokens.push({ text, kind });
}

/** What grammars expect where they do not copy their state themselves. */
function shallowCopy(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return state;
  const copy = { ...state };
  for (const [key, value] of Object.entries(copy))
    if (Array.isArray(value)) Reflect.set(copy, key, Array.from<unknown>(value));
  return copy;
}

/** What a piece of code looks like; the style sheet has a colour for each. */
type TokenKind =
  | 'keyword'
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
 * The words that grammars use. Names of variables and functions are plain, like everything that is
 * not here: fewer nodes, and a calmer page.
 */
const kinds: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  tag: 'keyword',
  tagName: 'keyword',
  header: 'keyword',
  heading: 'keyword',
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

/** Reads a grammar's style, for example `string.special` or `variableName.function`. */
function kindOf(style: string | null | undefined): TokenKind | undefined {
  if (style === null || style === undefined) return undefined;
  if (!known.has(style)) known.set(style, style.split(/[ .]/).map(kindOfWord).find(Boolean));
  return known.get(style);
}

function kindOfWord(word: string): TokenKind | undefined {
  return Object.hasOwn(kinds, word) ? kinds[word] : undefined;
}
