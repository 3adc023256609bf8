/** The lines by which requests list skills. */
import { oneLine, truncateGraphemes } from '../support/text.ts';
import type { InstructionFile } from './messagePieces.ts';

/** The most skills that requests list, and tokens of each in them. */
export const mostListedSkills = 50;
export const mostSkillTokens = 60;

/** How a request lists a skill, in at most {@link mostSkillTokens} tokens with the empty line after it. */
export function listedSkill(
  path: string,
  description: string,
): InstructionFile & { readonly isCut: boolean } {
  const whole = `- ${oneLine(path, Infinity)}: ${description}`;
  let [tokens, length] = [2, 0];
  for (const [piece] of whole.matchAll(pieces)) {
    tokens += tokensOfPiece(piece);
    if (tokens > mostSkillTokens) break;
    length += piece.length;
  }
  const isCut = length < whole.length;
  return { path, text: isCut ? `${truncateGraphemes(whole, length).trimEnd()}…` : whole, isCut };
}

const pieces = /[a-z]{1,20}|\d{1,2}|[^]/giu;
/** Words that no language has: tokenizers split them into pairs of letters. */
const unusual = /[^aeiouy]{4}|[jqxz][^aeiouy]|[A-Z]{3}|[a-z][A-Z]/;

/** Tokens of a word, a number or a character, rather too many: tokenizers differ. */
function tokensOfPiece(piece: string): number {
  if (/^[a-z]/i.test(piece))
    return Math.max(1, piece.length / (unusual.test(piece) ? 1.7 : 5) + 0.3);
  const code = piece.codePointAt(0) ?? 0;
  if (piece === ' ') return 0;
  if (code < 0x80) return piece === ',' ? 1 : 0.8;
  return code < 0x600 && !/\p{M}/u.test(piece) ? 0.6 : code < 0x10000 ? 1.6 : 3;
}
