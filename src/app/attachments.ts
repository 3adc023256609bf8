import * as vscode from 'vscode';
import { unlistedBelow } from '../core/approval/leftOut.ts';
import { RealPlaces } from '../core/approval/realPlaces.ts';
import { background } from '../core/support/background.ts';
import { maskSecrets } from '../core/support/secretTokens.ts';
import { systemClock } from '../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../core/support/event.ts';
import type { Redactor } from '../core/support/redact.ts';
import type { ConversationEvent } from '../core/conversation/events.ts';
import { pathsOfTurns } from '../core/turn/instructionScope.ts';
import type { InstructionFile } from '../core/turn/messagePieces.ts';
import type { Location } from '../core/workspace/places.ts';
import { situationOf } from '../host/approval/situation.ts';
import type { Consents } from '../host/approval/consents.ts';
import { AttachmentApproval } from '../host/attachments/attachmentApproval.ts';
import {
  AttachmentRequestHandler,
  type AttachmentActions,
  type AttachmentRequestName,
} from '../host/attachments/attachmentRequestHandler.ts';
import {
  AttachmentResolver,
  type AttachmentHolder,
} from '../host/attachments/attachmentResolver.ts';
import { CompletionProvider, type SlashCommand } from '../host/attachments/completionProvider.ts';
import { instructionChips, presetChips, selectionChips } from '../host/attachments/contextChips.ts';
import { EditorContext } from '../host/attachments/editorContext.ts';
import { Instructions } from '../host/attachments/instructions.ts';
import { OfferedSelection } from '../host/attachments/offeredSelection.ts';
import { ReviewDiff } from '../host/review/reviewDiff.ts';
import type { ChatChange } from '../core/conversation/liveConversation.ts';
import type { OpenChat } from '../host/chat/openChat.ts';
import { PresetActions } from '../host/presets/presetActions.ts';
import { ownPresetFolder, type Presets } from '../host/presets/presets.ts';
import { followEach, type OpenChats } from '../host/chat/openChats.ts';
import { UserError } from '../host/errors.ts';
import { windowDialogs as dialogs } from '../host/dialogs.ts';
import type { Log } from '../host/log.ts';
import type { Settings } from '../host/settings.ts';
import { lastTerminalOutput } from '../host/terminal/lastTerminalOutput.ts';
import type { TerminalCommands } from '../host/terminal/terminalCommands.ts';
import { noRepository } from '../host/workspace/git.ts';
import { type Machine } from '../host/workspace/location.ts';
import { ReadOnlyDocuments } from '../host/workspace/readOnlyDocuments.ts';
import type { ReferenceWord, RequestParameters } from '../protocol/rpc.ts';
import { findReferences } from '../host/workspace/references.ts';
import { workspaceSymbolsNamed } from '../host/workspace/symbols.ts';
import { findWorkspaceFile } from '../host/workspace/workspaceFile.ts';
import { fileSearches } from '../host/workspace/fileSearches.ts';
import { filesBelow, WorkspaceIndex, type FileListing } from '../host/workspace/workspaceIndex.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

export interface AttachmentFeaturesOptions {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  readonly chats: OpenChats;
  readonly settings: Settings;
  readonly redactor: Redactor;
  readonly consents: Consents;
  readonly log: Log;
  /** Estimates the tokens of so many characters for the model of the moment. */
  readonly tokensOf: (characters: number) => number;
  /** @throws {UserError} if the selected model takes no images */
  readonly requireImages: () => void;
  /** The commands of the composer. */
  readonly prompts: () => Promise<readonly SlashCommand[]>;
  /** The presets that chats can have. */
  readonly presets: () => Promise<Presets>;
  readonly selectedModel: () => string;
  readonly terminals: TerminalCommands;
  /** The names of the tools that models may use. */
  readonly toolNames: () => Promise<readonly string[]>;
}

/** Attachments and context of messages: modules that run when one of them is first used. */
export interface AttachmentFeatures extends Pick<AttachmentActions, 'references'>, Disposable {
  /** The actions of a page on the attachments of its chat, which may not be the chat in focus. */
  forChat(open: OpenChat): Pick<AttachmentActions, 'handle'>;
  /**
   * Resolves when the instruction files are known and the person has decided about each one, once.
   * @param about for each message of the chat, the paths that it is about
   */
  prepare(about: readonly (readonly string[])[]): Promise<void>;
  /** Instruction files of the workspace, each sent with messages about the files it is for. */
  instructions(): readonly InstructionFile[];
  /** Instruction files that were allowed before, for a request about these files. Asks nothing. */
  instructionsFor(about: readonly vscode.Uri[]): Promise<readonly InstructionFile[]>;
  /** Keeps the context chips up to date while the panel is visible. */
  watch(isSeen: boolean): void;
  /** `aside.addToChat` */
  add(open: OpenChat, args: readonly unknown[]): Promise<void>;
  /** Fires when the files with instructions change. */
  readonly onDidChangeInstructions: Event<unknown>;
  /** Shows a text in a read-only document. */
  showText(title: string, text: string, language: string): Promise<unknown>;
  /** Opens Markdown in VS Code's preview. */
  showMarkdown(title: string, text: string): Promise<unknown>;
  /** True if a command may send the text of a file. Asks the person if it may hold secrets. */
  maySend(uri: vscode.Uri, text: string): Promise<boolean>;
}

