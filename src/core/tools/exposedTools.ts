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

/** The name under which a tool is exposed. */
export function exposedToolName(name: string): string {
  return exposedToolPrefix + name;
}
