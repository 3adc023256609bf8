/**
 * Whether a change adds a reference that an editor fetches automatically when the file is open: a
 * schema of JSON, YAML, TOML or XML, or an import of CSS (threats: T25). False positives are
 * acceptable, since they only cause an approval request.
 */
export function addsRemoteReference(before: string, after: string): boolean {
  const known = new Set(remoteReferences(before));
  return remoteReferences(after).some((reference) => !known.has(reference));
}

const references: readonly RegExp[] = [
  // JSON, YAML, and the schema comments of YAML and TOML.
  /\$schema["']?\s*[:=]\s*((?:(?!\$schema)[^\n,}])+)/gi,
  /#\s*:schema\b([^\n]*)/gi,
  /(?:schemaLocation|noNamespaceSchemaLocation)\s*=\s*("[^"]*"|'[^']*')/gi,
  /<!(?:DOCTYPE|ENTITY)\b([^>]*)/gi,
  /<\?xml-(?:model|stylesheet)\b([^>]*)/gi,
  /@(?:import|use|forward)\b(\s*(?:url\(\s*)?(?:(?!@(?:import|use|forward))[^;\n])*)/gi,
  // After a comment, a YAML tag or a YAML anchor, the address may be anywhere.
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

/** Whether a value is an address with a host, with or without a scheme, or could hide one. */
function isRemote(value: string): boolean {
  return (
    /[/\\]\s*[/\\]|&(?:#|\w+;)/.test(value) && !/^["']?file:\/\/\/(?!\/)[^"'\s]*["']?$/i.test(value)
  );
}

/** Decodes the escapes of JSON, YAML and CSS, which could hide a keyword. */
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