export function createAttachmentFeatures(options: AttachmentFeaturesOptions): AttachmentFeatures {
  const { chats } = options;
  const machine = options.node?.machine();
  const { approval, references, ...resolving } = createResolving(options, machine);
  const instructions = createInstructions(options);
  const offered = new OfferedSelection(systemClock);
  const texts = new ReadOnlyDocuments('aside-text');
  const diff = new ReviewDiff(texts);
  const shared = { ...resolving, approval, instructions, offered, texts, diff };
  const made = new WeakMap<AttachmentHolder, ChatAttachments>();
  const forMessage = (open: OpenChat, edited?: string): ChatAttachments => {
    const holder = edited === undefined ? open.composer : editedMessage(open, edited);
    const attachments = made.get(holder) ?? createChatAttachments(open, holder, options, shared);
    made.set(holder, attachments);
    return attachments;
  };
  const updateChips = (): void => {
    for (const open of chats.all) updateContextChips(open, options, shared);
  };
  const listeners = [instructions, offered, options.settings].map(({ onDidChange }) =>
    onDidChange(updateChips),
  );
  const following = followEach(chats, (open) => {
    updateContextChips(open, options, shared);
    const update = (): void => updateContextChips(open, options, shared);
    const onChange = (change: ChatChange): void => {
      if (change.type === 'replace' || changesOfPath.has(change.event.type)) update();
    };
    const listening = [
      open.composer.onDidChange(update),
      open.chat.onDidChange(onChange),
      open.preset.model.onDidChange(update),
    ];
    return { dispose: () => disposeAll(listening) };
  });
  const disposables = [resolving.index, instructions, offered, texts, following];
  return {
    forChat: (open) => ({
      handle: async (call) => forMessage(open, editedBy(call)).handle(call),
    }),
    references,
    prepare: (about) => instructions.prepare(about),
    instructions: () => instructions.used,
    instructionsFor: (about) => instructions.usedFor(about),
    watch(isSeen) {
      offered.watch(isSeen);
      if (isSeen) background(instructions.read().then(updateChips));
    },
    add: (open, args) => forMessage(open).add(args),
    onDidChangeInstructions: instructions.onDidChange,
    showText: (title, text, language) => texts.show(title, text, language),
    showMarkdown: (title, text) => texts.showMarkdown(title, text),
    maySend: async (uri, text) =>
      (await approval.mayRead(uri, false)) && (await approval.maySend(uri, text)),
    dispose: () => disposeAll([...disposables, ...listeners]),
  };
}

interface ChatAttachments extends Pick<AttachmentActions, 'handle'> {
  add(args: readonly unknown[]): Promise<void>;
}

/** The objects that all chats share. */
interface SharedAttachments extends Omit<Resolving, 'references'> {
  readonly instructions: Instructions;
  readonly offered: OfferedSelection;
  readonly texts: ReadOnlyDocuments;
  readonly diff: ReviewDiff;
}

interface EditedCall {
  readonly parameters: RequestParameters[AttachmentRequestName];
}

/** The turn whose message a request is about; undefined for the next message. */
function editedBy({ parameters }: EditedCall): string | undefined {
  return 'edited' in parameters ? parameters.edited : undefined;
}

function editedMessage({ edits }: OpenChat, turn: string): AttachmentHolder {
  const message = edits.of(turn);
  if (message !== undefined) return message;
  throw new UserError(vscode.l10n.t('This message is no longer being edited.'));
}

function createChatAttachments(
  open: OpenChat,
  composer: AttachmentHolder,
  options: AttachmentFeaturesOptions,
  shared: SharedAttachments,
): ChatAttachments {
  const { chat, images } = open;
  const { context, prompts, requireImages } = options;
  const { approval, index, filesIn } = shared;
  const preset = createPresetActions(open, options, shared);
  const resolver = new AttachmentResolver({
    ...{ composer, approval, dialogs, filesIn, requireImages },
    saveImage: (bytes) => images.save(bytes),
  });
  const editorContext = new EditorContext(
    resolver,
    () => lastTerminalOutput(options.terminals),
    approval,
    options.node?.readRepository ?? noRepository,
  );
  const openPrompts = (): Promise<void> => openOwnFolder(context, 'prompts');
  const completionProvider = new CompletionProvider({
    index,
    resolver,
    editorContext,
    openPrompts,
    choosePreset: () => preset.choose(),
    prompts,
    clock: systemClock,
  });
  const requests = new AttachmentRequestHandler({
    ...shared,
    chat,
    images,
    composer,
    resolver,
    completionProvider,
    dialogs,
    preset,
  });
  return {
    handle: (call) => requests.handle(call),
    add: (args) => editorContext.attachFromCommand(args),
  };
}

