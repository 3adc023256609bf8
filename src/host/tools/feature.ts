import * as vscode from 'vscode';
import { findInPlace } from '../../core/approval/approvedPlace.ts';
import { titleOf } from '../../core/history/chatTitle.ts';
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
import { noRepository } from '../workspace/git.ts';
import { isThereAt, workspaceFolders } from '../workspace/location.ts';
import { readContent } from '../workspace/notebookFiles.ts';
import { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';
import type { HostWindow } from '../workspace/window.ts';
import { ChatTaints } from './chatTaints.ts';
import { EnabledTools } from './enabledTools.ts';
import { createExposedTool } from './exposedCalls.ts';
import { extensionVersion } from './externalTools.ts';
import { manageTools } from './manageTools.ts';
import { ownTools } from './ownTools.ts';
import type { ToolChats } from './toolChats.ts';
import { WindowToolboxes } from './windowToolboxes.ts';

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
  readonly actions: ToolCallActions;
  readonly restores: RestoreActions;
  forTurn(): Promise<Omit<TurnTools, 'resumed'>>;
  toolNames(): Promise<readonly string[]>;
  exposedTool(name: string): vscode.LanguageModelTool<unknown>;
}

interface ToolCallActions {
  readonly change: ChangeActions['change'];
  readonly decide: WindowGate['decisions']['decide'];
  readonly review: CallReviews['show'];
}

export async function createTools(window: HostWindow, needs: ToolNeeds): Promise<ToolFeature> {
  const { context, node, settings, log } = window;
  const { chats, reviews, tokensOf, skills } = needs;
  const documents = new ReadOnlyDocuments('aside-change');
  const review = new ReviewDiff(documents);
  const windowGate = createGate(window, needs, {
    documents,
    tainted: (conversation) => taints.isTainted(conversation),
  });
  const { gate, decisions, grants } = windowGate;
  const callReviews = new CallReviews({ reviews, decisions, clock: systemClock });
  const changes = createChanges(window, needs);
  const terminals = new CommandTerminals({
    clock: systemClock,
    findTree: node?.processesOfTerminals(context),
  });
  const asideTools = ownTools({
    gate,
    changes,
    files: { readFile: (target) => readContent(target, gate) },
    searchAt: fileSearches(await node?.ripgrep()),
    readRepository: node?.readRepository ?? noRepository,
    terminals,
    clock: systemClock,
  });
  const ownNames = [findToolsName, ...asideTools.map(({ name }) => name)];
  const taints = new ChatTaints(chats, (name) => ownNames.includes(name));
  const enabledTools = new EnabledTools(context.globalState);
  const boxes = new WindowToolboxes({ window, asideTools, enabledTools, gate, taints });
  const files = { changes, texts: workspaceTexts, review, isTrusted };
  const actions = new ChangeActions(files);
  const recording = changes.onDidChange(({ turn, changes: ofTurn }) =>
    chats.ofTurn(turn)?.chat.setChanges(turn, ofTurn),
  );
  const created = [windowGate, callReviews, documents, changes, terminals, taints, recording];
  return {
    hasGrants: windowGate.hasGrants,
    commands: {
      manageTools: () => manageTools({ ...boxes.here(), enabledTools, grants, tokensOf, skills }),
    },
    actions: {
      decide: (turn, call, decision, reason) => decisions.decide(turn, call, decision, reason),
      review: (turn, call, path) => callReviews.show(turn, call, path),
      change: (turn, change, action) => actions.change(turn, change, action),
    },
    restores: new RestoreActions(files),
    async forTurn() {
      return { toolbox: await boxes.forTurn(), maxRounds: settings.current().tools.maxRounds };
    },
    toolNames: async () => (await boxes.forTurn()).names,
    exposedTool: (name) =>
      createExposedTool(name, {
        toolbox: boxes.all(),
        isEnabled: () => settings.current().tools.enabled,
        isOwnEnabled: (toolName) => enabledTools.isOwnEnabled(toolName),
        log: (line) => log.info(line),
      }),
    dispose: () => disposeAll(created),
  };
}

interface GateParts {
  readonly documents: ReadOnlyDocuments;
  readonly tainted: (conversation: string | undefined) => boolean;
}

/** The gate for all effects of tools, with its dialogs. */
function createGate(
  { context, node, settings, log }: HostWindow,
  { chats, onDidChangeService, skills }: ToolNeeds,
  { documents, tainted }: GateParts,
): WindowGate {
  const replaced: Event<string> = (listener) =>
    chats.onDidChange(({ open, change }) => {
      if (change.type === 'replace') listener(open.chat.conversation.id);
    });
  const closed: Event<string> = (listener) =>
    chats.onDidClose(({ chat }) => listener(chat.conversation.id));
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
      return open === undefined || chats.all.length === 1 ? '' : titleOf(open.chat.conversation);
    },
    onError: (error) => log.error('Checking whether a tool may run', error),
  });
}

function createChanges(
  { node, keptFiles, log }: HostWindow,
  { chats, storedChats }: ToolNeeds,
): Changes {
  const machine = node?.machine();
  const storage = new ChangeFiles(keptFiles.folder('changes'));
  removeExpired(storage, storedChats, systemClock.wall()).catch((error: unknown) =>
    log.error('Removing old changes', error),
  );
  return new Changes({
    storage,
    texts: workspaceTexts,
    findInPlace(files) {
      const context = { folders: workspaceFolders(), platform: machine?.platform ?? 'linux' };
      return findInPlace(files, context, { view: machine?.view, exists: isThereAt });
    },
    chatOf: (turn) => (chats.ofTurn(turn)?.chat ?? chats.current()).conversation.id,
    onError: (error) => log.error('Keeping what a turn changed', error),
  });
}

function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}
