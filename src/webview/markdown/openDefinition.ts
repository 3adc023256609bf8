import type { Token } from 'markdown-it';

const label = /^\[[^\][]*\]:\s*$/;
const title = /^(?:"(?:\\[^]|[^"\\])*|'(?:\\[^]|[^'\\])*|\((?:\\[^]|[^()\\])*)\\?$/;

/**
 * Whether the text of a leaf may still become the definition of a link, of which nothing is shown,
 * or the title of the one right above it.
 */
export function mayDefineLink(tokens: readonly Token[], leaf: number): boolean {
  const { content = '', map } = tokens[leaf] ?? {};
  const above = tokens[leaf - 2];
  const isBelow = above?.type === 'reference_definition' && above.map?.[1] === map?.[0];
  return label.test(content) || (isBelow && title.test(content));
}
