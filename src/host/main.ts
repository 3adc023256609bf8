/** Builds every object of a window, from top to bottom: each gets only objects from above it. */
import * as vscode from 'vscode';
import { findInPlace } from '../core/approval/inspect.ts';
import { unlistedBelow } from '../core/approval/secrets.ts';
import { isTaintedChat } from '../core/approval/grants.ts';
import type { Conversation, UserMessage } from '../core/conversation/conversation.ts';
import type { ChatMode } from '../core/conversation/mode.ts';
import { titleOf } from '../core/history/chatTitle.ts';
import { browserFetch } from '../core/service/browserFetch.ts';
import { modelKeys } from '../core/service/modelReference.ts';
import { background, reported, reportTo } from '../core/support/background.ts';
import { systemClock as clock } from '../core/support/clock.ts';
import { anyEvent, Emitter, type Event } from '../core/support/event.ts';
import { isObject } from '../core/support/json.ts';
import { createRedactor } from '../core/support/redact.ts';
import { maskSecrets } from '../core/support/secretTokens.ts';
import { toolCharacters } from '../core/turn/prompt.ts';
import { workspaceIdentity } from '../core/files/disk.ts';
import { createDemo } from '../local/demo.ts';
import { PersonGate } from './approval/personGate.ts';
import { deniedPlacesOf, createWindowGate } from './approval/windowGate.ts';
import { Consents } from './approval/consents.ts';
import { draftKey } from './attachments/composer.ts';
import { ChatContextChips, OfferedSelection } from './attachments/contextChips.ts';
import { MessageAttachments } from './attachments/messageAttachments.ts';
import { CallReviews } from './tools/callReviews.ts';
import { ChangeActions, RestoreActions } from './tools/changeActions.ts';
import { Changes } from './tools/changes.ts';
import { removeExpired } from './tools/changeStore.ts';
import { Editing } from './tools/editing.ts';
import { workspaceTexts } from './tools/notebookTexts.ts';
import { ChatMemento } from './chat/chatMemento.ts';
import { chatTools } from './chat/chatHost.ts';
import { createChatStorage } from './chat/chatStorage.ts';
import { compareModels } from './chat/compareCommand.ts';
import type { ComposerWindow } from './chat/composerHandlers.ts';
import type { Chat } from './chat/chat.ts';
import { LastMode, setMode } from './chat/modes.ts';
import { OpenChats } from './chat/openChats.ts';
import { RecentChats } from './chat/recentChats.ts';
import { type ChatWindow, createChat } from './chat/createChat.ts';
import { ChatCommands, runCodeCommand } from './editor/chatCommands.ts';
import { EditCommands } from './editor/editCommands.ts';
import { editorValues, nothingSent, PromptFiles } from './editor/promptFiles.ts';
import { ReplyActions } from './editor/replyActions.ts';
import {
  activeEditorCode,
  expandCommand,
  listCommands,
  runAtCursor,
  type SlashCommandsOptions,
} from './editor/slashCommands.ts';
import { createTextGenerator, CommandRequests } from './editor/textGenerator.ts';
import {
  CommandContext,
  commandRunner,
  type CommandHandlers,
  type RunCommand,
} from './platform/commands.ts';
import { CommentThreads } from './editor/commentThreads.ts';
import { ReviewChanges } from './editor/reviewChanges.ts';
import { CommitMessage } from './editor/commitMessage.ts';
import { Connection } from './service/connection.ts';
import { ConnectionUi } from './service/connectionUi.ts';
import { Keys } from './service/keys.ts';
import { createModelReader, ModelCatalog } from './service/modelCatalog.ts';
import {
  ModelChoice,
  serviceChanges,
  createToolAccess,
  followModelFacts,
  Models,
} from './service/models.ts';
import { ServiceAccess } from './service/serviceAccess.ts';
import { AttachmentApproval } from './context/attachmentApproval.ts';
import { ConsentPreviews } from './context/consentPreviews.ts';
import { FileOffers } from './context/fileOffers.ts';
import { Instructions } from './context/instructions.ts';
import { Skills } from './context/skills.ts';
import { commands, editors, walkthrough } from './contributions.ts';
import { notify, windowDialogs as dialogs } from './platform/dialogs.ts';
import { ErrorReporter } from './platform/errorText.ts';
import { helpText } from './platform/help.ts';
import { followSteps } from './platform/walkthrough.ts';
import { ChatFiles, fileDialogs } from './chat/chatFiles.ts';
import { ChatHistory } from './chat/chatHistory.ts';
import { ChatSearch, findJournalsIn } from './chat/chatSearch.ts';
import { Deletion } from './chat/deletion.ts';
import { SavedChatCommands } from './chat/savedChatCommands.ts';
import { SavedChats } from './chat/savedChats.ts';
import { ChatHeads } from './chat/chatHeads.ts';
import { openTrash } from './chat/trash.ts';
import { UnsavedText } from './chat/unsavedText.ts';
import { Log } from './platform/log.ts';
import { GlobalState } from './platform/memento.ts';
import { busyChats, FocusedChat, stopAll } from './chat/focusedChat.ts';
import type { OpenPage, PagePort } from './platform/page.ts';
import type { PageWindow } from './chat/chatPage.ts';
import { ChatTabs, ChatView } from './chat/chatViews.ts';
import { WindowNotices } from './chat/windowNotices.ts';
import { Presets } from './context/presets.ts';
import { CallerApproval, ModelProvider } from './service/modelProvider.ts';
import { RequestTab } from './chat/requestTab.ts';
import { ShortenChat } from './chat/shortenChat.ts';
import { FileReviews } from './review/fileReviews.ts';
import { OpenReviews } from './review/openReviews.ts';
import type { PassGate } from './review/review.ts';
import { ReviewDiff } from './review/reviewDiff.ts';
import { Settings } from './platform/settings.ts';
import { CommandTerminals } from './tools/commandTerminals.ts';
import { PromptTerminals } from './tools/promptTerminals.ts';
import { explainLastCommand, explainTask, explainTerminal } from './tools/explainTerminal.ts';
import { TaskNotices } from './tools/taskNotices.ts';
import { TerminalCommands } from './tools/terminalCommands.ts';
import { EnabledTools } from './tools/enabledTools.ts';
import { extensionVersion } from './tools/externalTools.ts';
import { manageTools } from './tools/manageTools.ts';
import { ChatTaints, endLeftRunning, recordChanges } from './tools/toolChats.ts';
import { OpenQuestions } from './tools/askUser.ts';
import { ownToolNames, ownTools, Tools } from './tools/tools.ts';
import { BudgetNotices, setBudget, tellOfBudget, UnpricedModels } from './usage/budgetUi.ts';
import { Ledger } from './usage/ledger.ts';
import { RunningRequests } from './usage/runningRequests.ts';
import { UsageStatusBar, type WindowUsage } from './usage/statusBar.ts';
import { TokenRatios } from './usage/tokenRatios.ts';
import { deleteUsage, exportUsage, saveFile } from './usage/usageCommands.ts';
import { UsageLog } from './usage/usageLog.ts';
import { monthOf } from './usage/usageRecord.ts';
import { usageContext, usageOfChat } from './usage/usageByModel.ts';
import { createUsageTab } from './usage/usageTab.ts';
import { VirtualFiles } from './platform/virtualFiles.ts';
import { fileSearches } from './platform/workspacePlaces.ts';
import { noRepository } from './platform/git.ts';
import { isThereAt, workspaceFolders } from './platform/location.ts';
import { readContent } from './platform/notebooks.ts';
import type { NodePlatform } from './platform/platform.ts';
import { findWorkspaceFile } from './platform/files.ts';
import { ReadOnlyDocuments } from './platform/readOnlyDocuments.ts';
import { findReferences, workspaceSymbolsNamed } from './platform/references.ts';
import { firstFolder, nodeOfKept, type HostWindow, windowFocus } from './platform/window.ts';
import { WorkspaceIndex } from './platform/workspaceIndex.ts';

