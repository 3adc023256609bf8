import { isObject, sortKeys, type JsonObject } from '../support/json.ts';
import { truncateText, revealInvisible } from '../support/text.ts';
import { exposedToolPrefix } from './exposedTools.ts';
import type { ToolDefinition } from './tool.ts';

/** All that VS Code tells of a tool of another extension or of an MCP server. */
export interface ExternalTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object | undefined;
  readonly tags: readonly string[];
}

type NameAndSchema = Pick<ExternalTool, 'name' | 'inputSchema'>;

/** Whether a person may tick it (threats: T37). */
export function canBeEnabled({ name, inputSchema }: NameAndSchema): boolean {
  if (name === '' || name.startsWith(exposedToolPrefix) || duplicatesOwnTool(name)) return false;
  return !hidesInNames(inputSchema);
}

/** Names of fields cannot be shown with escapes, as values are: the tool would not know them. */
function hidesInNames(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hidesInNames);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, field]) => revealInvisible(name).count > 0 || hidesInNames(field),
  );
}

/**
 * Tells a tool from every other, and from itself after it described itself differently: its name and
 * a hash of all that is known of it.
 */
export async function toolIdentity(tool: ExternalTool): Promise<string> {
  const { name, description, inputSchema, tags } = tool;
  const text = JSON.stringify(sortKeys([description, inputSchema ?? null, tags]));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `${name}#${[...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The name by which the model calls a tool: its own where services take it and no other tool has it,
 * else one that tells it apart, the same in every request.
 */
export function nameForModel(
  tool: ExternalTool,
  identity: string,
  taken: ReadonlySet<string>,
): string {
  const { name } = tool;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name) && !taken.has(name)) return name;
  const mark = identity.slice(name.length + 1, name.length + 9);
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${mark}`;
}

/** Characters of a description that services take. */
const maxDescriptionLength = 1024;

/** What the model reads of a tool: its owner's words, with what hides in them made visible. */
export function externalToolDefinition(tool: ExternalTool, name: string): ToolDefinition {
  const description = truncateText(revealInvisible(tool.description).text, maxDescriptionLength);
  return { type: 'function', function: { name, description, parameters: parametersOf(tool) } };
}

function parametersOf({ inputSchema }: ExternalTool): JsonObject {
  const schema = revealed(inputSchema);
  const takesObject = isObject(schema) && (schema['type'] ?? 'object') === 'object';
  const fields = takesObject ? schema : {};
  // Some services refuse a schema without these.
  return { ...fields, type: 'object', properties: fields['properties'] ?? {} };
}

function revealed(value: unknown): unknown {
  if (typeof value === 'string') return revealInvisible(value).text;
  if (Array.isArray(value)) return value.map(revealed);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, revealed(field)]));
}

const shell = '(?:power ?shell|pwsh|shell|bash|zsh|sh|cmd)';
const run = '(?:run|exec|execute|start|spawn)';
const change =
  '(?:create|write|edit|modify|update|insert|append|patch|save|put|copy|move|rename|delete|remove)';

/** Names of what runs commands, and of what changes files; each may have other words around it. */
const duplicates = [
  'terminal',
  String.raw`(?<!\b(?:explain|describe|detect|find|get|list) )\b${shell}$`,
  String.raw`\b(?:${shell}|console) ?(?:${run}|command)\b`,
  String.raw`\b${run} ?(?:${shell}|console)\b`,
  String.raw`\b(?:${run}|cli|system|vscode) ?(?:command|process)`,
  String.raw`\brun ?(?:script|task|notebook)`,
  // Where these have a word more, it tells of something else: execute_query.
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
 * Whether a tool of others is called like one that Aside has behind its own gate: a terminal, a
 * command, a change of files. The gate would see nothing of what such a tool does (threats: T37).
 */
function duplicatesOwnTool(name: string): boolean {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return anyDuplicate.test(words.replace(/[^a-z]+/g, ' ').trim());
}
