const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Characters of a mark. */
const markLength = 4;

/**
 * A short mark of a message, by which a build finds its translation: the English texts would be half
 * of every packaged bundle. No two messages of the product have the same one, which a test checks.
 */
export function messageMark(message: string): string {
  let hash = 0;
  for (const character of message) hash = Math.imul(hash, 31) + (character.codePointAt(0) ?? 0);
  // The lower bits of a product mix less than the upper ones.
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d) >>> 8;
  return [18, 12, 6, 0].map((shift) => signs.charAt((mixed >>> shift) & 63)).join('');
}

/** The translations of VS Code's display language, by the marks of their messages. */
type Messages = Readonly<Record<string, string | undefined>>;

/**
 * The translations that a page uses: most messages are those of the host, and a page is parsed each
 * time that it is shown.
 * @param marks of the messages of the page, one after the other
 */
export function messagesOf(marks: string, messages: Messages): Messages {
  const used = new Set(marks.match(new RegExp(`.{${markLength}}`, 'g')));
  return Object.fromEntries(Object.entries(messages).filter(([mark]) => used.has(mark)));
}
