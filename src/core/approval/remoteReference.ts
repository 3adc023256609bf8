import { renderedWords } from '../edits/notebookText.ts';
import { parseJson } from '../support/json.ts';

/**
 * True if a change adds a reference that an editor fetches automatically when the file is open: a
 * schema of JSON, YAML, TOML or XML, a part of another schema, an import of CSS, or content of a
 * notebook's Markdown cell (threats: T25). False positives are acceptable, since they only cause an
 * approval request.
 */
export function addsRemoteReference(before: string, after: string): boolean {
  const known = new Set(remoteReferences(before));
  return remoteReferences(after).some((reference) => !known.has(reference));
}

/**
 * The paths of schemas and parts of schemas that a change adds, as written and without duplicates.
 * An editor also follows the references in these files. Some may not be paths at all.
 */
export function addedLocalReferences(before: string, after: string): readonly string[] {
  const known = new Set(localReferences(before));
  return localReferences(after).filter((path) => !known.has(path));
}

/** The addresses that an editor fetches automatically while a file with this text is open. */
export function loadedAddresses(text: string): readonly string[] {
  return remoteReferences(text).map((value) => value.match(address)?.[0] ?? value.slice(0, 200));
}

/** All addresses in a text that mentions a schema, in any format. */
export function schemaAddresses(text: string): readonly string[] {
  const plain = decoded(text);
  return keyword.test(plain) ? (plain.match(address) ?? []) : [];
}

/** The text of a file as far as it matters here, in any encoding that VS Code supports. */
export function asciiOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '');
}

/** Fields that contain a schema, or a reference to another document. */
const field = String.raw`(?:\$(?:schema|ref|dynamicRef|recursiveRef)|["']\$id(?=["'])|jsonSchemaDialect|externalValue|operationRef)`;
const included = String.raw`<(?:[\w.-]+:)?(?:include|import|externalRef|override|redefine)\b`;
const rule = '@(?:import|use|forward|plugin)';
const attributes = String.raw`((?:"[^"]*"|'[^']*'|[^>"'])*)`;

/** JSON, YAML, TOML and XML. */
const schemas: readonly RegExp[] = [
  new RegExp(String.raw`${field}["']?\s*:\s*((?:(?!${field})[^\n,}])+)`, 'gi'),
  // Comments that name the schema of a YAML file, and TOML.
  /\$schema["']?\s*=\s*((?:(?!\$schema)[^\n,}])+)/gi,
  /#\s*:schema\b([^\n]*)/gi,
  // After a comment, a YAML tag or a YAML anchor, the address may be anywhere.
  new RegExp(String.raw`${field}["']?\s*(?:[:=]\s*)?(/[/*][^]*)`, 'gi'),
  new RegExp(String.raw`${field}["']?\s*:\s*([#>|!&][^]*)`, 'gi'),
  /(?:schemaLocation|noNamespaceSchemaLocation)\s*=\s*("[^"]*"|'[^']*')/gi,
  new RegExp(`<!(?:DOCTYPE|ENTITY|NOTATION)\\b${attributes}`, 'gi'),
  /<\?xml-(?:model|stylesheet)\b([^>]*)/gi,
  new RegExp(included + attributes, 'gi'),
];

const styles: readonly RegExp[] = [
  new RegExp(String.raw`${rule}\b(\s*(?:url\(\s*)?(?:(?!${rule})[^;\n])*)`, 'gi'),
  new RegExp(String.raw`${rule}\b(\s*/[/*][^]*)`, 'gi'),
];

const anyField = new RegExp(field, 'i');
const keyword = new RegExp(
  String.raw`${field}|:schema|schemaLocation|<!|<\?xml-|${rule}|${included}`,
  'i',
);

/** Anchors, aliases, tags and `?` of YAML: with them a field and its value can be anywhere. */
const indirection = /(?:^|[\s[{,:?-])(?:[&*!][^\s&*!=]|\?\s)/m;
const address = /[/\\]{2}[^\s"'<>]+/g;

/** The values of all references in a text, as it is and with its escapes decoded. */
function valuesIn(text: string, kinds: readonly RegExp[]): readonly string[] {
  return [...new Set([text, decoded(text)])]
    .filter((spelling) => keyword.test(spelling))
    .flatMap((spelling) =>
      kinds.flatMap((kind) =>
        Array.from(spelling.matchAll(kind), ([, value = '']) => value.trim()),
      ),
    );
}

function remoteReferences(text: string): readonly string[] {
  const values = valuesIn(text, [...schemas, ...styles]);
  return [...values, ...scatteredAddresses(text), ...renderedWords(text)].filter(isRemote);
}

/** The addresses in a YAML text where fields and their values may be apart. */
function scatteredAddresses(text: string): readonly string[] {
  const plain = decoded(text);
  const isScattered =
    anyField.test(plain) && indirection.test(plain) && parseJson(text) === undefined;
  return isScattered ? Array.from(plain.matchAll(address), ([match]) => match) : [];
}

/** The schemas of JSON Schema itself: editors include them, so they aren't fetched. */
const wellKnown =
  /^["']?https?:\/\/json-schema\.org\/(?:draft-0[3-7]\/|draft\/(?:2019-09|2020-12)\/)?schema#?["']?$/;
const localFile = /^["']?file:\/\/\/(?!\/)[^"'\s]*["']?$/i;

/** True if a value is an address with a host, with or without a scheme, or could hide one. */
function isRemote(value: string): boolean {
  if (wellKnown.test(value) || localFile.test(value)) return false;
  return /[/\\]\s*[/\\]|&(?:#|\w+;)|^["']?\s*(?:https?|ftp):/i.test(value);
}

/** Limits of a value that is searched for paths: some values extend to the end of the text. */
const maxSearched = { characters: 4096, words: 16 };

function localReferences(text: string): readonly string[] {
  const words = valuesIn(text, schemas).flatMap((value) =>
    value.slice(0, maxSearched.characters).split(/["'\s()<>]+/, maxSearched.words),
  );
  const paths = words
    .map((word) => word.replace(/[#?][^]*$/, '').replace(/^file:\/\/(?=\/)/i, ''))
    .filter(mayBePath);
  return [...new Set(paths)];
}

/** True if a word may be the path of a file: it has an extension or a folder, and no scheme. */
function mayBePath(word: string): boolean {
  return /[./]/.test(word) && /[^./]/.test(word) && !/^[a-z][\w+.-]+:|^[/\\]{2}/i.test(word);
}

const hex = '[0-9a-fA-F]';
const escape = new RegExp(
  String.raw`\\(?:\r?\n[^\S\n]*|x(${hex}{2})|u(${hex}{4})|U(${hex}{8})|(${hex}{1,6})\s?|([^]))`,
  'g',
);

/** Decodes the escapes of JSON, YAML and CSS, which could hide a keyword or an address. */
function decoded(text: string): string {
  if (!text.includes('\\')) return text;
  const decode = (_: string, x?: string, u?: string, wide?: string, css?: string, other = '') => {
    const digits = x ?? u ?? wide ?? css;
    if (digits !== undefined) return character(digits);
    return /[nrt]/.test(other) ? ' ' : other;
  };
  return text.replace(escape, decode);
}

/** A line break in a value doesn't end it. */
function character(digits: string): string {
  const code = Number.parseInt(digits, 16);
  if (code < 0x20) return ' ';
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}
