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
  const afterLanguage = /^[a-z][\w+#-]*:(.+)$/i.exec(first)?.[1] ?? '';
  const candidates = [/[./]/.test(first) ? first : '', afterLanguage, words[1] ?? ''];
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
  // A name without markup counts only in a heading or after a label such as `File:`.
  const needsMarkup = !isHeading && line === name;
  const unmarked = needsMarkup || /[\s`*]/.test(name) ? undefined : name.replace(/:$/, '');
  const only = marked.exec(name)?.[1] ?? bold.exec(line)?.[1] ?? unmarked;
  if (only !== undefined) return readPath(only);
  const last = lastCode.exec(line)?.[1];
  const file = last === undefined ? undefined : readPath(last);
  if (file === undefined) return undefined;
  // "Move it from `a.ts` to `b.ts`:" doesn't tell the file of the code.
  const codes = [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => readPath(code));
  return codes.every((other) => other === undefined || other.path === file.path) ? file : undefined;
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
  if (file.path.length > maxPathLength) return undefined;
  const segments = file.path.split('/');
  const name = segments.at(-1) ?? '';
  if (segments.some((part) => !segment.test(part) || /^\.+$/.test(part))) return undefined;
  if (names.test(name)) return file;
  if (segments.length === 1 && notFiles.test(name)) return undefined;
  return (isExplicit ? /.\.[\w-]+$/.test(name) : isFileName(name)) ? file : undefined;
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
  let address = start < 0 || !link.endsWith(')') ? link : link.slice(start + 2, -1);
  if (address.length > maxWordLength) return undefined;
  try {
    address = decodeURIComponent(address);
  } catch {
    // It isn't escaped.
  }
  const file = fileOfWord(address, true);
  return file && { start: 0, end: link.length, file };
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

/** Connects the links in a reply to the workspace. */
export interface FileLinkActions {
  /** Resolves words to files and symbols of the workspace, in the order of the words. */
  readonly find: (words: readonly WrittenWord[]) => Promise<readonly (NamedFile | undefined)[]>;
  readonly open: (file: NamedFile) => void;
}

interface WrittenWord {
  readonly text: string;
  readonly isCode: boolean;
}

interface Mention extends FileWord {
  /** A text, or the frame of a link that can't be opened. */
  readonly node: Text | Element;
  readonly isCode: boolean;
}

/** Limit on the references of a reply; further ones stay text. */
const maxWords = 200;
const skipped = 'pre, a, button, .code-block, .image-address, .formula';

/**
 * Adds links to the files and symbols that a finished reply mentions. A link has no address: the
 * element identifies it, so that nothing that a model writes can be followed.
 */
export class FileLinks {
  readonly #container: HTMLElement;
  readonly #actions: FileLinkActions;
  readonly #files = new WeakMap<Element, NamedFile>();

  constructor(container: HTMLElement, actions: FileLinkActions) {
    this.#container = container;
    this.#actions = actions;
    container.addEventListener('click', (event) => this.#open(event));
    container.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#open(event);
    });
  }

  /** Resolves and marks the references in the text. */
  async add(): Promise<void> {
    const mentions = findMentions(this.#container);
    const words = new Map<string, WrittenWord>();
    for (const mention of mentions) {
      const { file, isCode } = mention;
      if (words.size < maxWords) words.set(keyOf(mention), { text: file.path, isCode });
    }
    if (words.size === 0) return;
    const targets = await this.#actions.find([...words.values()]);
    const files = new Map([...words.keys()].map((key, index) => [key, targets[index]]));
    if (targets.every((file) => file === undefined)) return;
    // Marking a selected text would change the selection.
    const { ownerDocument } = this.#container;
    const isSelected = (): boolean => {
      const selection = ownerDocument.getSelection();
      return selection?.isCollapsed === false && selection.containsNode(this.#container, true);
    };
    while (isSelected())
      await new Promise((resolve) =>
        ownerDocument.addEventListener('selectionchange', resolve, { once: true }),
      );
    // In reverse order, so that the offsets of earlier words stay valid.
    for (const mention of mentions.toReversed()) {
      const file = files.get(keyOf(mention));
      if (file !== undefined) this.#mark(mention, file);
    }
  }

  #mark({ node, start, end, file: { line } }: Mention, target: NamedFile): void {
    const { path } = target;
    const at = line ?? target.line;
    const file: NamedFile = { path, ...(at !== undefined && { line: at }) };
    const link = node.ownerDocument.createElement('a');
    link.className = 'file-link';
    link.setAttribute('role', 'link');
    link.tabIndex = 0;
    link.title = at === undefined ? path : `${path}:${at}`;
    const range = node.ownerDocument.createRange();
    if (node instanceof Element) range.selectNodeContents(node);
    else {
      range.setStart(node, start);
      range.setEnd(node, end);
    }
    link.append(range.extractContents());
    range.insertNode(link);
    this.#files.set(link, file);
  }

  #open(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest('.file-link') : null;
    const file = link === null ? undefined : this.#files.get(link);
    if (file === undefined) return;
    event.preventDefault();
    this.#actions.open(file);
  }
}

function keyOf({ file, isCode }: Mention): string {
  return `${isCode ? '`' : ' '}${file.path}`;
}

/** The references in text and inline code, in order. */
function findMentions(container: HTMLElement): Mention[] {
  const mentions: Mention[] = [];
  const { ownerDocument } = container;
  const walker = ownerDocument.createTreeWalker(
    container,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) =>
      node instanceof Element && node.matches(skipped)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Element && node.matches('.plain-link')) {
      const word = fileOfAddress(node.textContent);
      if (word !== undefined) mentions.push({ ...word, node, isCode: false });
    } else if (node instanceof Text && node.parentElement?.closest('.plain-link') === null) {
      const isCode = node.parentElement.localName === 'code';
      const words = isCode ? [fileOfCode(node.data)] : fileWords(node.data);
      for (const word of words) if (word !== undefined) mentions.push({ ...word, node, isCode });
    }
  }
  return mentions;
}
