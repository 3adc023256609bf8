import type { Tool } from './tool.ts';

/** Prefix of the names of Aside's own tools in other chats. */
export const exposedToolPrefix = 'aside_';

/** Aside's tools that other chats in VS Code may call: only read-only ones. */
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

interface ExposedToolDefinition {
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The name under which a tool is exposed. */
export function exposedToolName(name: string): string {
  return exposedToolPrefix + name;
}

/** The contribution of a tool, with the same description as in Aside's own requests. */
export function exposedToolDefinition({
  definition: { function: functionDefinition },
}: Tool): ExposedToolDefinition {
  const { name, description, parameters } = functionDefinition;
  return { name: exposedToolName(name), modelDescription: description, inputSchema: parameters };
}
