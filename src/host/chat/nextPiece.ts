/**
 * The name of the piece that comes after these. It has a tag of its writer, since another window may
 * take the same number at the same moment, and no piece may ever be written over.
 */
export function nextPiece(names: readonly string[], writer: string): string {
  const numbers = names.map((name) => Number.parseInt(name, 10)).filter(Number.isFinite);
  const next = Math.max(-1, ...numbers) + 1;
  return `${String(next).padStart(8, '0')}-${writer}.jsonl`;
}
