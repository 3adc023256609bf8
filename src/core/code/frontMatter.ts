/** Markdown files with front matter, YAML between two lines of `---`: how it is read, prompts, presets. */
import { Composer, Lexer, Parser } from 'yaml';
import * as z from 'zod/mini';
import { chatModes, type ChatMode } from '../conversation/mode.ts';
import { oneLine } from '../support/text.ts';

/** Characters of front matter, and of a prompt or preset with it. */
const maxFrontMatter = 20_000;
const maxCharacters = 100_000;
/** Words and signs of one text in YAML, its levels, and the uses of its aliases. */
const maxLexemes = 5000;
const maxDepth = 50;
const maxAliases = 50;
/** Keys of front matter that isn't YAML. */
const maxKeys = 100;
/** Names of tools in a preset. */
const maxTools = 200;

export interface FrontMatterFile {
  /** Values by their keys in lower case. Empty and nested values are omitted. */
  readonly fields: FrontMatter;
  /** The text after the front matter, or the whole file. */
  readonly body: string;
}

type FrontMatter = ReadonlyMap<string, Value>;
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
  if (source.length > maxFrontMatter) return { problem: 'too long' };
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
    const read =
      parsed === undefined ? literalOf(value, own.slice(1)) : parsed.get(key.toLowerCase());
    setField(fields, key, read);
  }
  return fields;
}

/**
 * A value that YAML refuses, such as `*.ts` or `Use when: …`: its text without comments, and without
 * quotes around it. Lines that begin with `-`, and items in brackets or quotes, are a list.
 */
function literalOf(first: string, others: readonly string[]): Value {
  const lines = [first, ...others].map((line) => {
    const text = line.trim();
    const comment = /^["']/.test(text) ? -1 : text.search(/(?:^|\s)#/);
    return comment < 0 ? text : text.slice(0, comment).trimEnd();
  });
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

function unquoted(text: string): string {
  return /^(["'])([^]+)\1$/.exec(text)?.[2] ?? text;
}

/** A custom command: a file with a prompt for the model. */
export interface ParsedPromptFile {
  readonly name: string;
  readonly description: string;
  /** Destination of the result: `edit` shows it in the editor, all others in the panel. */
  readonly mode: 'ask' | 'edit' | 'agent';
  readonly model?: string;
  readonly body: string;
}

/**
 * An invalid prompt file and its problem: its `name` can't be typed, its `front matter` is not
 * terminated, or it is `empty`, `too long`, or `not text`.
 */
export interface InvalidPromptFile {
  readonly name: string;
  readonly problem: 'name' | 'front matter' | 'empty' | 'too long' | 'not text';
}

const extension = /(?:\.prompt)?\.md$/i;

/** The name of a command by that of its file. Invisible characters in it can be seen. */
export function promptName(fileName: string): string {
  return oneLine(fileName.replace(extension, '')).replaceAll(' ', '-');
}

/** True if a name can be typed after the slash. */
export function isCommandName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]{0,63}$/u.test(name);
}

/**
 * Parses a `.prompt.md` file: optional front matter, then the prompt. Only
 * `description`, `mode` (or `agent`) and `model` of the front matter are used; other keys are
 * ignored, especially `tools`, since a file must not grant permissions.
 *
 * @param fileName name of the file in its folder
 */
export function parsePromptFile(
  fileName: string,
  text: string,
): ParsedPromptFile | InvalidPromptFile {
  const name = promptName(fileName);
  if (!isCommandName(name)) return { name, problem: 'name' };
  if (text.length > maxCharacters) return { name, problem: 'too long' };
  const parts = readFrontMatter(text);
  if ('problem' in parts) return { name, ...parts };
  const body = parts.body.trim();
  if (body === '') return { name, problem: 'empty' };
  const { fields } = parts;
  const [model = ''] = listOf(fields.get('model'));
  const mode = textOf(fields.get('mode') ?? fields.get('agent'))
    .trim()
    .toLowerCase();
  return {
    name,
    description: oneLine(textOf(fields.get('description'))),
    mode: mode === 'edit' || mode === 'agent' ? mode : 'ask',
    ...(model === '' ? {} : { model }),
    body,
  };
}

/** The content of a preset file. */
export interface ParsedPreset {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
  /** The only tools of its chats; undefined for all that are allowed. */
  readonly tools?: readonly string[];
  readonly mode?: ChatMode;
  readonly options: { readonly [Name in keyof typeof ranges]?: number };
  /** Instructions, possibly empty. */
  readonly body: string;
}

/** The options of a preset, and their valid values. */
const ranges = {
  temperature: z.number().check(z.minimum(0), z.maximum(2)),
  topP: z.number().check(z.minimum(0), z.maximum(1)),
  maxTokens: z.int().check(z.minimum(1)),
} as const;

/**
 * Parses a preset: front matter, then instructions. Its tools only select among allowed ones.
 * Undefined for a file that is too long, or whose front matter is invalid.
 *
 * @param fileName the default name
 */
export function parsePreset(fileName: string, text: string): ParsedPreset | undefined {
  const file = readFrontMatter(text);
  if ('problem' in file || text.length > maxCharacters) return undefined;
  const { fields } = file;
  const [model = ''] = listOf(fields.get('model'));
  const tools = fields.get('tools');
  const writtenMode = textOf(fields.get('mode')).trim().toLowerCase();
  const mode = chatModes.find((known) => known === writtenMode);
  const named = textOf(fields.get('name')).trim();
  const options: { -readonly [Name in keyof typeof ranges]?: number } = {};
  for (const name of ['temperature', 'topP', 'maxTokens'] as const) {
    const written = textOf(fields.get(name.toLowerCase()));
    const { data } = ranges[name].safeParse(written === '' ? undefined : +written);
    if (data !== undefined) options[name] = data;
  }
  return {
    name: oneLine(named === '' ? fileName.replace(/(?:\.agent)?\.md$/, '') : named, 100),
    description: oneLine(textOf(fields.get('description'))),
    ...(model === '' ? {} : { model }),
    ...(tools === undefined ? {} : { tools: listOf(tools).slice(0, maxTools) }),
    ...(mode === undefined ? {} : { mode }),
    options,
    body: file.body.trim(),
  };
}

/** Tools of Claude Code, and those that do the same here. */
const claudeTools: ReadonlyMap<string, string> = new Map([
  ['Read', 'read_file'],
  ['Grep', 'search_text'],
  ['Glob', 'list_files'],
  ['LS', 'list_files'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'edit_file'],
  ['Write', 'create_file'],
  ['Bash', 'run_command'],
  ['AskUserQuestion', 'ask_user'],
]);

/**
 * Parses an agent of Claude Code as a preset. Tools that aren't here are ignored, also where that leaves
 * none; `inherit` is the selected model. Undefined for other files in its folder, such as a README: an
 * agent has a description.
 */
export function parseClaudeAgent(fileName: string, text: string): ParsedPreset | undefined {
  const preset = parsePreset(fileName, text);
  if (preset === undefined || preset.description === '') return undefined;
  const { model = 'inherit', tools = ['*'], ...others } = preset;
  // `Bash(git:*)` is `Bash` with rules of its own.
  const names = tools.map((tool) => claudeTools.get(tool.replace(/\(.*$/s, '').trim()));
  const known = [...new Set(names.filter((name) => name !== undefined))];
  return {
    ...others,
    ...(model === 'inherit' ? {} : { model }),
    ...(tools.includes('*') ? {} : { tools: known }),
  };
}
