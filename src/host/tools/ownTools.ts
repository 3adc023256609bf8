import type { Gate } from '../../core/approval/gate.ts';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Tool, ToolContext } from '../../core/tools/tool.ts';
import type { Editing } from '../changes/editing.ts';
import type { CommandTerminals } from '../terminal/commandTerminals.ts';
import type { FileSearchAt } from '../workspace/fileSearches.ts';
import type { ReadRepository } from '../workspace/gitExtension.ts';
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
import { runCommandTool } from './runCommand.ts';
import { searchTextTool } from './searchText.ts';

/** What the built-in tools work with. */
export interface ToolResources {
  readonly gate: Gate;
  readonly editing: Editing;
  readonly searchAt: FileSearchAt;
  readonly readRepository: ReadRepository;
  readonly clock: Clock;
  /** See `runCommandTool`. */
  readonly terminals: CommandTerminals | undefined;
  readonly onLeftRunning: (context: ToolContext, processes: readonly RunningProcess[]) => void;
}

/** The built-in tools, in the order in which they are sent to the model. */
export function ownTools({
  gate,
  editing,
  searchAt,
  readRepository,
  clock,
  terminals,
  onLeftRunning,
}: ToolResources): readonly Tool[] {
  return [
    readFileTool(gate),
    listFilesTool(gate, searchAt),
    searchTextTool(gate, searchAt),
    findSymbolsTool(gate),
    findReferencesTool(gate),
    getDiagnosticsTool(gate),
    getEditorStateTool(gate),
    editFileTool(editing),
    createFileTool(editing),
    renameSymbolTool(editing),
    openFileTool(gate),
    runCommandTool(gate, terminals, clock, onLeftRunning),
    getChangesTool(gate, readRepository),
  ];
}
