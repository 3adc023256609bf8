import * as vscode from 'vscode';
import type { Gate } from '../../core/approval/gate.ts';
import { findToolsName } from '../../core/tools/findTools.ts';
import type { Tool } from '../../core/tools/tool.ts';
import type { WorkspaceFolder } from '../../core/workspace/places.ts';
import type { EditingOptions } from '../changes/editing.ts';
import type { FileSearchAt } from '../workspace/fileSearches.ts';
import type { ReadRepository } from '../workspace/gitExtension.ts';
import type { UnavailableTool } from './manageItems.ts';
import { createFileTool } from './createFile.ts';
import { editFileTool } from './editFile.ts';
import { findReferencesTool } from './findReferences.ts';
import { findSymbolsTool } from './findSymbols.ts';
import { getChangesTool } from './getChanges.ts';
import { getDiagnosticsTool } from './getDiagnostics.ts';
import { getEditorStateTool } from './getEditorState.ts';
import { listFilesTool } from './listFiles.ts';
import { openFileTool } from './openFile.ts';
import { readFileTool } from './readFile.ts';
import { renameSymbolTool } from './renameSymbol.ts';
import { type RunCommandOptions, runCommandTool } from './runCommand.ts';
import { searchTextTool } from './searchText.ts';

export interface OwnToolsOptions extends EditingOptions, RunCommandOptions {
  readonly gate: Gate;
  readonly searchAt: FileSearchAt;
  readonly readRepository: ReadRepository;
}

/**
 * The reason why commands can't run in this window; undefined if they can. They run in folders on
 * the disk, whose links Aside follows before it asks.
 */
export function commandsProblem(
  hasNode: boolean,
  folders: readonly WorkspaceFolder[],
): string | undefined {
  if (!hasNode) return vscode.l10n.t('Commands need VS Code on the desktop or in a remote window.');
  const isVirtual =
    folders.length > 0 && folders.every(({ location }) => location.scheme !== 'file');
  return isVirtual
    ? vscode.l10n.t('Commands need a folder on a disk, not a virtual workspace.')
    : undefined;
}

/** The built-in tools by their names, in the order in which they are sent to the model. */
const toolsByName: Readonly<Record<string, (options: OwnToolsOptions) => Tool>> = {
  read_file: readFileTool,
  list_files: listFilesTool,
  search_text: searchTextTool,
  find_symbols: findSymbolsTool,
  find_references: findReferencesTool,
  get_diagnostics: getDiagnosticsTool,
  get_editor_state: getEditorStateTool,
  edit_file: editFileTool,
  create_file: createFileTool,
  rename_symbol: renameSymbolTool,
  open_file: openFileTool,
  run_command: runCommandTool,
  get_changes: getChangesTool,
};

/** The names of the built-in tools, which no other tool may have. */
export const ownToolNames: readonly string[] = [findToolsName, ...Object.keys(toolsByName)];

export function ownTools(options: OwnToolsOptions): readonly Tool[] {
  return Object.values(toolsByName).map((create) => create(options));
}

/** Reasons why tools are unavailable in this window; undefined if they aren't. */
interface ToolProblems {
  readonly commands: string | undefined;
  readonly git: string | undefined;
}

interface ToolsHere {
  readonly available: readonly Tool[];
  readonly unavailable: readonly UnavailableTool[];
}

/** Tools without those that have a problem. */
export function toolsWithout(problems: ToolProblems, tools: readonly Tool[]): ToolsHere {
  const problemOf = ({ category, name }: Tool): string | undefined => {
    if (category === 'run') return problems.commands;
    return name === 'get_changes' ? problems.git : undefined;
  };
  return {
    available: tools.filter((tool) => problemOf(tool) === undefined),
    unavailable: tools.flatMap((tool) => {
      const reason = problemOf(tool);
      return reason === undefined ? [] : [{ label: tool.label, reason }];
    }),
  };
}
