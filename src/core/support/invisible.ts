/** Text whose invisible characters were made visible, and how many there were. */
export interface RevealedText {
  readonly text: string;
  readonly count: number;
}

/**
 * Everything that a reader does not see but a model reads: controls except tab and line ends, soft
 * hyphens, fillers, zero-width and bidi characters, variation selectors, tags.
 */
const invisible =
  /[\p{Cc}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{fe00}-\u{fe0f}\u{feff}\u{ffa0}\u{fff9}-\u{fffb}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

const emoji = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u{fe0f}?`;
const joiningLetter = String.raw`[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]`;

/** Uses of such characters that carry meaning: emoji sequences, and scripts that join by them. */
const meaningful = [
  String.raw`[\t\n\r]`,
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  String.raw`[0-9#*]\u{fe0f}\u{20e3}`,
  `${emoji}(?:\\u{200d}${emoji})+`,
  String.raw`\p{Extended_Pictographic}[\u{fe0e}\u{fe0f}]`,
  `(?<=${joiningLetter}\\p{M}*)[\\u{200c}\\u{200d}](?=\\p{L})`,
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
