import * as vscode from 'vscode';
import { findInPlace } from '../core/approval/approvedPlace.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, anyEvent, type Disposable, type Event } from '../core/support/event.ts';
import type { Redactor } from '../core/support/redact.ts';
import { titleOf } from '../core/history/chatTitle.ts';
import { Toolbox, type ToolboxOptions } from '../core/tools/toolbox.ts';
import type { Tool } from '../core/tools/tool.ts';
import type { TurnTools } from '../core/turn/runTurn.ts';
import { ChatTaints } from '../host/chat/chatTaints.ts';
import { createWindowGate, type WindowGate } from '../host/approval/windowGate.ts';
import { CallReviews } from '../host/changes/callReviews.ts';
import { ChangeActions } from '../host/changes/changeActions.ts';
import { ChangeFiles } from '../host/changes/changeFiles.ts';
import { Changes } from '../host/changes/changes.ts';
import type { EditingOptions } from '../host/changes/editing.ts';
import { workspaceTexts } from '../host/changes/notebookTexts.ts';
import { removeExpired } from '../host/changes/expiredTurns.ts';
import { RestoreActions } from '../host/changes/restoreActions.ts';
import type { ToolActions } from '../host/chat/chatRequests.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import type { RestoreFiles } from '../host/chat/fileRestores.ts';
import type { KeptFiles } from '../host/keptFiles.ts';
import type { Log } from '../host/log.ts';
import type { OpenReviews } from '../host/review/openReviews.ts';
import { ReviewDiff } from '../host/review/reviewDiff.ts';
import type { Settings } from '../host/settings.ts';
import { CommandTerminals } from '../host/terminal/commandTerminals.ts';
import { EnabledTools } from '../host/tools/enabledTools.ts';
import { createExposedTool } from '../host/tools/exposedCalls.ts';
import { extensionVersion, enabledExternalTools } from '../host/tools/externalTools.ts';
import type { UnavailableTool } from '../host/tools/manageItems.ts';
import { manageTools } from '../host/tools/manageTools.ts';
import { commandsProblem, ownTools } from '../host/tools/ownTools.ts';
import { fileSearches } from '../host/workspace/fileSearches.ts';
import { gitProblem, noRepository } from '../host/workspace/git.ts';
import { isThereAt, workspaceFolders } from '../host/workspace/location.ts';
import { readContent } from '../host/workspace/notebookFiles.ts';
import { ReadOnlyDocuments } from '../host/workspace/readOnlyDocuments.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

export interface ToolFeaturesOptions {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  readonly keptFiles: KeptFiles;
  readonly chats: OpenChats;
  readonly settings: Settings;
  readonly redactor: Redactor;
  readonly log: Log;
  readonly reviews: OpenReviews;
  /** The ids of all saved chats. */
  readonly storedChats: () => Promise<readonly string[]>;
  /** Fires when the key or the service changes. */
  readonly onDidChangeService: Event<unknown>;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
}

/** Tools and their approval: modules that run when the first turn needs them. */
export interface ToolFeatures extends Pick<WindowGate, 'hasGrants'>, Disposable {
  readonly actions: ToolActions;
  readonly restores: RestoreFiles;
  forTurn(): Promise<Omit<TurnTools, 'resumed'>>;
  /** `aside.manageTools` */
  manage(): Promise<void>;
  /** One of the reading tools, for other chats. */
  exposedTool(name: string): vscode.LanguageModelTool<unknown>;
}

