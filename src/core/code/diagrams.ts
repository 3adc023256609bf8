/** A Markdown document with nothing but a diagram: whatever is in it, it cannot end its block. */
export function diagramDocument(diagram: string): string {
  const runs = diagram.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}mermaid\n${diagram.replace(/\n$/, '')}\n${fence}\n`;
}

const address =
  /[a-z\d+.-]:\/\/|(?:^|[^:])\/\/\w|\burl\s*\(|@import|<\s*(?:img|image|link|style|svg|iframe)\b|\bimg\s*:|\bdata:/i;

/** True if a preview of the diagram might load something: an address could hold what was read. */
export function mayLoadAddress(diagram: string): boolean {
  return address.test(diagram);
}
