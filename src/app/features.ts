import { background } from '../core/support/background.ts';
import type { Disposable } from '../core/support/event.ts';
import { type Lazy, lazy, lazyMethods } from '../core/support/lazy.ts';
import { loadedPresets } from '../host/presets/chatPreset.ts';
import type { WindowScope } from './windowScope.ts';
import { RecentChats } from '../host/chat/recentChats.ts';
import { openTrash } from '../host/history/trash.ts';

/** The features of a window. Each is loaded when it is first used. */
export type Features = ReturnType<typeof createFeatures>;

export function createFeatures(scope: WindowScope) {
  const { window, connection } = scope;
  const ofCode = createCodeFeatures(scope);
  const ofChats = createChatFeatures(scope, ofCode);
  const models = lazy(async () =>
    (await import('../host/provider/feature.ts')).createModelProvider(
      window,
      connection,
      await ofCode.consents.load(),
    ),
  );
  const { showMarkdown } = lazyMethods(ofChats.attachments.load, 'showMarkdown');
  const help = lazy(async () =>
    (await import('../host/help/feature.ts')).createHelp(window, showMarkdown),
  );
  return { ...ofCode, ...ofChats, models, help };
}

/** The features around code, which don't depend on chats. */
function createCodeFeatures({ window, connection, askInChat }: WindowScope) {
  const review = lazy(async () => (await import('../host/review/feature.ts')).createReview());
  const terminal = lazy(async () =>
    (await import('../host/terminal/feature.ts')).createTerminal(askInChat),
  );
  const consents = lazy(async () =>
    (await import('../host/approval/windowConsents.ts')).createWindowConsents(
      window.context,
      window.node?.machine(),
    ),
  );
  const context = lazy(async () =>
    (await import('../host/context/feature.ts')).createContext(window, {
      consents: await consents.load(),
      lacks: connection.lacks,
    }),
  );
  const presets = loadedPresets(async () => {
    const { Presets } = await import('../host/presets/presets.ts');
    const { offers, identity: workspace, redact } = await context.load();
    return new Presets({ storage: window.context.globalStorageUri, offers, workspace, redact });
  });
  const code = lazy(async () =>
    (await import('../host/code/feature.ts')).createCode(window, {
      connection,
      context: await context.load(),
      reviews: (await review.load()).reviews,
      askInChat,
    }),
  );
  const commit = lazy(async () =>
    (await import('../host/commit/feature.ts')).createCommit(window, {
      connection,
      context: await context.load(),
    }),
  );
  const { run } = lazyMethods(code.load, 'run');
  const comments = lazy(async () =>
    (await import('../host/comments/feature.ts')).createComments(window, {
      connection,
      context: await context.load(),
      edit: (target) => run('edit', target),
    }),
  );
  return { review, terminal, consents, context, presets, code, commit, comments };
}

type CodeFeatures = ReturnType<typeof createCodeFeatures>;

function createChatFeatures(scope: WindowScope, ofCode: CodeFeatures) {
  const { window, connection, chats, usage, openPage } = scope;
  const { tokensOf, onDidChangeService } = connection;
  const { history, recent, storedChats } = createHistoryFeatures(scope);
  const tools = lazy(async () =>
    (await import('../host/tools/feature.ts')).createTools(window, {
      chats,
      reviews: (await ofCode.review.load()).reviews,
      storedChats,
      onDidChangeService,
      tokensOf,
      skills: (await ofCode.context.load()).skills,
    }),
  );
  const { toolNames } = lazyMethods(tools.load, 'toolNames');
  const { slashCommands } = lazyMethods(ofCode.code.load, 'slashCommands');
  const attachments = lazy(async () =>
    (await import('../host/attachments/feature.ts')).createAttachments(window, {
      chats,
      connection,
      context: await ofCode.context.load(),
      terminals: (await ofCode.terminal.load()).history,
      slashCommands,
      presets: ofCode.presets.load,
      toolNames,
    }),
  );
  const { showText } = lazyMethods(attachments.load, 'showText');
  const request = lazy(async () =>
    (await import('../host/request/feature.ts')).createRequest(window, {
      chats,
      connection,
      openPage,
      onDidChangeInstructions: (await ofCode.context.load()).instructions.onDidChange,
      showText,
    }),
  );
  const { titles } = lazyMethods(history.load, 'titles');
  const usageFeature = lazy(async () =>
    (await import('../host/usage/feature.ts')).createUsage(window, {
      usage,
      conversation: () => chats.focused.conversation,
      titles,
      openPage,
    }),
  );
  return { tools, attachments, history, recent, request, usage: usageFeature };
}

/** Disposes of features. One that is still loading is disposed of once it exists. */
export function disposeFeatures(features: Features): void {
  const { tools, attachments, code, comments, context, presets, review, terminal } = features;
  const { usage, request } = features;
  const loaded: readonly Lazy<Disposable>[] = [
    ...[request, usage, tools, attachments, code, comments, presets, context, review, terminal],
  ];
  for (const { loading } of loaded) background(loading?.then((feature) => feature.dispose()));
}

/** The saved chats: all of them, and the recent ones that empty chats offer. */
function createHistoryFeatures({ window, connection, storage, chats }: WindowScope) {
  const { journals, images } = storage;
  const trash = openTrash(window, images);
  const history = lazy(async () =>
    (await import('../host/history/feature.ts')).createHistory(window, {
      chats,
      storage,
      trash,
      keys: connection.keys,
      onDidChange: () => background(recent.refresh()),
    }),
  );
  const recent: RecentChats = new RecentChats({
    read: lazyMethods(history.load, 'recent').recent,
    isUnread: (id) => chats.hasUnread(id),
    onError: (error) => window.log.error('Reading the recent chats', error),
  });
  const storedChats = async (): Promise<readonly string[]> => [
    ...(await journals.list()),
    ...(await trash.deleted()).map(({ id }) => id),
  ];
  return { history, recent, storedChats };
}