export async function createToolFeatures(options: ToolFeaturesOptions): Promise<ToolFeatures> {
  const { context, node, chats, settings, redactor, log } = options;
  const documents = new ReadOnlyDocuments('aside-change');
  const review = new ReviewDiff(documents);
  const windowGate = createGate(options, {
    documents,
    tainted: (conversation) => taints.isTainted(conversation),
  });
  const { gate, decisions, grants } = windowGate;
  const callReviews = new CallReviews({ ...options, decisions, clock: systemClock });
  const changes = createChanges(options);
  const terminals = new CommandTerminals({
    clock: systemClock,
    findTree: node?.processesOfTerminals(context),
  });
  const searchAt = fileSearches(await node?.ripgrep());
  const files: EditingOptions['files'] = { readFile: (target) => readContent(target, gate) };
  const readRepository = node?.readRepository ?? noRepository;
  const shared = { gate, changes, files, searchAt, readRepository, terminals };
  const asideTools = ownTools({ ...shared, clock: systemClock });
  const names = asideTools.map(({ name }) => name);
  const taints = new ChatTaints(chats, (name) => names.includes(name));
  const toolboxOptions: ToolboxOptions = {
    clock: systemClock,
    redactor,
    onError: (tool, error) => log.error(`The tool ${tool}`, error),
  };
  const enabledTools = new EnabledTools(context.globalState);
  const onCall = (conversation: string | undefined): void => taints.noteExternalCall(conversation);
  const disposables = [
    windowGate,
    callReviews,
    documents,
    changes,
    terminals,
    taints,
    changes.onDidChange(({ turn, changes }) => chats.ofTurn(turn)?.chat.setChanges(turn, changes)),
  ];
  return {
    hasGrants: windowGate.hasGrants,
    actions: createToolActions(windowGate, changes, { review, callReviews }),
    restores: new RestoreActions({ changes, review, isTrusted }),
    async forTurn() {
      const external = await enabledExternalTools({ gate, enabledTools, onCall }, names);
      const { available } = toolsHere(asideTools, node);
      const used = available.filter(({ name }) => enabledTools.isOwnEnabled(name));
      const toolbox = new Toolbox([...used, ...external], toolboxOptions);
      return { toolbox, maxRounds: settings.current().tools.maxRounds };
    },
    manage: () => manageTools({ ...options, ...toolsHere(asideTools, node), enabledTools, grants }),
    exposedTool: (name) =>
      createExposedTool(name, {
        toolbox: new Toolbox(asideTools, toolboxOptions),
        isEnabled: () => settings.current().tools.enabled,
        isOwnEnabled: (toolName) => enabledTools.isOwnEnabled(toolName),
        log: (line) => log.info(line),
      }),
    dispose: () => disposeAll(disposables),
  };
}

/** Aside's tools, apart from those that can't do anything in this window. */
function toolsHere(
  all: readonly Tool[],
  node: NodePlatform | undefined,
): { readonly available: readonly Tool[]; readonly unavailable: readonly UnavailableTool[] } {
  const commands = commandsProblem(node !== undefined, workspaceFolders());
  const git = gitProblem();
  const problemOf = ({ category, name }: Tool): string | undefined =>
    category === 'run' ? commands : name === 'get_changes' ? git : undefined;
  return {
    available: all.filter((tool) => problemOf(tool) === undefined),
    unavailable: all.flatMap((tool) => {
      const reason = problemOf(tool);
      return reason === undefined ? [] : [{ label: tool.label, reason }];
    }),
  };
}

interface GateOptions {
  readonly documents: ReadOnlyDocuments;
  readonly tainted: (conversation: string | undefined) => boolean;
}

/** The gate that every effect of a tool passes, and the dialogs that it asks with. */
function createGate(options: ToolFeaturesOptions, gateOptions: GateOptions): WindowGate {
  const { context, node, chats, settings, log, onDidChangeService } = options;
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
    diff: new ReviewDiff(gateOptions.documents),
    documents: gateOptions.documents,
    askAll: () => settings.current().tools.approval === 'askAll',
    tainted: gateOptions.tainted,
    onDidEndChat: anyEvent(replaced, closed),
    onDidChangeService,
    nameOf(conversation) {
      const open = conversation === undefined ? undefined : chats.ofConversation(conversation);
      return open === undefined || chats.all.length === 1 ? '' : titleOf(open.chat.conversation);
    },
    onError: (error) => log.error('Checking whether a tool may run', error),
  });
}

/** Makes edits, and keeps the texts from before them. Removes expired ones now. */
function createChanges(options: ToolFeaturesOptions): Changes {
  const { node, keptFiles, chats, storedChats, log } = options;
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

function createToolActions(
  { decisions }: WindowGate,
  changes: Changes,
  { review, callReviews }: { readonly review: ReviewDiff; readonly callReviews: CallReviews },
): ToolActions {
  const actions = new ChangeActions({
    changes,
    texts: workspaceTexts,
    review,
    isTrusted,
  });
  return {
    decide: (turn, call, decision) => Promise.resolve(decisions.decide(turn, call, decision)),
    review: (turn, call, path) => callReviews.show(turn, call, path),
    change: (turn, change, action) => actions.change(turn, change, action),
  };
}

function isTrusted(): boolean {
  return vscode.workspace.isTrusted;
}
