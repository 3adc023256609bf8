import { hashOf } from '../support/id.ts';
import { isObject, sortKeys } from '../support/json.ts';
import { truncateText, revealInvisible } from '../support/text.ts';
import { exposedToolPrefix } from './exposedTools.ts';
import type { ToolDefinition } from './tool.ts';

/** Maximum number of characters of a description that services accept. */
const maxDescriptionLength = 1024;

/** A tool of another extension or of an MCP server, as VS Code reports it. */
export interface ExternalTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object | undefined;
  readonly tags: readonly string[];
}

type NameAndSchema = Pick<ExternalTool, 'name' | 'inputSchema'>;

/** True if a person can enable the tool (threats: T37). */
export function canBeEnabled(tool: NameAndSchema): boolean {
  return isForeign(tool) && !isTooLarge(tool) && !hidesInNames(tool.inputSchema);
}

/** True for a tool that could be enabled if its schema were smaller. */
export function hasLargeSchema(tool: NameAndSchema): boolean {
  return isForeign(tool) && isTooLarge(tool);
}

function isForeign({ name }: NameAndSchema): boolean {
  return name !== '' && !name.startsWith(exposedToolPrefix) && !duplicatesOwnTool(name);
}

/** Maximum number of characters of a schema, about: every request contains it. */
const maxSchemaLength = 64 * 1024;
/** Maximum nesting of a schema. Services refuse deeper ones, and recursive code can't read them. */
const maxSchemaDepth = 50;

/** Stops at the first part that is too much, so that it takes no longer for larger schemas. */
function isTooLarge({ inputSchema }: NameAndSchema): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [
    { value: inputSchema, depth: 1 },
  ];
  let length = 0;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { value, depth } = part;
    length += typeof value === 'string' ? value.length + 2 : 2;
    if (length > maxSchemaLength || depth > maxSchemaDepth) return true;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, field] of Object.entries(value)) {
      length += isList ? 0 : name.length + 3;
      open.push({ value: field, depth: depth + 1 });
    }
  }
  return false;
}

/**
 * Finds invisible characters in field names. Unlike values, names cannot be escaped, since the tool
 * would not recognize them.
 */
function hidesInNames(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hidesInNames);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, field]) => revealInvisible(name).count > 0 || hidesInNames(field),
  );
}

/**
 * Identifies a tool by its name and a hash of everything else that is known about it, so that a
 * tool whose description changes counts as a different one.
 */
export async function toolIdentity(tool: ExternalTool): Promise<string> {
  const { name, description, inputSchema, tags } = tool;
  const text = JSON.stringify(sortKeys([description, inputSchema ?? null, tags]));
  return `${name}#${await hashOf(new TextEncoder().encode(text))}`;
}

/**
 * The name of a tool for the model: its own if services accept it and it is unique, otherwise one
 * derived from it that is the same in every request.
 */
export function nameForModel(
  tool: ExternalTool,
  identity: string,
  usedNames: ReadonlySet<string>,
): string {
  const { name } = tool;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name) && !usedNames.has(name)) return name;
  const hashPrefix = identity.slice(name.length + 1, name.length + 9);
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${hashPrefix}`;
}

/**
 * The definition of a tool for the model. Invisible characters in its description are made visible.
 */
export function externalToolDefinition(tool: ExternalTool, name: string): ToolDefinition {
  const description = truncateText(revealInvisible(tool.description).text, maxDescriptionLength);
  const schema = revealStrings(tool.inputSchema);
  const isObjectSchema = isObject(schema) && (schema['type'] ?? 'object') === 'object';
  const fields = isObjectSchema ? schema : {};
  // Some services require these fields.
  const parameters = { ...fields, type: 'object', properties: fields['properties'] ?? {} };
  return { type: 'function', function: { name, description, parameters } };
}

function revealStrings(value: unknown): unknown {
  if (typeof value === 'string') return revealInvisible(value).text;
  if (Array.isArray(value)) return value.map(revealStrings);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, revealStrings(field)]),
  );
}

const shell = '(?:power ?shell|pwsh|shell|bash|zsh|sh|cmd)';
const run = '(?:run|exec|execute|start|spawn)';
const change =
  '(?:create|write|edit|modify|update|insert|append|patch|save|put|copy|move|rename|delete|remove)';

/** Names of tools that run commands or change files, possibly with other words around. */
const duplicates = [
  'terminal',
  String.raw`(?<!\b(?:explain|describe|detect|find|get|list) )\b${shell}$`,
  String.raw`\b(?:${shell}|console) ?(?:${run}|command)\b`,
  String.raw`\b${run} ?(?:${shell}|console)\b`,
  String.raw`\b(?:${run}|cli|system|vscode) ?(?:command|process)`,
  String.raw`\brun ?(?:script|task|notebook)`,
  // These have another meaning next to other words, as in execute_query.
  '^(?:execute|(?:mcp .+ )?(?:exec|spawn))$',
  String.raw`\b${change} ?(?:(?:text|existing|new|to|into) ?)?(?:file|directory|folder|notebook)`,
  String.raw`\b(?:file|fs) ?${change}$`,
  String.raw`\b(?:move|rename|delete|remove) ?path`,
  String.raw`\bapply ?(?:diff|patch|edit)|\b(?:insert|multi) ?edit|\bedit ?block`,
  String.raw`\binsert ?(?:text|content)|\b(?:str|multi) ?replace|\breplace ?(?:string|in ?file)`,
  String.raw`\b(?:search|find) ?(?:and ?)?replace|\brename ?symbol|\bnew ?workspace`,
];

const anyDuplicate = new RegExp(duplicates.join('|'));

/**
 * True if an external tool is named like one of Aside's own that the gate guards: a terminal, a
 * command, a file change. The gate could not see what such a tool does (threats: T37).
 */
function duplicatesOwnTool(name: string): boolean {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return anyDuplicate.test(words.replace(/[^a-z]+/g, ' ').trim());
}
