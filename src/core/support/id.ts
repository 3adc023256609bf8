/** A unique id of a chat, a turn, an attachment, a call or a grant. */
export function newId(): string {
  return crypto.randomUUID();
}

/** Identifies bytes by themselves: their SHA-256 in hexadecimal digits. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
