/** A file that a reply mentions. */
export interface NamedFile {
  /** Separated by `/`, without a leading `./`. */
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
}

const maxLineLength = 300;
/** Longer paragraphs are split into pieces and never available as a whole. */
const maxParagraphLength = 1000;

const maxPathLength = 260;

const attribute = /(?:^|[\s,{])(?:title|file|filename|path)=(?:"([^"]*)"|'([^']*)'|([^\s,}"']+))/i;

/**
 * The file in the info string of a fence: `ts title=src/a.ts`, `ts src/a.ts`, `ts:src/a.ts`,
 * `src/a.ts:10-20`, `10:20:src/a.ts`.
 */
export function fileOfInfo(info: string): NamedFile | undefined {
  if (info.length > maxLineLength) return undefined;
  const named = attribute.exec(info);
  if (named !== null) return readPath(named[1] ?? named[2] ?? named[3] ?? '', true);
  const words = info.trim().split(/[\s,{]+/);
  const [first = ''] = words;
  const reference = /^(\d+):\d+:(\S+)$/.exec(first);
  if (reference !== null) return readPath(`${reference[2] ?? ''}:${reference[1] ?? ''}`);
  // `Makefile` alone is a language.
  const candidates = [/[./]/.test(first) ? first : '', afterLanguage(first), words[1] ?? ''];
  const files = candidates.map((word) => readPath(word)).filter((file) => file !== undefined);
  return files.length === 1 ? files[0] : undefined;
}

/** The language in the info string of a fence: its first word, or the extension of its file. */
export function languageOfInfo(info: string): string {
  const first = info.trim().split(/[\s,{]/, 1)[0] ?? '';
  if (!/[:/.=]/.test(first)) return first;
  const file = fileOfInfo(info);
  if (file === undefined) return first;
  return /^([a-z][\w+#-]*):/i.exec(first)?.[1] ?? extensionOf(file.path);
}

function afterLanguage(word: string): string {
  return /^[a-z][\w+#-]*:(.+)$/i.exec(word)?.[1] ?? '';
}

const marked = /^(?:\*\*|__)?`([^`]+)`(?::?(?:\*\*|__)|(?:\*\*|__)?:)?$/;
const bold = /^(?:\*\*|__)([^`*]+?):?(?:\*\*|__):?$/;
const label = /^(\*\*)?(?:file|filename|path)(?::\1|\1:) ?/i;
const lastCode = /`([^`]+)`(?:(?:\*\*|__)?:|:(?:\*\*|__))$/;

/**
 * The file in the paragraph or heading above a code block: the line is only the name, in bold or as
 * code, or ends with it and a colon. Undefined if it contains several files.
 */
export function fileOfLine(content: string, isHeading: boolean): NamedFile | undefined {
  if (content.length > maxParagraphLength) return undefined;
  const line = content.trim().replace(isHeading ? /^\d+[.)] +/ : /^$/, '');
  const name = line.replace(label, '');
  const only =
    marked.exec(name)?.[1] ?? bold.exec(line)?.[1] ?? unmarkedName(line, name, isHeading);
  if (only !== undefined) return readPath(only);
  const last = lastCode.exec(line)?.[1];
  const file = last === undefined ? undefined : readPath(last);
  return file !== undefined && !namesAnotherFile(line, file) ? file : undefined;
}

/** A name without markup counts only in a heading or after a label such as `File:`. */
function unmarkedName(line: string, name: string, isHeading: boolean): string | undefined {
  return (isHeading || line !== name) && !/[\s`*]/.test(name) ? name.replace(/:$/, '') : undefined;
}

/** "Move it from `a.ts` to `b.ts`:" doesn't tell the file of the code. */
function namesAnotherFile(line: string, file: NamedFile): boolean {
  const codes = [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => readPath(code));
  return codes.some((other) => other !== undefined && other.path !== file.path);
}

