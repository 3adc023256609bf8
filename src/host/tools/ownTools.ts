import * as vscode from 'vscode';
import type { Gate } from '../../core/approval/gate.ts';
import type { Tool } from '../../core/tools/tool.ts';
import type { WorkspaceFolder } from '../../core/workspace/places.ts';
import type { EditingOptions } from '../changes/editing.ts';
import type { FileSearchAt } from '../workspace/workspacePlaces.ts';
import type { ReadRepository } from '../workspace/git.ts';
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

/** The built-in tools, in the order in which they are sent to the model. */
export function ownTools(options: OwnToolsOptions): readonly Tool[] {
  return [
    readFileTool(options),
    listFilesTool(options),
    searchTextTool(options),
    findSymbolsTool(options),
    findReferencesTool(options),
    getDiagnosticsTool(options),
    getEditorStateTool(options),
    editFileTool(options),
    createFileTool(options),
    renameSymbolTool(options),
    openFileTool(options),
    runCommandTool(options),
    getChangesTool(options),
  ];
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
