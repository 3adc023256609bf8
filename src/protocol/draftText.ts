/**
 * The draft while a message is being sent: the message, which may be refused, and the text typed
 * since. The view and the host share these two functions.
 */
export function withUnsent(message: string, typed: string): string {
  return typed === '' ? message : `${message}\n${typed}`;
}

/** The text that remains of a draft after its message was accepted. */
export function withoutSent(draft: string, message: string): string {
  const remaining = draft.startsWith(`${message}\n`) ? draft.slice(message.length + 1) : draft;
  return draft === message ? '' : remaining;
}
