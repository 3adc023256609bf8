import * as vscode from 'vscode';
import { ChatTaint } from '../core/approval/taint.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, anyEvent, type Disposable, type Event } from '../core/support/event.ts';
import type { Redactor } from '../core/support/redact.ts';
import { Toolbox, type ToolboxOptions } from '../core/tools/toolbox.ts';
import type { TurnTools } from '../core/turn/runTurn.ts';
import { createWindowGate } from '../host/approval/windowGate.ts';
import { ChangeActions } from '../host/changes/changeActions.ts';
import { ChangeFiles } from '../host/changes/changeFiles.ts';
import { Changes } from '../host/changes/changes.ts';
import { editorTexts } from '../host/changes/editorTexts.ts';
import { removeExpired } from '../host/changes/expiredTurns.ts';
import { ReviewDiff } from '../host/changes/reviewDiff.ts';
import type { Chat } from '../host/chat/chat.ts';
import type { ToolActions } from '../host/chat/viewRequestHandler.ts';
import type { Log } from '../host/log.ts';
import { createFileSearch } from '../host/node/createFileSearch.ts';
import { renameFile } from '../host/node/fileStorage.ts';
import { terminalProcesses } from '../host/node/processTree.ts';
import { thisMachine } from '../host/node/thisMachine.ts';
import type { Settings } from '../host/settings.ts';
import { CommandTerminals } from '../host/terminal/commandTerminals.ts';
import { EnabledTools } from '../host/tools/enabledTools.ts';
import { createExposedTool } from '../host/tools/exposedTools.ts';
import { extensionVersion, enabledExternalTools } from '../host/tools/externalTools.ts';
import { manageTools } from '../host/tools/manageTools.ts';
import { ownTools } from '../host/tools/ownTools.ts';
import { readFile } from '../host/workspace/files.ts';
import { ReadOnlyDocuments } from '../host/workspace/readOnlyDocuments.ts';

export interface ToolFeaturesOptions {
  readonly context: vscode.ExtensionContext;
  readonly chat: Chat;
  readonly settings: Settings;
  readonly redactor: Redactor;
  readonly log: Log;
  /** The chats that are kept. */
  readonly chats: () => Promise<readonly string[]>;
  /** Another key or another service. */
  readonly onDidChangeService: Event<unknown>;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
}

/** All that has to do with tools: a script of its own, which is loaded when the first turn needs it. */
export interface ToolFeatures extends Disposable {
  readonly actions: ToolActions;
  /** What a turn gets. */
  forTurn(): Promise<Omit<TurnTools, 'resumed'>>;
  /** `aside.manageTools` */
  manage(): Promise<void>;
  /** One of the reading tools, for other chats. */
  exposedTool(name: string): vscode.LanguageModelTool<unknown>;
}

/** Makes every object of it once and ties them together. */
export async function createToolFeatures(options: ToolFeaturesOptions): Promise<ToolFeatures> {
  const { context, chat, settings, redactor, log } = options;
  const onError = (what: string, error: unknown): void => log.error(what, error);
  const taint = new ChatTaint();
  const documents = new ReadOnlyDocuments('aside-change');
  const review = new ReviewDiff(documents);
  const windowGate = createWindowGate({
    context,
    version: extensionVersion(context),
    clock: systemClock,
    machine: thisMachine(),
    diff: review,
    documents,
    askAll: () => settings.current().tools.approval === 'askAll',
    tainted: () => taint.isTainted,
    chatEnds: anyEvent<unknown>(chat.onDidReplace, options.onDidChangeService),
    onError: (error) => onError('Checking whether a tool may run', error),
  });
  const { gate, decisions } = windowGate;
  const folder = vscode.Uri.joinPath(context.globalStorageUri, 'changes');
  const kept = new ChangeFiles(folder, folder.scheme === 'file' ? renameFile : undefined);
  removeExpired(kept, options.chats, systemClock.wall()).catch((error: unknown) =>
    onError('Removing old changes', error),
  );
  const changes = new Changes({
    storage: kept,
    texts: editorTexts,
    chat: () => chat.conversation.id,
    onError: (error) => onError('Keeping what a turn changed', error),
  });
  const changeActions = new ChangeActions({ changes, texts: editorTexts, review });
  const findTree = terminalProcesses(context);
  const terminals = new CommandTerminals({ clock: systemClock, findTree });
  const files = { readFile };
  const searchAt = await createFileSearch();
  const own = ownTools({ gate, changes, files, searchAt, terminals, clock: systemClock });
  const names = own.map(({ name }) => name);
  const toolboxOptions: ToolboxOptions = {
    clock: systemClock,
    redactor,
    onError: (tool, error) => onError(`The tool ${tool}`, error),
  };

  const disposables = [
    windowGate,
    documents,
    changes,
    terminals,
    taint.follow(chat, (name) => names.includes(name)),
    changes.onDidChange((change) => chat.setChanges(change.turn, change.changes)),
  ];
  const enabledTools = new EnabledTools(context.globalState);
  const onCall = (): void => taint.note({ type: 'call', category: 'external' });
  return {
    actions: {
      decide: (turn, call, decision) => Promise.resolve(decisions.decide(turn, call, decision)),
      review: (turn, call, path) =>
        changeActions.review(decisions.changesOf(turn, call) ?? [], path),
      change: (turn, change, action) => changeActions.change(turn, change, action),
    },
    async forTurn() {
      const external = await enabledExternalTools({ gate, enabledTools, onCall }, names);
      const used = own.filter(({ name }) => enabledTools.isOwnEnabled(name));
      return {
        toolbox: new Toolbox([...used, ...external], toolboxOptions),
        maxRounds: settings.current().tools.maxRounds,
      };
    },
    manage: () =>
      manageTools({
        enabledTools,
        grants: windowGate.grants,
        own,
        tokensOf: options.tokensOf,
      }),
    exposedTool: (name) =>
      createExposedTool(name, {
        toolbox: new Toolbox(own, toolboxOptions),
        isEnabled: () => settings.current().tools.enabled,
      }),
    dispose: () => disposeAll(disposables),
  };
}
