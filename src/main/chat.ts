import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { Chat } from '../host/chat/chat.ts';
import { ChatPanel } from '../host/chat/chatPanel.ts';
import { settingsOfModel } from '../host/settingValues.ts';
import { ModelsWithoutTools, ToolAccess } from '../host/tools/toolAccess.ts';
import { paidUsage, type UsageByModel } from '../host/usage/usageTable.ts';
import { createLeases, type Base, type ChatStorage } from './base.ts';
import type { ConnectionServices } from './connection.ts';
import type { Features } from './features.ts';

interface ChatWiring {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly features: Features;
  readonly access: ToolAccess;
}

interface PanelWiring extends ChatWiring {
  readonly storage: ChatStorage;
}

/** Which models get tools. */
export function createToolAccess(base: Base, { connection }: ConnectionServices): ToolAccess {
  const withoutTools = new ModelsWithoutTools(base.context.globalState);
  return new ToolAccess({
    settings: base.settings,
    origin: () => connection.origin,
    withoutTools,
  });
}

/** Creates the chat, which uses the service, the model and the settings of the moment. */
export function createChat({ base, connection, features, access }: ChatWiring): Chat {
  const { settings } = base;
  const { serviceAccess } = connection;
  const { tools, attachments } = features;
  const used = (): UsageByModel => paidUsage(chat.conversation);
  const chat: Chat = new Chat({
    ...serviceAccess,
    connect: () => serviceAccess.connect(used),
    asSent: (request) => serviceAccess.asSent(request, used),
    tools: async ({ model }) => (access.allows(model) ? (await tools.load()).forTurn() : undefined),
    onToolsRefused: (model) => void access.refused(model),
    describe(error, model) {
      const { origin } = connection.connection;
      if (origin !== undefined) void connection.catalog.noteError(origin, model, error);
      return serviceAccess.describe(error, model);
    },
    async prepare() {
      if (mayHaveInstructions()) await (await attachments.load()).prepare();
    },
    clock: systemClock,
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const files = attachments.value?.instructions() ?? [];
      const { contextWindow } = settingsOfModel(values, model);
      const options = settings.requestOptions(model);
      return { instructions, files, stream, options, contextWindow };
    },
    checkMessage: (message) =>
      serviceAccess.check([message.text, ...message.attachments.map(({ text }) => text)]),
  });
  return chat;
}

/** Instruction files are read only in a workspace that the person trusts. */
function mayHaveInstructions(): boolean {
  return vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
}

/** Creates the panel that shows the chat, and saves it. */
export function createPanel(
  chat: Chat,
  { base, connection, features, access, storage }: PanelWiring,
): ChatPanel {
  const { tools, attachments, code } = features;
  const { ui, ratios, requireModel } = connection;
  return new ChatPanel({
    ...base,
    chat,
    storage,
    leases: createLeases(base.context),
    connection: connection.connection,
    model: connection.choice,
    requireModel,
    pickModel: async () => (await ui.load()).picker.pickModel(),
    expand: async (message) => (await code.load()).expand(message),
    attachments: {
      handle: async (request) => (await attachments.load()).handle(request),
      complete: async (...given) => (await attachments.load()).complete(...given),
    },
    cost: {
      hasTools: (model) => access.allows(model),
      tokensOf: (model, characters) => ratios.estimateTokens(model, characters),
    },
    tools: {
      decide: async (...given) => (await tools.load()).actions.decide(...given),
      review: async (...given) => (await tools.load()).actions.review(...given),
      change: async (...given) => (await tools.load()).actions.change(...given),
    },
    replies: {
      open: async (...given) => (await code.load()).replies.open(...given),
      apply: async (block) => (await code.load()).replies.apply(block),
      newFile: async (block) => (await code.load()).replies.newFile(block),
      runInTerminal: async (text) => (await code.load()).replies.runInTerminal(text),
    },
  });
}
