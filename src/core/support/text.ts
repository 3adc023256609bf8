/**
 * The beginning of a text, without half a character at its end: services refuse a request with one
 * half of a pair of UTF-16 units.
 */
export function truncateText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** A fence longer than every run of backticks in the text, which can so not end it. */
export function fenceFor(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
}

/** Text whose invisible characters were made visible, and how many there were. */
export interface RevealedText {
  readonly text: string;
  readonly count: number;
}

/**
 * Everything that a reader does not see but a model reads: controls, formats, fillers, joiners,
 * variation selectors, tags and blank letters; but not the signs around numbers and verses, which
 * are formats that are drawn.
 */
const invisible =
  /(?![\u{600}-\u{605}\u{6dd}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u{2028}\u{2029}\u{2800}\u{16fe4}\u{1d159}]/u;

const emoji = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u{fe0f}?`;

/** The scripts whose letters are joined, or kept apart, by characters that are not seen. */
const joiningScripts =
  'Arabic Syriac Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Mongolian';
const joiningLetter = `[${joiningScripts.replace(/(\w+) ?/g, String.raw`\p{Script=$1}`)}]`;

/** Uses of such characters that carry meaning: emoji sequences, and scripts that join by them. */
const meaningful = [
  '[\t\n\r]',
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  '[0-9#*]\u{fe0f}\u{20e3}',
  `${emoji}(?:\u{200d}${emoji})+`,
  String.raw`\p{Extended_Pictographic}[\u{fe0e}\u{fe0f}]`,
  `(?<=${joiningLetter}\\p{M}*)[\u{200c}\u{200d}](?=[\\p{L}\\p{M}])`,
  // At the end of a Bengali or Malayalam word it makes a letter of its own.
  '(?<=[\u{9cd}\u{d4d}])\u{200d}',
  String.raw`(?<=[\p{Script=Arabic}\p{Script=Hebrew}])[\u{200e}\u{200f}\u{61c}]`,
].join('|');

const either = new RegExp(`(${meaningful})|${invisible.source}`, 'gv');

/**
 * Replaces characters that hide in text by `\u{…}`, so that a person sees what a model would read.
 * Well-formed emoji, and joiners and marks inside scripts that use them, stay.
 */
export function revealInvisible(text: string): RevealedText {
  if (!invisible.test(text)) return { text, count: 0 };
  let count = 0;
  const revealed = text.replace(either, (match: string, kept: string | undefined) => {
    if (kept !== undefined) return match;
    count += 1;
    return `\\u{${(match.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return { text: revealed, count };
}