/** The extension once it is loaded, as `activate` uses it. */
export interface Aside {
  /** Shows the chat in the view, whose page is loading. */
  readonly showIn: (view: vscode.WebviewView, port: PagePort) => void;
  /** Called for actions in the title of the view, which is outside its page. */
  readonly noteFocus: () => void;
  /** Restores the chat of a tab after a reload; `state` is what its page saved. */
  readonly showInTab: (panel: vscode.WebviewPanel, port: PagePort, state: unknown) => void;
  /** Shows the usage or the next request again in a tab that was open before a reload. */
  readonly restoreTab: (type: string, panel: vscode.WebviewPanel) => void;
  readonly run: RunCommand;
  /** One of the tools that other chats may use. */
  readonly exposedTool: (name: string) => vscode.LanguageModelTool<unknown>;
  /** The models for VS Code's own chat and for other extensions. */
  readonly provider: vscode.LanguageModelChatProvider;
  /** Fires when these models or their details may have changed. */
  readonly onDidChangeModels: Event<unknown>;
  /** Resolves when everything that was shown is saved. */
  readonly flush: () => Promise<void>;
}

/** Sends nothing, and reads and watches nothing of a workspace before it is used. */
export function createAside(
  context: vscode.ExtensionContext,
  statusItem: vscode.StatusBarItem,
  openPage: OpenPage,
  node: NodePlatform | undefined,
): Aside {
  const { extensionUri, globalStorageUri, workspaceState } = context;
  const globalState = new GlobalState(context.globalState);

  // What every subject uses.
  const redactor = createRedactor();
  const output = vscode.window.createOutputChannel('Aside', { log: true });
  const keys = new Keys(context.secrets, redactor);
  const log = new Log(output, redactor, keys.learned());
  log.collect(reportTo);
  if (node !== undefined) log.collect(node.reportTo);
  const nodeOfStorage = nodeOfKept({ context, node });
  const keptFiles =
    nodeOfStorage?.diskFiles(globalStorageUri.fsPath) ?? new VirtualFiles(globalStorageUri);
  keptFiles
    .prepare()
    .catch((error: unknown) => log.error('Keeping stored chats from other users', error));
  const settings = new Settings((problem) => log.warn(problem));
  const errors = new ErrorReporter(redactor, log, settings);
  const window: HostWindow = { context, node, keptFiles, redactor, log, settings, errors };
  const machine = node?.machine();
  const workspace = firstFolder();
  const readRepository = node?.readRepository ?? noRepository;
  const redact = (text: string): string => maskSecrets(redactor.redact(text)).text;
  const instructionsSetting = (): string => settings.current().instructions;
  const onError = (what: string, error: unknown): void => log.error(what, error);

  // Services, their models, and what requests use.
  const demo = createDemo();
  // In a browser, error messages name the page's origin, which services see.
  const fetch =
    node === undefined
      ? browserFetch(globalThis.fetch, String(Reflect.get(globalThis, 'origin')))
      : globalThis.fetch;
  const connection = new Connection(settings, keys, globalState, demo, fetch);
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const catalog = new ModelCatalog(globalState, readModels, clock, () => connection.names);
  const choice = new ModelChoice(settings, connection, catalog, demo.models);
  const connectionParts = { keys, connection, catalog, choice, readModels, fetch };
  // Where there is no disk, appending lists the pieces of a file: a month would have too many.
  const usageFileOf = (day: string): string =>
    `${nodeOfStorage === undefined ? day : monthOf(day)}.jsonl`;
  const usageLog = new UsageLog(keptFiles.folder('usage'), usageFileOf, clock, onError);
  const ledger = new Ledger(
    usageLog,
    clock,
    workspace,
    (of, model) => connection.services.written(of, model),
    onError,
  );
  const running = new RunningRequests();
  const ratios = new TokenRatios(globalState, (model) => modelKeys(model, connection.names));
  const unpriced = new UnpricedModels(dialogs, settings);
  const service = new ServiceAccess(window, connectionParts, ledger, ratios, clock, unpriced);
  const connectionUi = new ConnectionUi(settings, errors, connectionParts, dialogs);
  const models = new Models(settings, connection, choice, ratios, connectionUi);
  const toolAccess = createToolAccess(settings, connection, catalog);
  const onDidChangeService = serviceChanges(connection, choice);
  const modelFacts = followModelFacts(settings, log, connection, catalog);

  // The open chats. The first one opens below, once there is everything that chats use.
  const storage = createChatStorage(window);
  const { journals, images, locks } = storage;
  const chats = new OpenChats({ state: workspaceState, locks, clock });
  const lastMode = new LastMode(globalState);
  const notices = new WindowNotices({
    chats,
    focus: windowFocus,
    level: () => settings.current().notify,
    notify: async (message, button) => (await notify('information', message, button)) === button,
    reveal: ({ id }) => chats.show(id),
    clock,
  });
  const focusedChat = new FocusedChat(chats, connection, choice, models);
  const askInChat = (message: UserMessage): Promise<void> => focusedChat.send(message);
  const usage: WindowUsage = {
    ledger,
    settings,
    budgets: () => service.usedBudgets(chats.focused.account),
    model: () => choice.current().id,
    chat: () => usageOfChat(chats.focused.conversation),
    waiting: () => notices.waiting,
    isRunning: () => !running.isEmpty || busyChats(chats).length > 0,
    onDidChange: anyEvent<unknown>(
      ledger.onDidChange,
      settings.onDidChange,
      choice.onDidChange,
      chats.onDidShow,
      notices.onDidChange,
      running.onDidChange,
    ),
  };

  // Which files may be sent, which ones instruct the model, and the person's choices about both.
  const documents = new ReadOnlyDocuments('aside-text');
  const identity = (): Promise<string> => workspaceIdentity(workspaceFolders(), machine?.view);
  const consents = new Consents(globalState, identity, dialogs);
  const denied = deniedPlacesOf(context, machine);
  const approval = new AttachmentApproval(consents, denied, machine?.view);
  const maySend = approval.mayReadAndSend;
  const previews = new ConsentPreviews(documents);
  const instructions = new Instructions(consents, previews, redact, (error) =>
    log.error('Reading the instructions of the workspace', error),
  );
  const skills = new Skills(consents, dialogs, previews, machine, redact);
  const offers = new FileOffers(consents, dialogs, settings, choice.lacks);
  const presets = new Presets(globalStorageUri, offers, identity, redact);
  const searchAt = fileSearches(async () => node?.ripgrep());
  const index = new WorkspaceIndex(async () => {
    const hidden = await denied();
    return { searchAt, unlisted: (root) => unlistedBelow(root, hidden) };
  });
  const terminals = new TerminalCommands();

  // Commands on code, and the buttons on code in replies.
  const reviews = new OpenReviews();
  const generator = createTextGenerator({
    service,
    settings,
    running,
    clock,
    instructionsFor: (about) => instructions.usedFor(about),
  });
  const personGate = new PersonGate({
    context,
    machine,
    diff: new ReviewDiff(documents),
    documents,
    onError: (error) => log.error('Checking whether a file may be changed', error),
  });
  const passPersonGate: PassGate = (edit, effect) => personGate.pass(edit, effect);
  const fileReviews = new FileReviews(reviews, passPersonGate, askInChat);
  const requestsWith = (requireModel: () => Promise<string>): CommandRequests =>
    new CommandRequests(generator, requireModel, maySend, instructionsSetting);
  const requests = requestsWith(() => models.requireFor('edit'));
  const chatCommands = new ChatCommands(maySend, askInChat);
  const editCommands = new EditCommands(
    fileReviews,
    requests,
    dialogs,
    globalState,
    node?.isLocked,
  );
  const replies = new ReplyActions(
    fileReviews,
    requests,
    passPersonGate,
    (path) => findWorkspaceFile(path, machine),
    models.tokensOf,
    new PromptTerminals(),
    documents,
  );
  const slashCommands: SlashCommandsOptions = {
    prompts: new PromptFiles(globalStorageUri, clock),
    skills,
    code: () => activeEditorCode(maySend),
    run: runAtCursor,
    variables: editorValues(maySend, dialogs),
    async acceptModel(offer, isEdit) {
      const current = await (isEdit ? models.requireFor('edit') : models.requireModel());
      const accepted = await offers.accept(offer, current);
      if (accepted === undefined) throw nothingSent();
      return accepted.model;
    },
  };
  const expand: ComposerWindow['expand'] = (message) => expandCommand(message, slashCommands);
  const commitMessage = new CommitMessage(
    requestsWith(() => models.requireFor('commit')),
    readRepository,
  );
  const commentThreads = new CommentThreads(
    vscode.Uri.joinPath(extensionUri, 'media/icon.png'),
    maySend,
    editCommands,
  );
  const reviewChanges = new ReviewChanges(
    commentThreads,
    requestsWith(models.requireModel),
    readRepository,
    models.tokensOf,
    dialogs,
  );

  // The gate, the tools behind it, and the changes of turns.
  const isOwnTool = (name: string): boolean => ownToolNames.includes(name);
  const isTainted = (chat: Conversation): boolean => isTaintedChat(chat, isOwnTool);
  const taints = new ChatTaints(chats, isOwnTool);
  const chatsReadAgain: Event<string> = (listener) =>
    chats.onDidChange(({ chat, change }) => {
      if (change.type === 'replace') listener(chat.conversation.id);
    });
  const chatsClosed: Event<string> = (listener) =>
    chats.onDidClose(({ conversation }) => listener(conversation.id));
  const windowGate = createWindowGate({
    context,
    state: globalState,
    version: extensionVersion(context),
    machine,
    diff: new ReviewDiff(documents),
    documents,
    askAll: () => settings.current().tools.approval === 'askAll',
    tainted: (conversation) => taints.isTainted(conversation),
    isOfSkill: (location) => skills.isOfSkill(location),
    onDidEndChat: anyEvent(chatsReadAgain, chatsClosed),
    onDidChangeService,
    nameOf(conversation) {
      const chat = conversation === undefined ? undefined : chats.ofConversation(conversation);
      return chat === undefined || chats.all.length === 1 ? '' : titleOf(chat.conversation);
    },
    onError: (error) => log.error('Checking whether a tool may run', error),
  });
  const { gate, decisions, grants } = windowGate;
  const callReviews = new CallReviews(reviews, decisions);
  const changeFiles = keptFiles.folder('changes');
  const changes = new Changes({
    storage: changeFiles,
    texts: workspaceTexts,
    findInPlace(files) {
      const places = { folders: workspaceFolders(), platform: machine?.platform ?? 'linux' };
      return findInPlace(files, places, { view: machine?.view, exists: isThereAt });
    },
    chatOf: (turn) => (chats.ofTurn(turn) ?? chats.focused).conversation.id,
    onError: (error) => log.error('Keeping what a turn changed', error),
  });
  const changeDiff = new ReviewDiff(documents);
  const changeActions = new ChangeActions(changes, workspaceTexts, changeDiff);
  const restoreActions = new RestoreActions(changes, changeDiff);
  const processes = node?.processesOfTerminals(context);
  const commandTerminals = node && new CommandTerminals(processes);
  const enabledTools = new EnabledTools(globalState);
  const questions = new OpenQuestions();
  const own = ownTools({
    gate,
    editing: new Editing(gate, (target) => readContent(target, gate), changes),
    searchAt,
    readRepository,
    terminals: commandTerminals,
    questions,
    onLeftRunning: ({ turn, call }, processes) =>
      chats.ofTurn(turn)?.record({ type: 'processes-change', turn, call, processes }),
  });
  const tools = new Tools(window, own, gate, enabledTools, taints);
  /** The tools that a mode would send with the next request of a chat. */
  const toolsOfMode = async (chat: Chat, mode: ChatMode) => {
    const { id } = chat.preset.model.current();
    if (mode === 'chat' || toolAccess.obstacle(id) !== undefined) return { count: 0, tokens: 0 };
    const toolbox = chatTools(
      await tools.forTurn(),
      chat.preset,
      () => chat.conversation,
      () => mode,
    );
    const definitions = toolbox?.definitions ?? [];
    const tokens = ratios.estimate(id, toolCharacters(definitions), 'prompt');
    return { count: definitions.length, tokens };
  };

  // Saved chats.
  const trash = openTrash(window, images);
  const savedChatsChanged = new Emitter<undefined>();
  const savedChats = new SavedChats({
    storage: journals,
    locks,
    open: chats,
    onDidChange: () => savedChatsChanged.fire(undefined),
    workspace,
    clock,
  });
  const deletion = new Deletion({
    chats: savedChats,
    trash,
    unsaved: new UnsavedText(workspaceState),
    dialogs,
    notify: async (message, button) => (await notify('information', message, button)) === button,
    onError: (error) => background(errors.show(error, 'Deleting chats')),
  });
  const journalFolder = vscode.Uri.joinPath(globalStorageUri, 'chats');
  // Next to the folder of the chats, in which every file is a chat.
  const heads = 'heads.json';
  const history = new ChatHistory({
    chats: new ChatHeads({
      journals,
      cache: {
        read: () => keptFiles.read(heads),
        write: (text: string) => keptFiles.write(heads, text),
      },
      onError,
    }),
    search: new ChatSearch({
      journals,
      // Without ripgrep or a disk, all chats are read instead.
      async find() {
        const ripgrep = journalFolder.scheme === 'file' ? await node?.ripgrep() : undefined;
        return ripgrep && findJournalsIn(journalFolder.fsPath, ripgrep);
      },
      onError,
    }),
    journals,
    opening: chats,
    deleted: () => deletion.deleted(),
    workspace,
    machine: vscode.env.remoteName === undefined ? '' : (machine?.host ?? ''),
    onError,
  });
  const chatFiles = new ChatFiles({
    chats: savedChats,
    images,
    dialogs,
    files: fileDialogs,
    folder: vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(''),
    learned: () => keys.learned(),
    redact: (text) => redactor.redact(text),
    isTainted,
  });
  const savedChatCommands = new SavedChatCommands({
    chats: savedChats,
    images,
    files: chatFiles,
    deletion,
    copy: (text) => vscode.env.clipboard.writeText(text),
    dialogs,
  });
  const recent = new RecentChats({
    read: () => history.recent(),
    isUnread: (id) => chats.hasUnread(id),
    onError: (error) => log.error('Reading the recent chats', error),
  });
  savedChatsChanged.event(() => background(recent.refresh()));
  // Texts of changed files take space: those of old turns go when a window first adds some.
  const firstChange = changes.onDidChange(() => {
    firstChange.dispose();
    const storedChats = async (): Promise<readonly string[]> => [
      ...(await journals.list()),
      ...(await trash.deleted()).map(({ id }) => id),
    ];
    removeExpired(changeFiles, storedChats, clock.wall()).catch((error: unknown) =>
      log.error('Removing old changes', error),
    );
  });

  // What is attached to messages.
  const offered = new OfferedSelection(clock);
  const attachments = new MessageAttachments({
    window,
    choice,
    approval,
    index,
    instructions,
    skills,
    presets,
    terminals,
    offered,
    documents,
    chatTexts: {
      list: () => history.list(),
      text: (id, mostCharacters) => chatFiles.text(id, mostCharacters),
    },
    slashCommands: () => listCommands(slashCommands),
    toolNames: async () => (await tools.forTurn()).names,
  });
  const contextChips = new ChatContextChips({
    chats,
    settings,
    instructions,
    offered,
    tokensOf: models.tokensOf,
    log,
  });
  /** Follows the selection, terminals and instruction files while a chat is visible. */
  const watchContext = async (): Promise<void> => {
    const { visible } = chats.places;
    // This holds up the process: the page comes first.
    await visible?.chat.panel.drawn;
    const isVisible = chats.places.visible !== undefined;
    offered.watch(isVisible);
    if (!isVisible) return;
    contextChips.follow();
    terminals.listen();
    await instructions.read();
    contextChips.updateAll();
  };

  // The first chat, and the places that show chats.
  const chatWindow: ChatWindow = {
    window,
    connection,
    connectionUi,
    choice,
    focusedChat,
    service,
    models,
    ledger,
    toolAccess,
    storage,
    chats,
    lastMode,
    presets,
    instructions,
    skills,
    attachments,
    tools,
    recent,
    replies,
    restores: restoreActions,
    composers: {
      chats,
      expand,
      noteStarter: demo.noteStarter,
      discard: (id) => deletion.discard(id),
      isTainted,
    },
    toolActions: {
      decisions,
      questions,
      reviews: callReviews,
      changes: changeActions,
      endProcesses: (turn, call) => endLeftRunning(chats, processes, turn, call),
    },
  };
  chats.begin(
    (start) => createChat(chatWindow, start),
    ({ conversation }) => windowGate.hasGrants(conversation.id),
  );
  const pages: PageWindow = {
    chats,
    async keepDraft(id, draft) {
      const state = new ChatMemento(workspaceState, () => id);
      const mayBeKept = await service.check([draft.text]).then(
        () => true,
        () => false,
      );
      await state.update(draftKey, mayBeKept && draft.text !== '' ? draft : undefined);
    },
    references: (words) =>
      findReferences(words, {
        index,
        denied,
        clock,
        isTrusted: () => vscode.workspace.isTrusted,
        symbolsNamed: workspaceSymbolsNamed,
        find: (path) => findWorkspaceFile(path, machine),
      }),
    refusal: errors.refusal,
  };
  const view = new ChatView(pages);
  chats.addPlace(view);
  const isSaved = async (id: string): Promise<boolean> => (await journals.list()).includes(id);
  const tabs = new ChatTabs(pages, extensionUri, openPage, isSaved);
  notices.onDidChangeBadge((badge) => view.setBadge(badge));
  notices.onDidChange(() => recent.update());
  chats.onDidShow(() => background(watchContext()));

  // The tabs and notices beside the chats.
  const requestTab = new RequestTab(chatWindow, openPage, keys, documents);
  const shortenChat = new ShortenChat({
    settings,
    async modelFor({ preset }) {
      const selected = await models.requireFor('shorten');
      const hasOwn = settings.current().modelFor.shorten !== undefined;
      // Otherwise the model of the chat, which has most of the chat in its cache.
      return hasOwn && !connection.isDemo ? selected : preset.model.current().id;
    },
    tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    generate: (request, chat) =>
      generator.generate({
        ...request,
        chat: chat.account,
        purpose: 'shorten',
        onText: () => undefined,
      }),
    dialogs,
  });
  const usageTab = createUsageTab(
    window,
    openPage,
    usage,
    () => chats.focused.conversation,
    () => history.titles(),
  );
  const budgetNotices = new BudgetNotices(
    usage,
    globalState,
    // In the window that has the focus, and not beside a reply that may end with such an error.
    () =>
      settings.current().notify === 'all' && vscode.window.state.focused && !chats.focused.isBusy,
    (budget) => tellOfBudget(budget, usageContext(settings)),
    service.onDidExceedBudget,
  );
  const taskNotices = new TaskNotices({
    state: workspaceState,
    isWanted: () =>
      vscode.workspace.isTrusted &&
      settings.current().notify === 'all' &&
      choice.current().id !== '',
    notify: (message, buttons) => notify('information', message, ...buttons),
    explain: (task) => explainTask(task, terminals, askInChat),
    onError: (error) => background(errors.show(error, commands.explainLastCommand)),
    clock,
  });
  const provider = new ModelProvider(
    window,
    service,
    connectionUi,
    connectionParts,
    new CallerApproval(consents),
    running,
    clock,
  );
  const steps = followSteps(window, globalState, connection, chats);

  // What each command does; `core/code/codeCommands.ts` declares those on code.
  const handlers: CommandHandlers = {
    ...connectionUi.commandsFor(
      () => chats.reveal(false),
      () => chats.lastFocused.panel.costs.inModels(),
    ),

    newChat: () => focusedChat.newChat(),
    openInEditor: (chat) => tabs.open(chat),
    ask: (prompt, options) => focusedChat.ask(prompt, options),
    stop: () => focusedChat.stop(),
    stopAll: () => stopAll(chats, running),
    retry: () => focusedChat.retry(),
    setMode(mode) {
      const chat = chats.focused;
      const toolsOf = (wanted: ChatMode) => toolsOfMode(chat, wanted);
      return setMode({ chat, last: lastMode, dialogs, toolsOf }, mode);
    },
    compare: () =>
      compareModels({
        chat: chats.focused,
        chats,
        tabs,
        expand,
        pickFurther: (model, estimate) => connectionUi.picker.pickFurther(model, estimate),
      }),
    askAside: () => focusedChat.askAside(),
    addToChat: (...args) => focusedChat.attach((chat) => attachments.add(chat, args)),
    addReviewCommentToChat: (comment) =>
      focusedChat.attach(async ({ composer }) => {
        for (const attachment of await commentThreads.attachments(comment))
          composer.attach(attachment);
      }),

    openChat: (chat) => history.open(chat),
    renameChat: (ids, title) => savedChatCommands.rename(ids, title),
    forkChat: (chat, turn) => savedChatCommands.fork(chat, turn),
    pinChat: (ids) => savedChatCommands.pin(ids),
    copyChat: (ids) => savedChatCommands.copy(ids),
    exportChat: (ids, target) => savedChatCommands.export(ids, target),
    exportAllChats: (folder) => savedChatCommands.exportAll(folder),
    importChat: (uris) => savedChatCommands.import(uris),
    importChats: (folder) => savedChatCommands.importAll(folder),
    deleteChat: (ids) => savedChatCommands.delete(ids),
    deleteAllChats: () => deletion.deleteAll(),

    acceptEdit: (hunk) => reviews.decide('accept', hunk),
    rejectEdit: (hunk) => reviews.decide('reject', hunk),
    allowEdit: () => reviews.decideCall('once'),
    denyEdit: () => reviews.decideCall('deny'),
    retryEdit: () => editCommands.retry(),

    writeCommitMessage: (clicked) => commitMessage.write(clicked),
    stopCommitMessage: () => commitMessage.stop(),
    reviewChanges: (clicked) => reviewChanges.run(clicked),
    fixReviewComment: (comment) => commentThreads.fix(comment),
    resolveReviewComment: (comment) => commentThreads.resolve(comment),
    unresolveReviewComment: (comment) => commentThreads.unresolve(comment),
    deleteReviewComment: (comment) => commentThreads.delete(comment),
    deleteReviewComments: () => commentThreads.deleteAll(),

    explainTerminal: () => explainTerminal(terminals, askInChat),
    explainLastCommand: () => explainLastCommand(terminals, askInChat),

    showRequest: (options) =>
      isObject(options) && options['asText'] === true ? requestTab.showText() : requestTab.show(),
    shortenChat: () => shortenChat.run(chats.focused),
    manageTools: () =>
      manageTools({ tools: own, enabledTools, grants, tokensOf: models.tokensOf, skills }),

    showUsage: () => usageTab.show(),
    resetUsage() {
      ledger.resetSession();
      dialogs.showStatus(vscode.l10n.t("Session usage was reset. Today's usage is unchanged."));
    },
    exportUsage: (range) => exportUsage(ledger.log, dialogs, saveFile, range),
    async deleteUsage() {
      await deleteUsage(ledger.log, dialogs);
      usageTab.update();
    },
    setBudget: () => setBudget(settings, dialogs),

    help: () => {
      const manifest: unknown = context.extension.packageJSON;
      return documents.showMarkdown(vscode.l10n.t('Aside Help'), helpText(manifest));
    },
    openWalkthrough: () =>
      vscode.commands.executeCommand(
        'workbench.action.openWalkthrough',
        `${context.extension.id}#${walkthrough.id}`,
      ),
    showLog: () => log.show(),
  };
  const run = commandRunner(
    handlers,
    (...command) => runCodeCommand(chatCommands, editCommands, ...command),
    (error, what) => errors.show(error, what),
    (id) => {
      // A command may open a list, and decides itself where the focus goes.
      view.releaseFocus();
      steps.noteCommand(id);
    },
  );

  context.subscriptions.push(
    output,
    settings,
    locks,
    chats,
    view,
    new CommandContext(chats, running),
    notices,
    modelFacts,
    keys,
    connection,
    catalog,
    choice,
    running,
    ledger,
    new UsageStatusBar(statusItem, usage),
    budgetNotices,
    offered,
    contextChips,
    index,
    instructions,
    presets,
    terminals,
    documents,
    reviews,
    replies,
    commentThreads,
    windowGate,
    callReviews,
    changes,
    recordChanges(changes, chats),
    ...(commandTerminals === undefined ? [] : [commandTerminals]),
    taints,
    requestTab,
    usageTab,
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) connection.refresh();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => background(watchContext())),
    vscode.tasks.onDidStartTaskProcess(({ execution, processId }) =>
      taskNotices.started(execution, processId),
    ),
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) =>
      taskNotices.ended(execution, exitCode),
    ),
  );
  return {
    showIn: (webviewView, port) => view.showIn(webviewView, port),
    noteFocus: () => chats.setFocused(view),
    showInTab: (webviewPanel, port, state) => tabs.restore(webviewPanel, port, state),
    restoreTab: (type, webviewPanel) =>
      (type === editors.usage ? usageTab : requestTab).restore(webviewPanel),
    run,
    exposedTool: (name) => tools.exposed(name),
    provider,
    onDidChangeModels: choice.onDidChange,
    flush: async () => {
      await Promise.all([
        chats.leave(),
        ledger.close(),
        reported(Promise.resolve(commandTerminals?.end())),
      ]);
    },
  };
}
