import type { Tool } from './tool.ts';

/** Begins the names under which Aside's own tools are lent to other chats. */
export const exposedToolPrefix = 'aside_';

/** Aside's tools that other chats of VS Code may call: those that only read. */
export const exposedTools = [
  'read_file',
  'list_files',
  'search_text',
  'find_symbols',
  'find_references',
  'get_diagnostics',
  'get_editor_state',
  'get_changes',
] as const;

/** What `package.json` must say of such a tool for a model. */
interface ExposedToolDefinition {
  /** As VS Code knows it. */
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The name of a tool for others. */
export function exposedToolName(name: string): string {
  return exposedToolPrefix + name;
}

/** The same words as for our own requests. */
export function exposedToolDefinition({
  definition: { function: described },
}: Tool): ExposedToolDefinition {
  const { name, description, parameters } = described;
  return { name: exposedToolName(name), modelDescription: description, inputSchema: parameters };
}
