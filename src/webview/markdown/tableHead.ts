/** A line that is longer is rather text with a bar in it: it may not be kept from the reader. */
const longestHead = 80;

const delimiter = /^[\s|:-]+$/;
const codeOrEscape = /`[^`]*`?|\\./g;
const singleBar = /(?<!\|)\|(?!\|)/;

/** A row of cells is a table only once the line below it says so. */
export function withoutTableHead(text: string): string {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const start = text.lastIndexOf('\n', end - 1) + 1;
  const line = text.slice(start, end);
  if (!line.includes('|') || delimiter.test(line)) return text;
  const above = text.slice(0, start).split('\n').at(-2) ?? '';
  if (line.startsWith('|')) return above.startsWith('|') ? text : text.slice(0, start);
  const cell = above.includes('|') ? undefined : firstCell(line);
  return cell === undefined ? text : text.slice(0, start + cell);
}

/**
 * How long the first cell is where a row begins without a bar. It stays in its place when the table
 * comes, and is shown. Bars in code and double ones are much more often those of a programmer.
 */
function firstCell(line: string): number | undefined {
  if (line.length > longestHead) return undefined;
  const words = line.replaceAll(codeOrEscape, ({ length }) => 'x'.repeat(length));
  return singleBar.exec(words)?.index;
}
