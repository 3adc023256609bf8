import * as vscode from 'vscode';
import { lazy, type Lazy } from '../core/support/async.ts';
import type { Chat } from '../host/chat/chat.ts';
import type { ChatPanel } from '../host/chat/chatPanel.ts';
import type { AttachmentFeatures } from './attachments.ts';
import type { Base } from './base.ts';
import type { CodeFeatures } from './code.ts';
import type { ChatHistory } from '../host/history/chatHistory.ts';
import { reviewScheme } from '../host/contributions.ts';
import type { OpenReviews } from '../host/review/openReviews.ts';
import type { ConnectionServices } from './connection.ts';
import type { ToolFeatures } from './tools.ts';
import type { ChatStorage } from './node/storage.ts';

/** What is created when it is first used. */
export interface Features {
  readonly tools: Lazy<ToolFeatures>;
  readonly attachments: Lazy<AttachmentFeatures>;
  readonly code: Lazy<CodeFeatures>;
  readonly reviews: Lazy<OpenReviews>;
  readonly history: Lazy<ChatHistory>;
}

interface FeaturesOptions {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly storage: ChatStorage;
  /** Both need features, so they exist only after them. */
  readonly chat: () => Chat;
  readonly panel: () => ChatPanel;
}

export function createFeatures(options: FeaturesOptions): Features {
  const { base, connection, chat, panel } = options;
  const { requireModel, tokensOf, serviceAccess } = connection;
  const reviews: Features['reviews'] = lazy(async () => {
    const { OpenReviews: Reviews } = await import('../host/review/openReviews.ts');
    return new Reviews();
  });
  const tools: Features['tools'] = lazy(async () => {
    const { createToolFeatures } = await import('./tools.ts');
    const onDidChangeService = connection.connection.onDidChange;
    const chats = (): Promise<readonly string[]> => options.storage.list();
    return createToolFeatures({
      ...base,
      chat: chat(),
      chats,
      reviews: await reviews.load(),
      onDidChangeService,
      tokensOf,
    });
  });
  const attachments: Features['attachments'] = lazy(async () => {
    const { createAttachmentFeatures } = await import('./attachments.ts');
    return createAttachmentFeatures({
      ...base,
      chat: chat(),
      composer: panel().composer,
      requireModel,
      tokensOf,
      address: async () => (await connection.connection.endpoint()).baseUrl,
      prompts: async () => (await code.load()).slashCommands(),
    });
  });
  const code: Features['code'] = lazy(async () => {
    const { createCodeFeatures } = await import('./code.ts');
    return createCodeFeatures({
      ...base,
      chat: chat(),
      reviews: await reviews.load(),
      service: serviceAccess,
      requireModel,
      tokensOf,
      reveal: panel().reveal,
      maySend: async (...given) => (await attachments.load()).maySend(...given),
    });
  });
  const history: Features['history'] = lazy(async () => {
    const { createChatHistory } = await import('./history.ts');
    return createChatHistory({ ...base, storage: options.storage, opening: panel() });
  });
  return { tools, attachments, code, reviews, history };
}

/** Left by an extension host that crashed: nothing of them can be accepted. */
export function closeOldReviews({ reviews }: Features): void {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const isReview = ({ input }: vscode.Tab): boolean =>
    input instanceof vscode.TabInputTextDiff && input.modified.scheme === reviewScheme;
  if (tabs.some(isReview)) void reviews.load();
}
