/**
 * How this service counts. A token is a run of up to six letters or digits, or up to four other
 * signs, with the blank before it, or up to eight blanks: close to four characters in English text
 * and in code, the same on every machine, and never half a character.
 */
const token = /\s?[\p{L}\p{N}_]{1,6}|\s?[^\p{L}\p{N}_\s]{1,4}|\s{1,8}/gu;

/** The tokens of a text, in order; joined they are the text. */
export function splitTokens(text: string): readonly string[] {
  return text.match(token) ?? [];
}

export function countTokens(text: string): number {
  return splitTokens(text).length;
}
