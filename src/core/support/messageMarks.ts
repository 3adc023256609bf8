const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Characters of a mark. */
const markLength = 3;

/** Stands between two texts of a packaged bundle. */
const separator = '\t';

/**
 * A short mark that identifies a message's translation in a packaged bundle, half of which would
 * otherwise be the English texts.
 *
 * @param salt chosen by the build so that all marks of the product are distinct
 */
export function messageMark(message: string, salt: number): string {
  let hash = salt;
  for (const character of message) hash = Math.imul(hash, 31) + (character.codePointAt(0) ?? 0);
  // The lower bits of a product mix less than the upper ones.
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d) >>> 14;
  return [12, 6, 0].map((shift) => signs.charAt((mixed >>> shift) & 63)).join('');
}

/** The translations of VS Code's display language, by the marks of their messages. */
type Messages = Readonly<Record<string, string | undefined>>;

/** Packs the texts of a bundle into one; a message may have no translation. */
export function packTexts(texts: readonly (string | undefined)[]): string {
  return texts.map((text = '') => text.replaceAll(separator, ' ')).join(separator);
}

/**
 * The texts of a packaged bundle by their marks.
 * @param marks of all messages, one after the other, in the order of the texts
 */
export function unpackTexts(joined: string, marks: string): Messages {
  return Object.fromEntries(
    joined.split(separator).flatMap((text, index) => {
      const mark = marks.slice(index * markLength, (index + 1) * markLength);
      return text === '' ? [] : [[mark, text] as const];
    }),
  );
}

/**
 * The translations that a page uses: most messages are the host's, and a page parses its own each
 * time it is shown.
 *
 * @param marks concatenated marks of the page's messages
 */
export function messagesOf(marks: string, messages: Messages): Messages {
  const used = new Set(marks.match(new RegExp(`.{${markLength}}`, 'g')));
  return Object.fromEntries(Object.entries(messages).filter(([mark]) => used.has(mark)));
}