interface Resolving {
  readonly approval: AttachmentApproval;
  readonly index: WorkspaceIndex;
  /** Paths of the files in a folder, relative to it. */
  readonly filesIn: (folder: vscode.Uri) => Promise<readonly string[]>;
  readonly references: AttachmentActions['references'];
}

/** Turns files and folders into attachments, and asks the person before it reads some of them. */
function createResolving(
  { context, node, consents }: AttachmentFeaturesOptions,
  machine: Machine | undefined,
): Resolving {
  const askAll = (): boolean => false;
  const situation = situationOf({ context, machine, askAll, tainted: () => false });
  const places = new RealPlaces(machine?.view);
  const denied = async (): Promise<readonly Location[]> => (await places.find(situation())).denied;
  const searchAt = Promise.resolve(node?.ripgrep()).then(fileSearches);
  const listing = async (): Promise<FileListing> => {
    const [search, hidden] = await Promise.all([searchAt, denied()]);
    return { searchAt: search, unlisted: (root) => unlistedBelow(root, hidden) };
  };
  const approval = new AttachmentApproval({ consents, denied, view: machine?.view });
  const filesIn: Resolving['filesIn'] = async (folder) => filesBelow(folder, await listing());
  const index = new WorkspaceIndex(listing);
  const references = (words: readonly ReferenceWord[]): ReturnType<typeof findReferences> =>
    findReferences(words, {
      index,
      denied,
      clock: systemClock,
      isTrusted: () => vscode.workspace.isTrusted,
      symbolsNamed: workspaceSymbolsNamed,
      find: (path) => findWorkspaceFile(path, machine),
    });
  return { approval, index, filesIn, references };
}

function createInstructions({ consents, redactor, log }: AttachmentFeaturesOptions): Instructions {
  return new Instructions({
    consents,
    redact: (text) => maskSecrets(redactor.redact(text)).text,
    onError: (error) => log.error('Reading the instructions of the workspace', error),
  });
}

/** Events that can change which files a chat is about. */
const changesOfPath: ReadonlySet<ConversationEvent['type']> = new Set([
  'turn-start',
  'turn-remove',
  'version-select',
  'preset-change',
]);

function updateContextChips(
  { chat, composer, preset }: OpenChat,
  { settings, tokensOf, log }: AttachmentFeaturesOptions,
  { instructions, offered }: Pick<SharedAttachments, 'instructions' | 'offered'>,
): void {
  const { turns, running } = chat.conversation;
  const sent = running === undefined ? turns : [...turns, running];
  const question = { text: '', attachments: composer.attachments };
  const about = pathsOfTurns({ turns: sent }, { question });
  const paths = about.flat();
  if (paths.length > 0) background(instructions.read(paths));
  const files = instructions.shownFor(about);
  const { preset: chosen } = chat.conversation;
  // The preset of a chat that was opened again has not been read. A missing one stays unread.
  if (preset.current === undefined) {
    preset.refresh().catch((error: unknown) => log.error('Reading a preset', error));
  }
  composer.setContextChips([
    ...instructionChips(settings.current().instructions, files, tokensOf),
    ...presetChips(chosen, preset.current, tokensOf),
    ...selectionChips(offered.current, composer.attachments, tokensOf),
  ]);
}

function createPresetActions(
  { chat }: OpenChat,
  { context, presets, selectedModel, toolNames }: AttachmentFeaturesOptions,
  { diff }: Pick<SharedAttachments, 'diff'>,
): PresetActions {
  return new PresetActions({
    ...{ chat, presets, selectedModel, toolNames, dialogs },
    openFolder: () => openOwnFolder(context, ownPresetFolder),
    showChanges: (path, before, after) =>
      diff.show([{ path, before, after }], vscode.l10n.t('Changes Since You Chose It')),
  });
}

/** Opens a folder of the person's own files in the file explorer of the system. */
async function openOwnFolder(
  { globalStorageUri }: vscode.ExtensionContext,
  name: string,
): Promise<void> {
  const folder = vscode.Uri.joinPath(globalStorageUri, name);
  await vscode.workspace.fs.createDirectory(folder);
  if (vscode.env.uiKind === vscode.UIKind.Web) {
    const path = folder.scheme === 'file' ? folder.fsPath : folder.toString(true);
    throw new UserError(vscode.l10n.t("Folders can't be shown in a browser: {0}", path));
  }
  await vscode.commands.executeCommand('revealFileInOS', folder);
}
