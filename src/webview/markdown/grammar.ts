import { StringStream, type StreamParser } from '@codemirror/streamparser';

type Parser = StreamParser<unknown>;

/** Loaded on first use; small and rare ones share a chunk. */
const loaders: Readonly<Record<string, () => Promise<Parser>>> = {
  javascript: async () => (await import('@codemirror/legacy-modes/mode/javascript')).javascript,
  typescript: async () => (await import('@codemirror/legacy-modes/mode/javascript')).typescript,
  json: async () => (await import('@codemirror/legacy-modes/mode/javascript')).json,
  c: async () => (await import('./modes/clike.ts')).c,
  cpp: async () => (await import('./modes/clike.ts')).cpp,
  csharp: async () => (await import('./modes/clike.ts')).csharp,
  dart: async () => (await import('./modes/clike.ts')).dart,
  java: async () => (await import('./modes/clike.ts')).java,
  kotlin: async () => (await import('./modes/clike.ts')).kotlin,
  objectivec: async () => (await import('./modes/clike.ts')).objectiveC,
  scala: async () => (await import('./modes/clike.ts')).scala,
  clojure: async () => (await import('./modes/rare.ts')).clojure,
  cmake: async () => (await import('./modes/formats.ts')).cmake,
  css: async () => (await import('@codemirror/legacy-modes/mode/css')).css,
  less: async () => (await import('@codemirror/legacy-modes/mode/css')).less,
  scss: async () => (await import('@codemirror/legacy-modes/mode/css')).sCSS,
  diff: async () => (await import('./modes/formats.ts')).diff,
  dockerfile: async () => (await import('./modes/formats.ts')).dockerFile,
  go: async () => (await import('@codemirror/legacy-modes/mode/go')).go,
  groovy: async () => (await import('./modes/rare.ts')).groovy,
  haskell: async () => (await import('./modes/rare.ts')).haskell,
  html: async () => (await import('@codemirror/legacy-modes/mode/xml')).html,
  xml: async () => (await import('@codemirror/legacy-modes/mode/xml')).xml,
  julia: async () => (await import('./modes/rare.ts')).julia,
  fsharp: async () => (await import('./modes/rare.ts')).fSharp,
  ocaml: async () => (await import('./modes/rare.ts')).oCaml,
  lua: async () => (await import('./modes/rare.ts')).lua,
  nginx: async () => (await import('./modes/formats.ts')).nginx,
  perl: async () => (await import('./modes/rare.ts')).perl,
  python: async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  shell: async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  powershell: async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell,
  properties: async () => (await import('./modes/formats.ts')).properties,
  protobuf: async () => (await import('./modes/formats.ts')).protobuf,
  r: async () => (await import('./modes/rare.ts')).r,
  ruby: async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby,
  rust: async () => (await import('@codemirror/legacy-modes/mode/rust')).rust,
  sql: async () => (await import('./modes/sql.ts')).standardSQL,
  swift: async () => (await import('@codemirror/legacy-modes/mode/swift')).swift,
  toml: async () => (await import('./modes/formats.ts')).toml,
  verilog: async () => (await import('./modes/rare.ts')).verilog,
  vb: async () => (await import('./modes/rare.ts')).vb,
  yaml: async () => (await import('./modes/formats.ts')).yaml,
};

/** Other names that are used in info strings. */
const aliases: Readonly<Record<string, string>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'json',
  py: 'python',
  python3: 'python',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  console: 'shell',
  shellscript: 'shell',
  'c++': 'cpp',
  cc: 'cpp',
  h: 'c',
  hpp: 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  kt: 'kotlin',
  objc: 'objectivec',
  'objective-c': 'objectivec',
  clj: 'clojure',
  patch: 'diff',
  docker: 'dockerfile',
  golang: 'go',
  hs: 'haskell',
  svg: 'xml',
  xhtml: 'html',
  vue: 'html',
  'f#': 'fsharp',
  fs: 'fsharp',
  ml: 'ocaml',
  pl: 'perl',
  ps1: 'powershell',
  pwsh: 'powershell',
  ini: 'properties',
  env: 'properties',
  dotenv: 'properties',
  proto: 'protobuf',
  rb: 'ruby',
  rs: 'rust',
  sass: 'scss',
  mysql: 'sql',
  postgresql: 'sql',
  sqlite: 'sql',
  yml: 'yaml',
};

/** Loads the grammar of a language by any of its names; undefined for unknown languages. */
export async function findGrammar(name: string): Promise<(() => Grammar) | undefined> {
  const lower = name.toLowerCase();
  const language = (Object.hasOwn(aliases, lower) ? aliases[lower] : undefined) ?? lower;
  const load = Object.hasOwn(loaders, language) ? loaders[language] : undefined;
  if (load === undefined) return undefined;
  const parser = await load();
  return () => new LineGrammar(parser, parser.startState?.(indentUnit));
}

/** A token of a line of code; undefined kinds are not highlighted. */
interface CodeToken {
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

class LineGrammar implements Grammar {
  readonly #parser: Parser;
  readonly #state: unknown;

  constructor(parser: Parser, state: unknown) {
    this.#parser = parser;
    this.#state = state;
  }

  copy(): Grammar {
    const parser = this.#parser;
    const state = this.#state;
    if (parser.copyState) return new LineGrammar(parser, parser.copyState(state));
    // The default of CodeMirror: a shallow copy.
    if (typeof state !== 'object' || state === null) return new LineGrammar(parser, state);
    const copy = { ...state };
    for (const [key, value] of Object.entries(copy))
      if (Array.isArray(value)) Reflect.set(copy, key, Array.from<unknown>(value));
    return new LineGrammar(parser, copy);
  }

  read(line: string): readonly CodeToken[] {
    if (line === '') this.#parser.blankLine?.(this.#state, indentUnit);
    const tokens: { text: string; readonly kind: TokenKind | undefined }[] = [];
    const stream = new StringStream(line, tabSize, indentUnit);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = this.#next(stream);
      const text = stream.current();
      // Tokens of the same kind are merged, even across whitespace, which has no color, for fewer
      // nodes.
      const last = tokens.at(-1);
      const before = tokens.at(-2);
      if (last?.kind === kind && last !== undefined) last.text += text;
      else if (before !== undefined && before.kind === kind && last?.text.trim() === '') {
        before.text += last.text + text;
        tokens.pop();
      } else tokens.push({ text, kind });
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
  if (!known.has(style)) {
    const word = style.split(/[ .]/).find((name) => Object.hasOwn(kinds, name));
    known.set(style, word === undefined ? undefined : kinds[word]);
  }
  return known.get(style);
}
