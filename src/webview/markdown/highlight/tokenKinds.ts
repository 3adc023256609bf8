/** What a piece of code looks like; the style sheet has a colour for each. */
export type TokenKind =
  | 'keyword'
  | 'constant'
  | 'number'
  | 'string'
  | 'comment'
  | 'name'
  | 'type'
  | 'meta'
  | 'inserted'
  | 'deleted';

/**
 * The words that grammars use. Names of variables and functions are plain, like everything that is
 * not here: fewer nodes, and a calmer page.
 */
const kinds: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  tag: 'keyword',
  tagName: 'keyword',
  header: 'keyword',
  heading: 'keyword',
  atom: 'constant',
  bool: 'constant',
  null: 'constant',
  constant: 'constant',
  number: 'number',
  unit: 'number',
  string: 'string',
  link: 'string',
  attributeValue: 'string',
  comment: 'comment',
  attribute: 'name',
  attributeName: 'name',
  type: 'type',
  typeName: 'type',
  className: 'type',
  builtin: 'type',
  standard: 'type',
  meta: 'meta',
  annotation: 'meta',
  processingInstruction: 'meta',
  inserted: 'inserted',
  deleted: 'deleted',
};

const known = new Map<string, TokenKind | undefined>();

/** Reads a grammar's style, for example `string.special` or `variableName.function`. */
export function kindOf(style: string | null | undefined): TokenKind | undefined {
  if (style === null || style === undefined) return undefined;
  if (!known.has(style)) known.set(style, style.split(/[ .]/).map(kindOfWord).find(Boolean));
  return known.get(style);
}

function kindOfWord(word: string): TokenKind | undefined {
  return Object.hasOwn(kinds, word) ? kinds[word] : undefined;
}
