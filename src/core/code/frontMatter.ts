/** The front matter of Markdown files: YAML between two lines of `---`. */
import { Composer, Lexer, Parser } from 'yaml';
import * as z from 'zod/mini';

/** Characters of front matter. */
const maxCharacters = 20_000;
/** Words and signs of one text in YAML, its levels, and the uses of its aliases. */
const maxLexemes = 5000;
const maxDepth = 50;
const maxAliases = 50;
/** Keys of front matter that isn't YAML. */
const maxKeys = 100;

export interface FrontMatterFile {
  /** Values by their keys in lower case. Empty and nested values are omitted. */
  readonly fields: FrontMatter;
  /** The text after the front matter, or the whole file. */
  readonly body: string;
}

export type FrontMatter = ReadonlyMap<string, Value>;
type Value = string | readonly unknown[];

const valueSchema = z.union([z.string(), z.array(z.unknown())]);
const mapSchema = z.map(z.string(), z.unknown());

/**
 * Reads the front matter of a file. Many public files have some that isn't YAML, so there is a second
 * reading: the keys at the beginning of a line are read one by one, and a value that YAML refuses is
 * its literal text.
 *
 * @returns the problem of front matter that is not terminated, or too long
 */
export function readFrontMatter(
  text: string,
): FrontMatterFile | { readonly problem: 'front matter' | 'too long' } {
  const whole = text.replace(/^\ufeff/, '');
  const [first = '', ...lines] = whole.split(/\r?\n/);
  if (first.trimEnd() !== '---') return { fields: new Map(), body: whole };
  const end = lines.findIndex((line) => line.trimEnd() === '---');
  if (end < 0) return { problem: 'front matter' };
  const front = lines.slice(0, end);
  const source = front.join('\n');
  if (source.length > maxCharacters) return { problem: 'too long' };
  const fields = parseYaml(source) ?? fieldsOf(front);
  return { fields, body: lines.slice(end + 1).join('\n') };
}

/** The text of a value; empty if there is none. */
export function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : listOf(value).join(', ');
}

/** The items of a list, or of a text with commas between them: `one, two`. */
export function listOf(value: Value | undefined): readonly string[] {
  if (typeof value === 'string') return splitList(value);
  return (value ?? []).filter((item) => typeof item === 'string');
}

/** Splits a text at its commas, except those in brackets: `*.{ts,tsx}` is one item. */
export function splitList(text: string): readonly string[] {
  const items = [''];
  let depth = 0;
  for (const character of text) {
    if ('[{('.includes(character)) depth++;
    else if (depth > 0 && ']})'.includes(character)) depth--;
    if (character === ',' && depth === 0) items.push('');
    else items.push(`${items.pop() ?? ''}${character}`);
  }
  return items.map((item) => unquoted(item.trim())).filter((item) => item !== '');
}

/** The values of a text in YAML 1.2; undefined if YAML refuses it, or it isn't a map. */
function parseYaml(source: string): FrontMatter | undefined {
  const map = mapSchema.safeParse(yamlValue(source)).data;
  if (map === undefined) return undefined;
  const fields = new Map<string, Value>();
  for (const [key, value] of map) setField(fields, key, valueSchema.safeParse(value).data);
  return fields;
}

/** Of several values of a key, the last one counts, even if it is empty. */
function setField(fields: Map<string, Value>, key: string, value: Value | undefined): void {
  fields.delete(key.toLowerCase());
  if (value !== undefined && value !== '') fields.set(key.toLowerCase(), value);
}

/**
 * The content of a YAML document, with maps as `Map`, and scalars as text or null. Undefined if it is
 * invalid, has tags, or exceeds a limit.
 */
function yamlValue(source: string): unknown {
  const parser = new Parser();
  const tokens = [];
  let lexemes = 0;
  // All that comes later recurses, and a stack that overflows in it may end the process.
  for (const lexeme of new Lexer().lex(source)) {
    tokens.push(...parser.next(lexeme));
    if (++lexemes > maxLexemes || parser.stack.length > maxDepth) return undefined;
  }
  tokens.push(...parser.end());
  const composer = new Composer({
    schema: 'failsafe',
    customTags: (tags) => [...tags, 'null'],
    uniqueKeys: false,
  });
  const [document, ...others] = composer.compose(tokens);
  if (document === undefined || others.length > 0 || document.errors.length > 0) return undefined;
  if (document.warnings.some(({ code }) => code === 'TAG_RESOLVE_FAILED')) return undefined;
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: maxAliases });
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** Reads keys at the beginning of a line one by one. Other lines belong to the key before them. */
function fieldsOf(lines: readonly string[]): FrontMatter {
  const entries: { readonly key: string; readonly value: string; readonly lines: string[] }[] = [];
  for (const line of lines) {
    const [, , key, value = ''] =
      /^(["']?)([A-Za-z][\w-]*)\1[ \t]*:(?!\/\/)([^]*)$/.exec(line) ?? [];
    if (key !== undefined) entries.push({ key, value, lines: [line] });
    else if (!line.startsWith('#')) entries.at(-1)?.lines.push(line);
  }
  const fields = new Map<string, Value>();
  for (const { key, value, lines: own } of entries.slice(0, maxKeys)) {
    const parsed = parseYaml(own.join('\n'));
    const literal = (): Value => literalOf(value, own.slice(1));
    setField(fields, key, parsed === undefined ? literal() : parsed.get(key.toLowerCase()));
  }
  return fields;
}

/**
 * A value that YAML refuses, such as `*.ts` or `Use when: …`: its text without comments, and without
 * quotes around it. Lines that begin with `-`, and items in brackets or quotes, are a list.
 */
function literalOf(first: string, others: readonly string[]): Value {
  const lines = [first, ...others].map((line) => withoutComment(line.trim()));
  const text = lines.filter(Boolean).join(' ');
  if (lines[0] === '' && others.every((line) => /^\s*(?:-\s|-?$)/.test(line)))
    return lines
      .filter((line) => line.startsWith('-'))
      .map((line) => unquoted(line.slice(1).trim()));
  const inside = /^\[([^[\]]*)\]$/.exec(text)?.[1];
  if (inside !== undefined || quotedItems.test(text)) return splitList(inside ?? text);
  return unquoted(text.replace(/^[>|][-+\d]*(?= )/, '').trim());
}

const quotedItems = /^(?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))+$/;

function withoutComment(text: string): string {
  const comment = /^["']/.test(text) ? -1 : text.search(/(?:^|\s)#/);
  return comment < 0 ? text : text.slice(0, comment).trimEnd();
}

function unquoted(text: string): string {
  return /^(["'])([^]+)\1$/.exec(text)?.[2] ?? text;
}
