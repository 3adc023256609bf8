/**
 * The beginning of a text, without half a character at its end: services refuse a request with one
 * half of a pair of UTF-16 units.
 */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}
