import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent } from '../core/support/event.ts';
import { createRedactor } from '../core/support/redact.ts';
import { ChatPanel } from '../host/chat/chatPanel.ts';
import type { Listen } from '../host/chat/page.ts';
import { SegmentStorage } from '../host/chat/segmentStorage.ts';
import type { MaySend } from '../host/code/textGenerator.ts';
import { commandRunner, type RunCommand } from '../host/commands.ts';
import {
  createConnectionServices,
  type ConnectionUi,
  type ConnectionUiOptions,
} from '../host/connection/connectionServices.ts';
import { createServiceAccess } from '../host/connection/serviceAccess.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { Log } from '../host/log.ts';
import { FileStorage } from '../host/node/fileStorage.ts';
import { Settings } from '../host/settings.ts';
import { ModelsWithoutTools, ToolAccess } from '../host/tools/toolAccess.ts';
import { Ledger } from '../host/usage/ledger.ts';
import { usageContext, UsageStatusBar } from '../host/usage/statusBar.ts';
import { TokenRatios } from '../host/usage/tokenRatios.ts';
import { usageOfChat } from '../host/usage/usageTable.ts';
import { UsageView } from '../host/usage/usageView.ts';
import { createDemo } from '../local/demo.ts';
import type { AttachmentFeatures, AttachmentFeaturesOptions } from './attachments.ts';
import { openChat } from './chat.ts';
import type { CodeFeatures, CodeFeaturesOptions } from './code.ts';
import type { ToolFeatures, ToolFeaturesOptions } from './tools.ts';

/** Everything behind what `activate` shows. */
export interface Aside {
  /** Shows the chat in a view whose page is loading. */
  readonly showIn: (view: vscode.WebviewView, listen: Listen) => void;
  readonly run: RunCommand;
  /** One of the tools that other chats may use. */
  readonly exposedTool: (name: string) => Promise<vscode.LanguageModelTool<unknown>>;
  /** Resolves when everything that was shown is safe. */
  readonly flush: () => Promise<void>;
}

