import * as l10n from '@vscode/l10n';
import type { RecentChat } from '../../protocol/messages.ts';
import { useEffect, useState } from 'preact/hooks';
import { relativeTime } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

export function RecentChatList({ recent }: { readonly recent: readonly RecentChat[] }) {
  const store = useStore();
  const [now, setNow] = useState(store.clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(store.clock.now()), 60_000);
    return () => clearInterval(timer);
  }, [store]);
  return (
    <>
      <h3>{l10n.t('Recent Chats')}</h3>
      <ul class="suggestions" aria-label={l10n.t('Recent Chats')}>
        {recent.map(({ id, title, at, isUnread }) => (
          <li key={id}>
            <button
              type="button"
              class="suggestion recent"
              title={title}
              onClick={() => store.post('open-chat', { chat: id })}
            >
              {isUnread === true && (
                <span class="recent-unread" role="img" aria-label={l10n.t('Unread')} />
              )}
              <span class="recent-title">{title}</span>
              <span class="recent-time">{relativeTime(at, Math.max(now, at))}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
