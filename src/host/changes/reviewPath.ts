/**
 * Kinds of files whose language does nothing but colour them. Those of others look for schemas, or
 * for what a file imports, as soon as it is open, wherever it comes from (threats: T25).
 */
const harmless =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|[ch]|cc|cpp|hpp|cs|rb|php|lua|sh|sql|md|txt)$/i;

/** The path of a document that shows a text of a file and is not that file. */
export function reviewPath(number: number, side: 'before' | 'after', path: string): string {
  const name = path.replaceAll('\\', '/').replace(/^\/+/, '');
  return `/${number}/${side}/${name}${harmless.test(name) ? '' : '.txt'}`;
}
