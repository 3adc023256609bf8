import * as l10n from '@vscode/l10n';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { oneLine } from '../../core/support/text.ts';

type Kind = 'read' | 'search' | 'edit' | 'run';

const kinds: Readonly<Record<string, Kind>> = {
  read_file: 'read',
  list_files: 'search',
  search_text: 'search',
  find_symbols: 'search',
  find_references: 'search',
  edit_file: 'edit',
  create_file: 'edit',
  run_command: 'run',
};

/** Several calls in one line: `Read 5 files · 2 searches`. A kind that is there once is its title. */
export function toolSummary(calls: readonly ToolCallPart[]): string {
  const byKind = new Map<string, ToolCallPart[]>();
  for (const call of calls) {
    const kind = kindOf(call) ?? `other: ${call.name}`;
    byKind.set(kind, [...(byKind.get(kind) ?? []), call]);
  }
  return [...byKind.values()].map(wordsOf).join(' · ');
}

function kindOf({ name }: ToolCallPart): Kind | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

function wordsOf(calls: readonly ToolCallPart[]): string {
  const [first] = calls;
  if (first === undefined) return '';
  if (calls.length === 1) return toolTitle(first);
  const files = new Set(calls.map(fileOf)).size;
  switch (kindOf(first)) {
    case 'read':
      return files === 1 ? l10n.t('Read 1 file') : l10n.t('Read {0} files', files);
    case 'edit':
      return files === 1 ? l10n.t('Edit 1 file') : l10n.t('Edit {0} files', files);
    case 'search':
      return l10n.t('{0} searches', calls.length);
    case 'run':
      return l10n.t('Run {0} commands', calls.length);
    default:
      return l10n.t('{0} ({1} times)', first.name, calls.length);
  }
}

/** The same file counts once, however many parts of it were read. */
function fileOf({ id, arguments: text }: ToolCallPart): unknown {
  const given = parseJson(text);
  return isObject(given) && typeof given['path'] === 'string' ? given['path'] : { id };
}

/** What a call does, in one line; the tool's name where its request could not be understood. */
export function toolTitle({ name, title = name }: ToolCallPart): string {
  return oneLine(title, Infinity);
}

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
