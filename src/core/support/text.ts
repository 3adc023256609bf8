/** Maximum number of characters of a request, beyond any conversation: it can't keep a window busy. */
export const maxRequestCharacters = 32_000_000;

/**
 * The beginning of a text, without half a surrogate pair at its end: services refuse a request with
 * a lone surrogate.
 */
export function truncateText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** Characters after a cut that decide whether it is inside a grapheme. */
const maxGrapheme = 64;

/** The beginning of a text, without half a grapheme (emoji, letter with marks) at its end. */
export function truncateGraphemes(text: string, most: number): string {
  if (text.length <= most) return text;
  const segments = new Intl.Segmenter().segment(text.slice(0, most + maxGrapheme));
  const start = segments.containing(most)?.index ?? most;
  return start > most - maxGrapheme ? text.slice(0, start) : truncateText(text, most);
}

/** A fence longer than every run of backticks in the text, which therefore can't end the block. */
export function fenceFor(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
}

/** Code in a fenced block that the code cannot end. */
export function fencedCode(code: string, language = ''): string {
  const fence = fenceFor(code);
  return `${fence}${language}\n${code}\n${fence}`;
}

/** Blank characters of other categories than controls, formats and separators. */
const blank = String.raw`\p{Default_Ignorable_Code_Point}\u{2800}\u{16fe4}\u{1d159}`;

/** Characters that people do not see but models read, for use inside a character class. */
const unseen = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}${blank}`;

/** Text whose invisible characters were made visible, and how many there were. */
export interface RevealedText {
  readonly text: string;
  readonly count: number;
}

/** Format characters that are drawn: the signs around numbers and verses. */
const numberSign = String.raw`[\u{600}-\u{605}\u{6dd}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}]`;
const invisible = new RegExp(`(?!${numberSign})[${unseen}]`, 'u');

const emoji = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u{fe0f}?`;

/** Scripts whose letters are joined, or kept apart, by invisible characters. */
const joiningScripts =
  'Arabic Syriac Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Mongolian';
const joiningLetter = `[${joiningScripts.replace(/(\w+) ?/g, String.raw`\p{Script=$1}`)}]`;

/** Meaningful uses of invisible characters: emoji sequences, and joiners in these scripts. */
const meaningful = [
  '[\t\n\r]',
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  '[0-9#*]\u{fe0f}\u{20e3}',
  `${emoji}(?:\u{200d}${emoji})+`,
  String.raw`\p{Extended_Pictographic}[\u{fe0e}\u{fe0f}]`,
  `(?<=${joiningLetter}\\p{M}*)[\u{200c}\u{200d}](?=[\\p{L}\\p{M}])`,
  // At the end of a Bengali or Malayalam word, the joiner makes a different letter.
  '(?<=[\u{9cd}\u{d4d}])\u{200d}',
  String.raw`(?<=[\p{Script=Arabic}\p{Script=Hebrew}])[\u{200e}\u{200f}\u{61c}]`,
].join('|');

const meaningfulOrInvisible = new RegExp(`(${meaningful})|${invisible.source}`, 'gv');

/**
 * Replaces invisible characters by `\u{…}`, so that a person sees what a model would read.
 * Well-formed emoji, and joiners and marks in scripts that use them, are unchanged.
 */
export function revealInvisible(text: string): RevealedText {
  if (!invisible.test(text)) return { text, count: 0 };
  let count = 0;
  const revealed = text.replace(
    meaningfulOrInvisible,
    (match: string, allowed: string | undefined) => {
      if (allowed !== undefined) return match;
      count += 1;
      return escape(match);
    },
  );
  return { text: revealed, count };
}

/**
 * A name, or a message, on one line, with invisible characters made visible.
 * @param most maximum number of characters (UTF-16 units), after which `…` follows
 */
export function oneLine(text: string, most = 500): string {
  const line = revealInvisible(text).text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${truncateGraphemes(line, most)}…` : line;
}

/** A path on one line: a name with a line end in it must not pass for two paths (threats: T34). */
export function pathLine(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escape);
}

/** One line for a quotation in a message: controls, formats and line ends become spaces. */
export function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
}

const unseenInJson = new RegExp(String.raw`(?!\n)[${unseen}]`, 'gu');

/**
 * Writes every invisible character in a JSON text as a JSON escape, which doesn't change its value.
 */
export function escapeJson(json: string): string {
  return json.replace(unseenInJson, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16);
      return `\\u${code.padStart(4, '0')}`;
    }).join(''),
  );
}

/**
 * Characters that a dialog does not show as they are: invisible and unassigned ones, except for the
 * line end; spaces other than the plain one; marks without a letter, or more than three of them.
 */
const misleading = new RegExp(
  String.raw`[^\P{C}\n]|[^\P{Z} ]|[${blank}]|(?<=^|\n)\p{M}|(?<=\p{M}{3})\p{M}`,
  'gu',
);

/**
 * The text of an approval, with every character as `\u{…}` that a person could not see or could
 * mistake for another. Stricter than `revealInvisible`: it also escapes emoji sequences and
 * joiners, and letters of other scripts inside Latin words.
 */
export function visibleText(text: string): string {
  const words = text.replace(/[\p{L}\p{M}\p{N}]+/gu, (word) =>
    /[A-Za-z]/.test(word) ? word.replace(/[\p{L}\p{N}]/gu, escapeOtherScripts) : word,
  );
  return words.replace(misleading, escape);
}

/** {@link visibleText} on one line, for a name in a dialog. */
export function visibleName(name: string): string {
  return visibleText(name).replaceAll('\n', () => escape('\n'));
}

function escapeOtherScripts(character: string): string {
  return /[\p{Script=Latin}0-9]/u.test(character) && character.normalize('NFKC') === character
    ? character
    : escape(character);
}

function escape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The words of some texts, in which single spaces separate them. */
export function wordSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(' ')));
}

/** The last name of a path, or of an id with slashes; empty if it ends with one. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The lines of a text, without their ends; the last one is empty if the text ends with a line end. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

/** A text without these characters at its end. Takes time in proportion to them. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The usual prime of {@link fnvHash}. */
export const fnvPrime = 0x01_00_01_93;

/** A hash of 32 bits, FNV-1a. Another odd number as its prime gives another hash. */
export function fnvHash(text: string, prime = fnvPrime): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), prime);
  return hash;
}
