import type { Tool } from './tool.ts';

/** Begins the names under which Aside's own tools are lent to other chats. */
export const lentPrefix = 'aside_';

/** Aside's tools that other chats of VS Code may call: those that only read. */
export const lentTools = [
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
interface LentDefinition {
  /** As VS Code knows it. */
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The name of a tool for others. */
export function lentName(name: string): string {
  return lentPrefix + name;
}

/** The same words as for our own requests. */
export function lentDefinition({ definition: { function: described } }: Tool): LentDefinition {
  const { name, description, parameters } = described;
  return { name: lentName(name), modelDescription: description, inputSchema: parameters };
}
