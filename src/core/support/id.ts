/** An id that nothing else has: of a chat, a turn, an attachment, a call or a grant. */
export function newId(): string {
  return crypto.randomUUID();
}