const comment =
  /^(?:\/\/+|\/\*+|<!--|\(\*|(?:#|--|;+|%+|rem|::|')(?=\s))\s*(?:(?:file|filename|filepath|path):\s*)?(\S+?)\s*(?:\*+\/|-->|\*\))?$/i;

/** The file in the first line of a code block, if that is a comment with no other text. */
export function fileOfComment(text: string, language: string): NamedFile | undefined {
  const line = text.slice(0, maxLineLength).split('\n', 1)[0]?.trim() ?? '';
  // In Markdown `#` starts a heading.
  if (/^(?:md|mdx|markdown)$/i.test(language) && line.startsWith('#')) return undefined;
  const name = line.length < maxLineLength ? comment.exec(line)?.[1] : undefined;
  return name === undefined ? undefined : readPath(name);
}

/** Extensions that are rarely the last name of an expression (`console.log`). */
const extensions = new Set(
  'astro bash bat c cc cfg clj cjs cmake cmd conf cpp cs cshtml css csv cts cxx dart diff dockerfile editorconfig ejs elm env erb erl ex exs fish fs fsx gemspec go gradle graphql groovy h hbs hcl hpp hrl hs htm html http ini ipynb java jl js json json5 jsonc jsx kt kts less lock lua mak md mdx mjs mk ml mli mm mts nim nix pas php pl plist pm prisma properties proto ps1 pug py pyi rake razor rb rs rst sass sbt scala scss service sh sln sol sql svelte svg swift tex tf tfvars toml ts tsx twig txt v vb vhd vim vue xaml xhtml xml yaml yml zig zsh'.split(
    ' ',
  ),
);

/** Files without an extension, and dotfiles. */
const names =
  /^(?:\.(?:babelrc|dockerignore|editorconfig|env(?:\.[\w-]+)?|eslintrc|gitattributes|gitignore|gitmodules|npmignore|npmrc|nvmrc|prettierrc|prettierignore|stylelintrc)|Brewfile|CMakeLists\.txt|CODEOWNERS|Dockerfile(?:\.[\w-]+)?|Gemfile|go\.mod|go\.sum|Jenkinsfile|Justfile|LICENSE|Makefile|Pipfile|Procfile|Rakefile|Vagrantfile)$/;

const notFiles =
  /^(?:angular|chart|d3|express|ember|moment|next|node|nuxt|p5|react|socket|solid|three|vue)\.js$|^(?:req|request|res|response)\.json$/i;

const segment = /^[\p{L}\p{N}_.@+()[\]$~-]+$/u;
/** A name in code may have spaces. */
const spacedSegment = /^[\p{L}\p{N}_.@+()[\]$~-]+(?: [\p{L}\p{N}_.@+()[\]$~-]+)*$/u;
/** `:12`, `:12:3`, `:12-20`, `:L12`, `#L12-L20`, `#L12C3`, `(12)`, `(12,3)`. */
const lines =
  /(?::L?(\d+)(?:[-–:,]L?\d+){0,3}|#L?(\d+)(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|\((\d+)(?:, ?\d+)?\))$/;

/**
 * Parses a path in a project, optionally followed by a line or range. Undefined if the text may be
 * something else.
 *
 * @param isExplicit true if the text is marked as a file name, so that any extension is accepted
 */
function readPath(text: string, isExplicit = false): NamedFile | undefined {
  const file = splitLine(text);
  return file.path.length <= maxPathLength && isPath(file.path, isExplicit) ? file : undefined;
}

/** Splits a reference into its path, which may be any text, and line. */
function splitLine(text: string): NamedFile {
  const match = lines.exec(text);
  const path = text
    .slice(0, match?.index)
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '');
  const line = Number(match?.[1] ?? match?.[2] ?? match?.[3] ?? 0);
  return line > 0 && Number.isSafeInteger(line) ? { path, line } : { path };
}

/**
 * The file that a word may mention. The host checks whether it exists, so any path with a folder is
 * accepted, and any name as code.
 */
function fileOfWord(word: string, isCode: boolean): NamedFile | undefined {
  const file = splitLine(word);
  const segments = file.path.split('/');
  const hasSpace = file.path.includes(' ');
  if (hasSpace && !(isCode && (segments.length > 1 || isFileName(file.path)))) return undefined;
  const allowed = hasSpace ? spacedSegment : segment;
  if (segments.some((part) => !allowed.test(part) || /^\.+$/.test(part))) return undefined;
  if (segments.length > 1 || isCode) return file;
  return file.path.includes('@') ? undefined : readPath(word);
}

/** The extension of a file name; empty if there is none. */
function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

function isPath(path: string, isExplicit: boolean): boolean {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  if (segments.some((part) => !segment.test(part) || /^\.+$/.test(part))) return false;
  if (names.test(name)) return true;
  if (segments.length === 1 && notFiles.test(name)) return false;
  return isExplicit ? /.\.[\w-]+$/.test(name) : isFileName(name);
}

/** True if a name ends with the extension of a file. */
function isFileName(name: string): boolean {
  return /^\.*[^.].*\./.test(name) && extensions.has(extensionOf(name));
}

/** A part of a text that may mention a file or a symbol. */
export interface FileWord {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly file: NamedFile;
}

/** Longer words aren't names. */
const maxWordLength = 200;
/**
 * White space, quotation marks, brackets around words and commas separate words, except for the
 * comma in a position such as `(12,3)`.
 */
const wordsOfText = /(?:\(\d{1,7}, ?\d{1,7}\)|[^\s"'`<>|,;*“”„‘’«»…—。、，；：（）「」])+/g;
const openings = '([{';
const closings = ')]}';
const endings = '.:!?';

/** The words of plain text that may mention a file, in order. Linear time. */
export function fileWords(text: string): FileWord[] {
  const words: FileWord[] = [];
  for (const { 0: word, index } of text.matchAll(wordsOfText)) {
    if (word.length > maxWordLength) continue;
    const [start, end] = withoutPunctuation(word);
    const file = start < end ? fileOfWord(word.slice(start, end), false) : undefined;
    if (file !== undefined) words.push({ start: index + start, end: index + end, file });
  }
  return words;
}

/** Inline code that consists of a path, a file name or a symbol, which may end with `()`. */
export function fileOfCode(code: string): FileWord | undefined {
  const word = code.trim();
  if (word === '' || word.length > maxWordLength) return undefined;
  const file = fileOfWord(word.replace(/\(\)$/, ''), true);
  const start = code.indexOf(word);
  return file && { start, end: start + word.length, file };
}

/** A whole link whose address is a path, including the address in parentheses. */
export function fileOfAddress(link: string): FileWord | undefined {
  const start = link.lastIndexOf(' (');
  const address = start < 0 || !link.endsWith(')') ? link : link.slice(start + 2, -1);
  if (address.length > maxWordLength) return undefined;
  const file = fileOfWord(decoded(address), true);
  return file && { start: 0, end: link.length, file };
}

/** An address without escapes such as `%20`. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

function withoutPunctuation(word: string): readonly [start: number, end: number] {
  let start = 0;
  let end = word.length;
  while (start < end && openings.includes(word.charAt(start))) start++;
  while (end > start && isLoose(word.slice(start, end))) end--;
  return [start, end];
}

/** True if the last character belongs to the sentence; `(group)` is part of some paths. */
function isLoose(word: string): boolean {
  const last = word.slice(-1);
  if (endings.includes(last)) return true;
  const pair = closings.indexOf(last);
  if (pair < 0) return false;
  return word.split(last).length > word.split(openings.charAt(pair)).length;
}
