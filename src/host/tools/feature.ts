import * as vscode from 'vscode';
import { findInPlace } from '../../core/approval/approvedPlace.ts';
import { lastTurn } from '../../core/conversation/conversation.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import { titleOf } from '../../core/history/chatTitle.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { anyEvent, disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { findToolsName } from '../../core/tools/findTools.ts';
import type { TurnTools } from '../../core/turn/runTurn.ts';
import { createWindowGate, type WindowGate } from '../approval/windowGate.ts';
import { CallReviews } from '../changes/callReviews.ts';
import { ChangeActions } from '../changes/changeActions.ts';
import { ChangeFiles } from '../changes/changeFiles.ts';
import { Changes } from '../changes/changes.ts';
import { removeExpired } from '../changes/expiredTurns.ts';
import { workspaceTexts } from '../changes/notebookTexts.ts';
import { RestoreActions } from '../changes/restoreActions.ts';
import type { CommandsOf } from '../commands.ts';
import type { Skills } from '../context/skills.ts';
import type { OpenReviews } from '../review/openReviews.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import { CommandTerminals } from '../terminal/commandTerminals.ts';
import { fileSearches } from '../workspace/fileSearches.ts';
import { gitProblem, noRepository } from '../workspace/git.ts';
import { isThereAt, workspaceFolders } from '../workspace/location.ts';
import { readContent } from '../workspace/notebookFiles.ts';
import { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { HostWindow } from '../workspace/window.ts';
import { ChatTaints } from './chatTaints.ts';
import { EnabledTools } from './enabledTools.ts';
import { createExposedTool } from './exposedCalls.ts';
import { enabledExternalTools, extensionVersion } from './externalTools.ts';
import { manageTools } from './manageTools.ts';
import { commandsProblem, ownTools, toolsWithout } from './ownTools.ts';
import { findToolsTool } from './findTools.ts';
import { Toolbox } from '../../core/tools/toolbox.ts';
import type { Tool } from '../../core/tools/tool.ts';
import type { ToolChat, ToolChats } from './toolChats.ts';

export interface ToolNeeds {
  readonly chats: ToolChats;
  readonly reviews: OpenReviews;
  readonly storedChats: () => Promise<readonly string[]>;
  readonly onDidChangeService: Event<unknown>;
  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  readonly skills: Skills;
}

export interface ToolFeature extends Disposable {
  readonly hasGrants: WindowGate['hasGrants'];
  readonly commands: CommandsOf<'tools'>;
  readonly actions: {
    readonly change: ChangeActions['change'];
    /** Ends what the command of a call left running. */
    readonly endProcesses: (turn: string, call: string) => Promise<void>;
    readonly decide: WindowGate['decisions']['decide'];
    readonly review: CallReviews['show'];
  };
  readonly restores: RestoreActions;
  forTurn(): Promise<Pick<TurnTools, 'toolbox' | 'maxRounds'>>;
  toolNames(): Promise<readonly string[]>;
  exposedTool(name: string): vscode.LanguageModelTool<unknown>;
  /** Ends the commands of the model, when the window closes. */
  endCommands(): Promise<void>;
}

export async function createTools(window: HostWindow, needs: ToolNeeds): Promise<ToolFeature> {
  const { context, node, keptFiles, redactor, settings, log } = window;
  const { chats, reviews, storedChats, tokensOf, skills } = needs;
  const documents = new ReadOnlyDocuments('aside-change');
  const review = new ReviewDiff(documents);
  const windowGate = createGate(window, needs, documents, (conversation) =>
    taints.isTainted(conversation),
  );
  const { gate, decisions, grants } = windowGate;
  const callReviews = new CallReviews({ reviews, decisions, clock: systemClock });
  const storage = new ChangeFiles(keptFiles.folder('changes'));
  removeExpired(storage, storedChats, systemClock.wall()).catch((error: unknown) =>
    log.error('Removing old changes', error),
  );
  const machine = node?.machine();
  const changes = new Changes({
    storage,
    texts: workspaceTexts,
    findInPlace(files) {
      const places = { folders: workspaceFolders(), platform: machine?.platform ?? 'linux' };
      return findInPlace(files, places, { view: machine?.view, exists: isThereAt });
    },
    chatOf: (turn) => (chats.ofTurn(turn) ?? chats.focused).conversation.id,
    onError: (error) => log.error('Keeping what a turn changed', error),
  });
  const processes = node?.processesOfTerminals(context);
  const terminals = new CommandTerminals({ clock: systemClock, processes });
  const asideTools = ownTools({
    gate,
    changes,
    files: { readFile: (target) => readContent(target, gate) },
    searchAt: fileSearches(await node?.ripgrep()),
    readRepository: node?.readRepository ?? noRepository,
    terminals,
    clock: systemClock,
    onLeftRunning: ({ turn, call }, left) => chats.ofTurn(turn)?.setLeftRunning(turn, call, left),
  });
  const ownNames = [findToolsName, ...asideTools.map(({ name }) => name)];
  const taints = new ChatTaints(chats, (name) => ownNames.includes(name));
  const enabledTools = new EnabledTools(context.globalState);
  const toolboxOf = (tools: readonly Tool[]): Toolbox =>
    new Toolbox(tools, {
      clock: systemClock,
      redactor,
      onError: (tool, error) => log.error(`The tool ${tool}`, error),
      createFinder: findToolsTool,
    });
  /** Own tools, without those that are unavailable now. */
  const toolsHere = () => {
    const commands = commandsProblem(node !== undefined, workspaceFolders());
    return toolsWithout({ commands, git: gitProblem() }, asideTools);
  };
  /** The available own tools and those of other extensions that the person enabled. */
  const toolboxForTurn = async (): Promise<Toolbox> => {
    const onCall = (conversation: string | undefined): void =>
      taints.noteExternalCall(conversation);
    const external = await enabledExternalTools({ gate, enabledTools, onCall }, ownNames);
    const used = toolsHere().available.filter(({ name }) => enabledTools.isOwnEnabled(name));
    return toolboxOf([...used, ...external]);
  };
  const files = {
    changes,
    texts: workspaceTexts,
    review,
    isTrusted: () => vscode.workspace.isTrusted,
  };
  const actions = new ChangeActions(files);
  const recording = changes.onDidChange(({ turn, changes: ofTurn }) =>
    chats.ofTurn(turn)?.setChanges(turn, ofTurn),
  );
  const recovering = chats.onDidChange(({ chat, change }) => {
    if (change.type === 'replace') background(recoverChanges(changes, chat));
  });
  for (const chat of chats.all) background(recoverChanges(changes, chat));
  const created = [windowGate, callReviews, documents, changes, terminals, taints, recording];
  return {
    hasGrants: windowGate.hasGrants,
    commands: {
      manageTools: () => manageTools({ ...toolsHere(), enabledTools, grants, tokensOf, skills }),
    },
    actions: {
      decide: (turn, call, decision, reason) => decisions.decide(turn, call, decision, reason),
      review: (turn, call, path) => callReviews.show(turn, call, path),
      change: (turn, change, action) => actions.change(turn, change, action),
      async endProcesses(turn, call) {
        const chat = chats.ofTurn(turn);
        const parts = chat && turnOfPath(chat.conversation, turn)?.parts;
        const part = parts?.find((candidate) => 'id' in candidate && candidate.id === call);
        if (chat === undefined || part?.type !== 'tool-call') return;
        await processes?.end(part.leftRunning ?? []);
        chat.setLeftRunning(turn, call, []);
      },
    },
    restores: new RestoreActions(files),
    async forTurn() {
      return { toolbox: await toolboxForTurn(), maxRounds: settings.current().tools.maxRounds };
    },
    toolNames: async () => (await toolboxForTurn()).names,
    exposedTool: (name) =>
      createExposedTool(name, {
        toolbox: toolboxOf(asideTools),
        isEnabled: () => settings.current().tools.enabled,
        isOwnEnabled: (toolName) => enabledTools.isOwnEnabled(toolName),
        log: (line) => log.info(line),
      }),
    endCommands: () => terminals.end(),
    dispose: () => disposeAll([...created, recovering]),
  };
}

/** Only the last turn can have been writing when its window was killed. */
async function recoverChanges(changes: Changes, chat: ToolChat): Promise<void> {
  await chat.restored();
  const turn = lastTurn(chat.conversation);
  if (turn !== undefined && !chat.access.isReadOnly) await changes.recover(turn.id);
}

/** The gate for all effects of tools, with its dialogs. */
function createGate(
  { context, node, settings, log }: HostWindow,
  { chats, onDidChangeService, skills }: ToolNeeds,
  documents: ReadOnlyDocuments,
  tainted: (conversation: string | undefined) => boolean,
): WindowGate {
  const replaced: Event<string> = (listener) =>
    chats.onDidChange(({ chat, change }) => {
      if (change.type === 'replace') listener(chat.conversation.id);
    });
  const closed: Event<string> = (listener) =>
    chats.onDidClose(({ conversation }) => listener(conversation.id));
  return createWindowGate({
    context,
    version: extensionVersion(context),
    clock: systemClock,
    machine: node?.machine(),
    diff: new ReviewDiff(documents),
    documents,
    askAll: () => settings.current().tools.approval === 'askAll',
    tainted,
    isOfSkill: (location) => skills.isOfSkill(location),
    onDidEndChat: anyEvent(replaced, closed),
    onDidChangeService,
    nameOf(conversation) {
      const open = conversation === undefined ? undefined : chats.ofConversation(conversation);
      return open === undefined || chats.all.length === 1 ? '' : titleOf(open.conversation);
    },
    onError: (error) => log.error('Checking whether a tool may run', error),
  });
}
