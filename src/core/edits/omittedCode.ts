import { diffLists } from './lineDiff.ts';
import { isBlank } from './whitespace.ts';

/**
 * The line of new code that stands for old code which would be deleted; undefined if there is none.
 * A line stands for code if it says so, in words or with dots, and the old code lacks it:
 * `// rest of main unchanged`, `render() { ... }`, `...`.
 */
export function omissionIn(
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  return findOmission(before, after, (line) => saysOmission(line) || dotsAsBody.test(line));
}

/** Like {@link omissionIn} for code whose author may mean dots as a body, as in a stub of Python. */
export function omittingCommentIn(before: string, after: string): string | undefined {
  return findOmission(before.split('\n'), after.split('\n'), saysOmission);
}

function findOmission(
  before: readonly string[],
  after: readonly string[],
  isOmission: (line: string) => boolean,
): string | undefined {
  // Most code has no such line.
  if (!after.some(isOmission)) return undefined;
  const changes = changesBetween(before, after);
  if (!changes.some(({ removed }) => removed.length > 0)) return undefined;
  const known = new Set(before.map(normalizedLine));
  return changes
    .flatMap(({ added }) => added)
    .find((line) => isOmission(line) && (isDots(line) || !known.has(normalizedLine(line))));
}

/**
 * True if nothing but comments would take the place of code, such as `// fields`, whatever they
 * say. Code that is commented out stays readable, so it is no loss.
 */
export function becomesComment(before: readonly string[], after: readonly string[]): boolean {
  return changesBetween(before, after, beginning).some(({ removed, added }) => {
    const comments = added.map(commentIn);
    if (comments.length === 0 || comments.includes(undefined)) return false;
    return removed.some((line) => !comments.some((comment) => comment?.includes(line.trim())));
  });
}

interface Change {
  /** Lines of code that vanish. Comments, brackets and bodies of dots are no code. */
  readonly removed: readonly string[];
  /** The new lines in the same place. */
  readonly added: readonly string[];
}

/**
 * The changes of lines that aren't empty.
 *
 * @param keyOf lines with the same key count as the same
 */
function changesBetween(
  before: readonly string[],
  after: readonly string[],
  keyOf: (line: string) => string = normalizedLine,
): readonly Change[] {
  const isFilled = (line: string): boolean => !isBlank(line);
  const old = before.filter(isFilled);
  const next = after.filter(isFilled);
  return diffLists(old.map(keyOf), next.map(keyOf)).map((hunk) => ({
    removed: old.slice(hunk.before.start, hunk.before.end).filter(isCode),
    added: next.slice(hunk.after.start, hunk.after.end),
  }));
}

function isCode(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && commentIn(line) === undefined && !dotsAsBody.test(line);
}

