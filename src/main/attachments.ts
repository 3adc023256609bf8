import * as vscode from 'vscode';
import { RealPlaces } from '../core/approval/realPlaces.ts';
import { requestText } from '../core/attachments/requestText.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable } from '../core/support/event.ts';
import type { Redactor } from '../core/support/redact.ts';
import type { InstructionFile } from '../core/turn/prompt.ts';
import { workspaceIdentity } from '../core/workspace/disk.ts';
import type { Location } from '../core/workspace/places.ts';
import { situationOf } from '../host/approval/situation.ts';
import { AttachmentApproval } from '../host/attachments/attachmentApproval.ts';
import {
  AttachmentRequestHandler,
  type AttachmentActions,
} from '../host/attachments/attachmentRequestHandler.ts';
import { AttachmentResolver } from '../host/attachments/attachmentResolver.ts';
import { CompletionProvider, type SlashCommand } from '../host/attachments/completionProvider.ts';
import type { Composer } from '../host/attachments/composer.ts';
import { instructionChips, selectionChips } from '../host/attachments/contextChips.ts';
import { EditorContext } from '../host/attachments/editorContext.ts';
import { Instructions } from '../host/attachments/instructions.ts';
import { OfferedSelection } from '../host/attachments/offeredSelection.ts';
import { ReviewDiff } from '../host/changes/reviewDiff.ts';
import type { Chat } from '../host/chat/chat.ts';
import { windowDialogs as dialogs } from '../host/dialogs.ts';
import type { Log } from '../host/log.ts';
import { createFileSearch } from '../host/node/createFileSearch.ts';
import { thisMachine } from '../host/node/thisMachine.ts';
import type { Settings } from '../host/settings.ts';
import { LastTerminalOutput } from '../host/terminal/lastTerminalOutput.ts';
import { workspaceFolders } from '../host/workspace/location.ts';
import { ReadOnlyDocuments } from '../host/workspace/readOnlyDocuments.ts';
import { filesBelow, WorkspaceIndex } from '../host/workspace/workspaceIndex.ts';

export interface AttachmentFeaturesOptions {
  readonly context: vscode.ExtensionContext;
  readonly chat: Chat;
  readonly composer: Composer;
  readonly settings: Settings;
  readonly redactor: Redactor;
  readonly log: Log;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
  /** The model to ask; leads to connecting and choosing first. */
  readonly requireModel: () => Promise<string>;
  /** Where requests go, up to and including the version; rejects where there is no service. */
  readonly address: () => Promise<string>;
  /** The commands of the composer. */
  readonly prompts: () => Promise<readonly SlashCommand[]>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** What goes along with questions: a script of its own, which is loaded when it is first used. */
export interface AttachmentFeatures extends AttachmentActions, Disposable {
  /** Resolves when the files with instructions are known, and each was asked for once. */
  prepare(): Promise<void>;
  /** Files of the workspace that go along with each question. */
  instructions(): readonly InstructionFile[];
  /** Shows what could go along, while the panel is seen. */
  watch(isSeen: boolean): void;
  /** `aside.addToChat` */
  add(clicked: unknown, chosen: unknown): Promise<void>;
  /** `aside.showRequest` */
  showRequest(): Promise<void>;
  /** Whether a command may send the text of a file: asks where it may hold secrets. */
  maySend(uri: vscode.Uri, text: string): Promise<boolean>;
}

/** Makes every object of it once and ties them together. */
export function createAttachmentFeatures(options: AttachmentFeaturesOptions): AttachmentFeatures {
  const { context, chat, composer, settings, redactor, log, tokensOf } = options;
  const machine = thisMachine();
  const situation = situationOf({
    context,
    machine,
    askAll: () => false,
    tainted: () => false,
  });
  const places = new RealPlaces(machine.view);
  const denied = async (): Promise<readonly Location[]> => (await places.find(situation())).denied;
  const searchAt = createFileSearch();
  const approval = new AttachmentApproval({ dialogs, denied, view: machine.view });
  const index = new WorkspaceIndex(() => searchAt);
  const resolver = new AttachmentResolver({
    composer,
    approval,
    dialogs,
    filesIn: async (folder) => filesBelow(folder, await searchAt),
  });
  const terminal = new LastTerminalOutput();
  const editorContext = new EditorContext(resolver, terminal);
  const openPrompts = async (): Promise<void> => {
    const folder = vscode.Uri.joinPath(context.globalStorageUri, 'prompts');
    await vscode.workspace.fs.createDirectory(folder);
    await vscode.commands.executeCommand('revealFileInOS', folder);
  };
  const completionProvider = new CompletionProvider({
    index,
    resolver,
    editorContext,
    openPrompts,
    prompts: options.prompts,
  });
  const instructions = new Instructions({
    state: context.globalState,
    workspace: () => workspaceIdentity(workspaceFolders(), machine.view),
    dialogs,
    redact: redactor.redact,
    onError: (error) => log.error('Reading the instructions of the workspace', error),
  });
  const offered = new OfferedSelection(systemClock);
  const texts = new ReadOnlyDocuments('aside-text');
  const diff = new ReviewDiff(texts);
  const requests = new AttachmentRequestHandler({
    chat,
    composer,
    resolver,
    completionProvider,
    instructions,
    offered,
    dialogs,
    texts,
    diff,
    index,
  });
  const updateContextChips = (): void =>
    composer.setContextChips([
      ...instructionChips(settings.current().instructions, instructions.found, tokensOf),
      ...selectionChips(offered.current, composer.attachments, tokensOf),
    ]);
  const disposables = [
    ...[index, terminal, instructions, offered, texts],
    ...[instructions, offered, settings, composer].map(({ onDidChange }) =>
      onDidChange(updateContextChips),
    ),
  ];
  return {
    handle: (request) => requests.handle(request),
    complete: (trigger, query) => completionProvider.complete(trigger, query),
    prepare: () => instructions.prepare(),
    instructions: () => instructions.used,
    watch(isSeen) {
      offered.watch(isSeen);
      if (isSeen) void instructions.read().then(updateContextChips);
    },
    async add(clicked, chosen) {
      const given = [chosen, clicked].flat().filter((one) => one instanceof vscode.Uri);
      const distinct = new Map(given.map((uri) => [uri.toString(), uri]));
      const { activeTextEditor } = vscode.window;
      const active = activeTextEditor?.document.uri.toString() ?? '';
      if (distinct.size === 0 || (distinct.size === 1 && distinct.has(active))) {
        await editorContext.attachSelection();
      } else for (const uri of distinct.values()) await resolver.attach(uri);
      await options.reveal(false);
    },
    async showRequest() {
      const question = { text: composer.draft, attachments: composer.attachments };
      const request = await chat.nextRequest(question, await options.requireModel());
      const text = redactor.redact(requestText(request, await options.address()));
      await texts.show(vscode.l10n.t('Next Request'), text, 'jsonc');
    },
    maySend: async (uri, text) =>
      (await approval.mayRead(uri, false)) && (await approval.maySend(uri, text)),
    dispose: () => disposeAll(disposables),
  };
}
