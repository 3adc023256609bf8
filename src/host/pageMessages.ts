/** The translations of VS Code's display language, by their English text. */
type Messages = Readonly<Record<string, string | undefined>>;

const markLength = 3;

/**
 * A short mark of a message. Two messages may have the same one: a page then gets one it doesn't need.
 * The build imports this too.
 */
export function messageMark(message: string): string {
  let hash = 0;
  for (const character of message) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) | 0;
  return ((hash >>> 0) % 36 ** markLength).toString(36).padStart(markLength, '0');
}

/**
 * The translations that a page uses: most messages are those of the host, and a page is parsed each
 * time that it is shown.
 * @param marks of the messages of the page, one after the other
 */
export function messagesOf(marks: string, messages: Messages): Messages {
  const used = new Set(marks.match(new RegExp(`.{${markLength}}`, 'g')));
  return Object.fromEntries(
    Object.entries(messages).filter(([message]) => used.has(messageMark(message))),
  );
}
