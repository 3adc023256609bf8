import { background } from '../core/support/background.ts';
import { lazy, lazyMethods } from '../core/support/lazy.ts';
import { RecentChats } from '../host/chat/recentChats.ts';
import { openTrash } from '../host/history/trash.ts';
import type { WindowScope } from './windowScope.ts';

/** The saved chats: all of them, and the recent ones that empty chats offer. */
export function createHistoryFeatures({ window, connection, storage, chats }: WindowScope) {
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
    isUnread: (id) => chats.hasNews(id),
    onError: (error) => window.log.error('Reading the recent chats', error),
  });
  const storedChats = async (): Promise<readonly string[]> => [
    ...(await journals.list()),
    ...(await trash.deleted()).map(({ id }) => id),
  ];
  return { history, recent, storedChats };
}
