/** A Markdown document with a single diagram, which can't end its code block. */
export function diagramDocument(diagram: string): string {
  const runs = diagram.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}mermaid\n${diagram.replace(/\n$/, '')}\n${fence}\n`;
}

const address =
  /[a-z\d+.-]:\/\/|(?:^|[^:])\/\/\w|\burl\s*\(|@import|<\s*(?:img|image|link|style|svg|iframe)\b|\bimg\s*:|\bdata:/i;

/** True if a preview of the diagram might load an address, which could leak content. */
export function mayLoadAddress(diagram: string): boolean {
  return address.test(diagram);
}
