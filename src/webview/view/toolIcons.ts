const icons: Readonly<Record<string, string>> = {
  read_file: 'file',
  list_files: 'list-tree',
  search_text: 'search',
  find_symbols: 'symbol-method',
  find_references: 'references',
  get_diagnostics: 'checklist',
  get_editor_state: 'window',
  get_changes: 'diff',
  edit_file: 'edit',
  create_file: 'new-file',
  rename_symbol: 'replace-all',
  open_file: 'go-to-file',
  run_command: 'terminal',
};

/** The codicon of what a tool does. */
export function iconOfTool(name: string): string {
  return Object.hasOwn(icons, name) ? (icons[name] ?? 'tools') : 'tools';
}
