/**
 * What a query looks for: its words in any case, with any white space between them. Undefined where
 * it has none. Both ends use it, so that what one counts is what the other shows.
 */
export function findPattern(query: string): RegExp | undefined {
  const words = query.trim().split(/\s+/u);
  if (words[0] === '') return undefined;
  return new RegExp(words.map(escapePattern).join('\\s+'), 'giu');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, '\\$&');
}
