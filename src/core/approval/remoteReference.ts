/**
 * Whether a change makes a file name something that an editor fetches by itself when the file is
 * open: a schema of JSON, YAML, TOML or XML, or an import of CSS (threats: T25). May say yes where
 * nothing is fetched, since the price is a question.
 */
export function addsRemoteReference(before: string, after: string): boolean {
  const known = new Set(remoteReferences(before));
  return remoteReferences(after).some((reference) => !known.has(reference));
}

const references: readonly RegExp[] = [
  // JSON, YAML, and the comments by which YAML and TOML name their schema.
  /\$schema["']?\s*[:=]\s*((?:(?!\$schema)[^\n,}])+)/gi,
  /#\s*:schema\b([^\n]*)/gi,
  /(?:schemaLocation|noNamespaceSchemaLocation)\s*=\s*("[^"]*"|'[^']*')/gi,
  /<!(?:DOCTYPE|ENTITY)\b([^>]*)/gi,
  /<\?xml-(?:model|stylesheet)\b([^>]*)/gi,
  /@(?:import|use|forward)\b(\s*(?:url\(\s*)?(?:(?!@(?:import|use|forward))[^;\n])*)/gi,
  // Behind a comment, or what YAML has before a value, the address may stand anywhere.
  /\$schema["']?\s*(?:[:=]\s*)?(\/[/*][^]*)/gi,
  /\$schema["']?\s*:\s*([#>|!&][^]*)/gi,
  /@(?:import|use|forward)\b(\s*\/[/*][^]*)/gi,
];

function remoteReferences(text: string): readonly string[] {
  const plain = decoded(text);
  if (!/\$schema|:schema|schemaLocation|<!|<\?xml-|@(?:import|use|forward)/i.test(plain)) return [];
  return references.flatMap((reference) =>
    [...plain.matchAll(reference)].map(([, value = '']) => value.trim()).filter(isRemote),
  );
}

/** An address with a host, also without a scheme, and whatever else could hide one. */
function isRemote(value: string): boolean {
  return (
    /[/\\]\s*[/\\]|&(?:#|\w+;)/.test(value) && !/^["']?file:\/\/\/(?!\/)[^"'\s]*["']?$/i.test(value)
  );
}

/** The text without the escapes of JSON, YAML and CSS that would hide one of the words. */
function decoded(text: string): string {
  if (!text.includes('\\')) return text;
  return text
    .replace(/\\\r?\n[^\S\n]*/g, '')
    .replace(/\\u([0-9a-f]{4})/gi, (_, digits: string) => character(digits))
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, digits: string) => character(digits));
}

function character(digits: string): string {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}
