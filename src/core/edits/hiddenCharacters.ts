import { revealInvisible } from '../support/invisible.ts';

/** What a character that is not seen was shown as: see `revealInvisible`. */
const escape = /\\u\{([0-9a-f]{1,6})\}/g;

/**
 * Puts invisible characters of a file back into what a model wrote, where it wrote them as they were
 * shown to it (threats: T33). Escapes of characters that the file does not have stay text.
 * @param text the file
 */
export function restoreHidden(written: string, text: string): string {
  return written.replace(escape, (shown, digits: string) => {
    const code = Number.parseInt(digits, 16);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    const isShownSo = character !== '' && revealInvisible(character).text === shown;
    return isShownSo && text.includes(character) ? character : shown;
  });
}
