/** Without the spaces at the end that mean nothing in Markdown; others stay in the page. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\r'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