/** Makes every object once and ties them together. Sends nothing and reads nothing of a workspace. */
export function createAside(context: vscode.ExtensionContext, item: vscode.StatusBarItem): Aside {
  const redactor = createRedactor();
  const output = vscode.window.createOutputChannel('Aside', { log: true });
  const log = new Log(output, redactor);
  const settings = new Settings((problem) => log.warn(problem));
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  const connection = createConnectionServices({
    context,
    settings,
    errors,
    redactor,
    demo: createDemo(),
    createUi: importConnectionUi,
  });
  const { choice, loadUi: loadConnectionUi, requireModel } = connection;

  const ledger = new Ledger(context.globalState, systemClock);
  const ratios = new TokenRatios(context.globalState);
  const service = connection.connection;
  const access = new ToolAccess({
    settings,
    origin: () => service.origin,
    withoutTools: new ModelsWithoutTools(context.globalState),
  });
  const serviceAccess = createServiceAccess({
    connection: service,
    settings,
    errors,
    ledger,
    ratios,
    log,
    redactor,
    usage: () => usageContext(settings),
  });
  const tokensOf = (characters: number): number =>
    ratios.estimateTokens(choice.current().id, characters);
  let loadingTools: Promise<ToolFeatures> | undefined;
  let loadingAttachments: Promise<AttachmentFeatures> | undefined;
  let attachments: AttachmentFeatures | undefined;
  const chat = openChat({
    service: serviceAccess,
    settings,
    async tools({ model }) {
      return access.allows(model) ? (await loadTools()).forTurn() : undefined;
    },
    onToolsRefused: (model) => void access.refused(model),
    async prepare() {
      if (mayInstruct()) await (await loadAttachments()).prepare();
    },
    instructions: () => attachments?.instructions() ?? [],
  });
  const loadTools = (): Promise<ToolFeatures> =>
    (loadingTools ??= importToolFeatures({
      context,
      chat,
      settings,
      redactor,
      log,
      onDidChangeService: service.onDidChange,
      chats: () => storage.list(),
      tokensOf,
    }));
  let loadingCode: Promise<CodeFeatures> | undefined;
  const loadCode = (): Promise<CodeFeatures> =>
    (loadingCode ??= importCodeFeatures({
      context,
      chat,
      service: serviceAccess,
      settings,
      requireModel,
      maySend,
      tokensOf,
      reveal,
    }));
  const folder = vscode.Uri.joinPath(context.globalStorageUri, 'chats');
  const storage =
    folder.scheme === 'file' ? new FileStorage(folder.fsPath) : new SegmentStorage(folder);
  const panel = new ChatPanel({
    context,
    chat,
    storage,
    settings,
    connection,
    errors,
    log,
    expand: async (message) => (await loadCode()).expand(message),
    attachments: {
      handle: async (request) => (await loadAttachments()).handle(request),
      complete: async (...given) => (await loadAttachments()).complete(...given),
    },
    cost: {
      hasTools: (model) => access.allows(model),
      tokensOf: (model, characters) => ratios.estimateTokens(model, characters),
    },
    tools: {
      decide: async (...given) => (await loadTools()).actions.decide(...given),
      review: async (...given) => (await loadTools()).actions.review(...given),
      change: async (...given) => (await loadTools()).actions.change(...given),
    },
    replies: {
      open: async (...given) => (await loadCode()).replies.open(...given),
      apply: async (code) => (await loadCode()).replies.apply(code),
      newFile: async (code) => (await loadCode()).replies.newFile(code),
      runInTerminal: async (text) => (await loadCode()).replies.runInTerminal(text),
    },
  });
  const { composer, reveal } = panel;
  const loadAttachments = async (): Promise<AttachmentFeatures> =>
    (attachments = await (loadingAttachments ??= importAttachmentFeatures({
      context,
      chat,
      composer,
      settings,
      redactor,
      log,
      requireModel,
      reveal,
      tokensOf,
      address: async () => (await service.endpoint()).baseUrl,
      prompts: async () => (await loadCode()).slashCommands(),
    })));
  const maySend: MaySend = async (...given) => (await loadAttachments()).maySend(...given);

  const usageOptions = {
    ledger,
    settings,
    model: () => choice.current().id,
    chat: () => usageOfChat(chat.conversation),
    onDidChange: anyEvent<unknown>(choice.onDidChange, chat.onDidReplace),
  };
  const usage = new UsageView(usageOptions);
  const statusBar = new UsageStatusBar(item, usageOptions);
  context.subscriptions.push(output, settings, ledger, panel, statusBar, {
    dispose() {
      void loadingTools?.then((tools) => tools.dispose());
      void loadingCode?.then((code) => code.dispose());
      attachments?.dispose();
    },
  });

  return {
    showIn(view, listen) {
      panel.showIn(view, listen);
      const watch = async (): Promise<void> => {
        if (vscode.workspace.isTrusted || attachments !== undefined) {
          (await loadAttachments()).watch(view.visible);
        }
      };
      const listening = vscode.Disposable.from(
        view.onDidChangeVisibility(watch),
        vscode.workspace.onDidGrantWorkspaceTrust(watch),
      );
      view.onDidDispose(() => {
        listening.dispose();
        attachments?.watch(false);
      });
      // The page comes first.
      void chat.restored().then(watch);
    },
    flush: () => panel.flush(),
    exposedTool: async (name) => (await loadTools()).exposedTool(name),
    run: commandRunner(
      {
        connect: async () => (await loadConnectionUi()).commands.connect(),
        setApiKey: async () => (await loadConnectionUi()).commands.setApiKey(),
        removeApiKey: async () => (await loadConnectionUi()).commands.removeApiKey(),
        openConsole: async () => (await loadConnectionUi()).commands.openConsole(),
        useDemo: () => service.useDemo(),
        selectModel: async () => (await loadConnectionUi()).picker.selectModel(),
        newChat: () => panel.newChat(),
        ask: (prompt, options) => panel.ask(prompt, options),
        stop: () => chat.stop(),
        retry: () => panel.retry(),
        acceptEdit: async (given) => (await loadCode()).edits.decide('accept', given),
        rejectEdit: async (given) => (await loadCode()).edits.decide('reject', given),
        addToChat: async (...given) => (await loadAttachments()).add(given[0], given[1]),
        writeCommitMessage: async (clicked) => (await loadCode()).commitMessage.write(clicked),
        stopCommitMessage: async () => (await loadCode()).commitMessage.stop(),
        explainTerminal: async () => (await loadCode()).explainTerminal(),
        showRequest: async () => (await loadAttachments()).showRequest(),
        manageTools: async () => (await loadTools()).manage(),
        showUsage: () => usage.show(),
        resetUsage: () => usage.reset(),
        showLog: () => log.show(),
      },
      async (name, given) => (await loadCode()).run(name, given),
      (error, what) => errors.show(error, what),
    ),
  };
}

/** Nothing of a workspace that nobody trusts instructs a model. */
function mayInstruct(): boolean {
  return vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
}

/** Who is connected needs nothing of it. */
async function importConnectionUi(options: ConnectionUiOptions): Promise<ConnectionUi> {
  const { createConnectionUi } = await import('./connection.ts');
  return createConnectionUi(options);
}

async function importAttachmentFeatures(
  options: AttachmentFeaturesOptions,
): Promise<AttachmentFeatures> {
  const { createAttachmentFeatures } = await import('./attachments.ts');
  return createAttachmentFeatures(options);
}

/** Nothing of the tools is there before the first turn that gets some. */
async function importToolFeatures(options: ToolFeaturesOptions): Promise<ToolFeatures> {
  const { createToolFeatures } = await import('./tools.ts');
  return createToolFeatures(options);
}

/** Nothing of the commands on code is there before the first of them. */
async function importCodeFeatures(options: CodeFeaturesOptions): Promise<CodeFeatures> {
  const { createCodeFeatures } = await import('./code.ts');
  return createCodeFeatures(options);
}
