/** Where the line of an offset begins: at 0 too, before which a search backwards would not end. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}
