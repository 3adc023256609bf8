import type * as vscode from 'vscode';
import type { Gate } from '../../core/approval/gate.ts';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import { systemClock } from '../../core/support/clock.ts';
import { findToolsName } from '../../core/tools/findTools.ts';
import type { Tool, ToolContext } from '../../core/tools/tool.ts';
import { Toolbox } from '../../core/tools/toolbox.ts';
import type { Editing } from './editing.ts';
import type { CommandTerminals } from './commandTerminals.ts';
import type { FileSearchAt } from '../platform/workspacePlaces.ts';
import type { ReadRepository } from '../platform/git.ts';
import type { HostWindow } from '../platform/window.ts';
import type { ChatTaints } from './toolChats.ts';
import { askUserTool, type OpenQuestions } from './askUser.ts';
import { createFileTool } from './createFile.ts';
import { editFileTool } from './editFile.ts';
import type { EnabledTools } from './enabledTools.ts';
import { ExposedTool } from './exposedCalls.ts';
import { enabledExternalTools } from './externalTools.ts';
import { findReferencesTool } from './findReferences.ts';
import { findSymbolsTool } from './findSymbols.ts';
import { findToolsTool } from './findTools.ts';
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
interface ToolResources {
  readonly gate: Gate;
  readonly editing: Editing;
  readonly searchAt: FileSearchAt;
  readonly readRepository: ReadRepository;
  /** See `runCommandTool`. */
  readonly terminals: CommandTerminals | undefined;
  readonly questions: OpenQuestions;
  readonly onLeftRunning: (context: ToolContext, processes: readonly RunningProcess[]) => void;
}

/** The built-in tools by their names, in the order in which they are sent to the model. */
const toolsByName: Readonly<Record<string, (resources: ToolResources) => Tool>> = {
  read_file: ({ gate }) => readFileTool(gate),
  list_files: ({ gate, searchAt }) => listFilesTool(gate, searchAt),
  search_text: ({ gate, searchAt }) => searchTextTool(gate, searchAt),
  find_symbols: ({ gate }) => findSymbolsTool(gate),
  find_references: ({ gate }) => findReferencesTool(gate),
  get_diagnostics: ({ gate }) => getDiagnosticsTool(gate),
  get_editor_state: ({ gate }) => getEditorStateTool(gate),
  edit_file: ({ editing }) => editFileTool(editing),
  create_file: ({ editing }) => createFileTool(editing),
  rename_symbol: ({ editing }) => renameSymbolTool(editing),
  open_file: ({ gate }) => openFileTool(gate),
  run_command: ({ gate, terminals, onLeftRunning }) =>
    runCommandTool(gate, terminals, onLeftRunning),
  get_changes: ({ gate, readRepository }) => getChangesTool(gate, readRepository),
  ask_user: ({ questions }) => askUserTool(questions),
};

/** The names of the built-in tools, which no other tool may have. */
export const ownToolNames: readonly string[] = [findToolsName, ...Object.keys(toolsByName)];

export function ownTools(resources: ToolResources): readonly Tool[] {
  return Object.values(toolsByName).map((create) => create(resources));
}

/** The tools of a window: which ones a turn gets, and which ones other chats may call. */
export class Tools {
  readonly #window: HostWindow;
  readonly #own: readonly Tool[];
  readonly #gate: Gate;
  readonly #enabled: EnabledTools;
  readonly #taints: ChatTaints;

  constructor(
    window: HostWindow,
    own: readonly Tool[],
    gate: Gate,
    enabled: EnabledTools,
    taints: ChatTaints,
  ) {
    this.#window = window;
    this.#own = own;
    this.#gate = gate;
    this.#enabled = enabled;
    this.#taints = taints;
  }

  /** The available own tools and those of other extensions that the person enabled. */
  async forTurn(): Promise<Toolbox> {
    const external = await enabledExternalTools(
      this.#gate,
      this.#enabled,
      ownToolNames,
      (conversation) => this.#taints.noteExternalCall(conversation),
    );
    const own = this.#own.filter(
      ({ name, problem }) => problem() === undefined && this.#enabled.isOwnEnabled(name),
    );
    return this.#toolbox([...own, ...external]);
  }

  /** One of the tools that other chats may use. */
  exposed(name: string): vscode.LanguageModelTool<unknown> {
    const { settings, log } = this.#window;
    return new ExposedTool(
      name,
      this.#toolbox(this.#own),
      this.#enabled,
      () => settings.current().tools.enabled,
      (line) => log.info(line),
    );
  }

  #toolbox(tools: readonly Tool[]): Toolbox {
    const { redactor, log } = this.#window;
    return new Toolbox(tools, {
      clock: systemClock,
      redactor,
      onError: (tool, error) => log.error(`The tool ${tool}`, error),
      createFinder: findToolsTool,
    });
  }
}
