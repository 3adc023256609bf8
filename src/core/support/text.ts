/**
 * Truncates a text without splitting a surrogate pair, since services refuse requests with a lone
 * surrogate.
 *
 * @param most length in UTF-16 units
 */
export function truncateText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/**
 * Returns a Markdown code fence that is longer than every run of backticks in the text, so that the
 * text cannot close it.
 */
export function fenceFor(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  return '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
}

/** Text with its invisible characters made visible, and how many there were. */
export interface RevealedText {
  readonly text: string;
  readonly count: number;
}

/**
 * Characters that a person does not see but a model reads: control and format characters, fillers,
 * joiners, variation selectors, tags and blank letters. Format characters that are drawn, such as
 * number and verse signs, are excluded.
 */
const invisible =
  /(?![\u{600}-\u{605}\u{6dd}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u{2028}\u{2029}\u{2800}\u{16fe4}\u{1d159}]/u;

const emoji = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u{fe0f}?`;

/** Scripts in which invisible joiners and non-joiners affect how letters are drawn. */
const joiningScripts =
  'Arabic Syriac Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Mongolian';
const joiningLetter = `[${joiningScripts.replace(/(\w+) ?/g, String.raw`\p{Script=$1}`)}]`;

/**
 * Legitimate uses of invisible characters: line breaks, emoji sequences, and joiners and marks
 * within the scripts that need them.
 */
const meaningful = [
  '[\t\n\r]',
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  '[0-9#*]\u{fe0f}\u{20e3}',
  `${emoji}(?:\u{200d}${emoji})+`,
  String.raw`\p{Extended_Pictographic}[\u{fe0e}\u{fe0f}]`,
  `(?<=${joiningLetter}\\p{M}*)[\u{200c}\u{200d}](?=[\\p{L}\\p{M}])`,
  // At the end of a Bengali or Malayalam word, the joiner forms a separate letter.
  '(?<=[\u{9cd}\u{d4d}])\u{200d}',
  String.raw`(?<=[\p{Script=Arabic}\p{Script=Hebrew}])[\u{200e}\u{200f}\u{61c}]`,
].join('|');

const either = new RegExp(`(${meaningful})|${invisible.source}`, 'gv');

/**
 * Replaces invisible characters by `\u{…}`, so that a person sees what a model would read.
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
