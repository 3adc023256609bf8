import { StringStream, type StreamParser } from '@codemirror/streamparser';
import { kindOf, type TokenKind } from './tokenKinds.ts';

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