/** What a line is about, such as the name that it calls or assigns: the same in a changed line. */
function beginning(line: string): string {
  const text = normalizedLine(line);
  return /^[^(={]+/.exec(text)?.[0].trimEnd() ?? text;
}

/** A line without differences in white space. */
export function normalizedLine(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** True if a line is dots alone: code in Python, otherwise a placeholder. */
export function isDots(line: string): boolean {
  return /^\s*(?:\.{3}|…)\s*$/.test(line);
}

/** Characters. Longer comments explain something, and longer lines are data. */
const longestRemark = 120;
const longestLine = 1000;

/**
 * True if a line is a placeholder with dots, in whose place the existing lines can be put:
 * `// ... existing code ...`, or dots alone.
 */
export function isPlaceholder(line: string): boolean {
  const text = line.trim();
  if (text.length > longestRemark) return false;
  const comment = commentIn(text);
  if (comment === undefined) return dotsAndWords.test(text);
  return startsWithDots.test(comment) || (dots.test(comment) && omissionWords.test(comment));
}

const dots = /\.{3}|…/;
const startsWithDots = /^[([<{-]?\s*(?:\.{3}|…)/;

/** Dots alone, or around or before several words, without a comment's signs. `...rest` is code. */
const dotsAndWords =
  /^[([<]?\s*(?:\.{3}|…)(?:[\p{L}\p{N}\s,'’()-]*(?:\.{3}|…)|\s*\p{L}+(?:[\s-]+\p{L}+)+)?\s*[)\]>]?$/u;

/** A body that is only dots: `def f(): ...`, `run() { ... }`. */
const dotsAsBody = /(?:^|:)\s*(?:\.{3}|…)\s*$|\{\s*(?:\.{3}|…)\s*\}[),;]*\s*$/;

/** True if a line has a remark that code is left out. Dots without one may be code. */
function saysOmission(line: string): boolean {
  const text = line.trim();
  if (isPlaceholder(text)) return !isDots(text);
  // Within a longer comment, a line is a part of a sentence.
  if (text.startsWith('*') || text.length > longestLine) return false;
  const remark = commentIn(text) ?? (remarkAtEnd.exec(text) ?? bareRemark.exec(text))?.[1]?.trim();
  if (remark === undefined || remark.length > longestRemark) return false;
  return startsWithDots.test(remark) || omissionWords.test(remark);
}

/** A comment behind code: `render() { /* unchanged *\/ }`, `[ // ... existing items`. */
const remarkAtEnd = /(?:\s\/\/|\s(?:#|--)\s|\/\*|<!--)([^'"`]+)$/;

/** `[unchanged]`, `(rest of the file ...)` */
const bareRemark = /^[[(]([\p{L}\s.…]+)[\])]$/u;

/** Signs that begin a comment. Where code may begin with them too, white space or dots follow. */
const commentStart =
  /^(?:\/\/+|\{?\s*\/\*+|<!--|<%--|\{#|\{\{!(?:--)?|@\*|\(\*|\{-|(?:#+|--+)(?=[\s.…(\p{Lo}]|$)|[;%]+(?=\s|$)|\*(?=[\s/]|$))/u;
const commentEnd = /(?:\*\/\s?\}?|-->|--%>|#\}|(?:--)?\}\}|\*@|\*\)|-\})$/;

/** The text of a line that is only a comment; undefined for any other line. */
function commentIn(line: string): string | undefined {
  const text = line.trim();
  const start = commentStart.exec(text)?.[0];
  if (start === undefined || text.length > longestLine) return undefined;
  const content = text.slice(start.length).replace(commentEnd, '').trim();
  // Code may follow a comment on its line.
  return /\*\/|-->/.test(content) ? undefined : content;
}

/** Words by which a comment says that code stays, or is left out. */
const omissionWords = new RegExp(
  [
    /\b(?:unchanged|untouched|unmodified|unaltered|omitted|elided|truncated|snip(?:ped)?|brevity)\b/,
    /\b(?:remains?|stays?|left|kept|keep|leave|is|are) (?:(?:exactly|all|it|them|this|everything|the) )*(?:same|as[ -]is|as (?:it|they) (?:is|are|was|were)|intact)\b/,
    /\b(?:same|as|like) (?:\w+ )?(?:as )?(?:above|before|previously|earlier)\b|^\W*(?:same|as[ -]is|etc)\W*$|\beverything else\b/,
    /\bno (?:other |further )?changes?\b|\bnot (?:shown|repeated|changed)\b/,
    /\brest of (?:the|your|my|this) (?:\w+ )?(?:code|file|class|function|method|component|module|page|implementation|logic|body)\b/,
    /\b(?:code|logic|implementation|body|content|fields|methods|imports) (?:goes |continues )?here\b|\bcontinues? (?:here|as)\b/,
    // A few words that begin so; longer sentences are about something else.
    /^\W*(?:todo\W+)?(?:(?:all|any|the|your|my|its|of|and|with|keep|include|insert|add|leave|retain|preserve) )*(?:rest|remainder|remaining|existing|previous|original|other|others|more|additional|same)\b(?:\W+\w+){0,5}\W*$/,
    /其余|其他代码|其它代码|剩余|不变|省略|同上|现有|原有|保留|其餘|其他程式碼|不變|現有|剩餘/,
    /変更なし|変更しない|既存|その他の|残り|そのまま|以下同様|同じ/,
    /나머지|동일|생략|기존|그대로|변경 없음/,
    /unverändert|restlich|rest de[rs]\b|bestehend|wie (?:bisher|oben|zuvor|vorher)|ausgelassen|weggelassen/,
    /inchangé|reste d[ue]\b|existant|identique|comme avant|omis\b/,
    /sin cambios|resto de|existente|igual que|omitid|sem alteraç|inalterad|restante/,
    /без изменений|остальн|прежн|существующ|как раньше|опущен|не изменил/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
);
