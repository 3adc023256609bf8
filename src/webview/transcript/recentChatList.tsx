import * as l10n from '@vscode/l10n';
import type { RecentChat } from '../../protocol/messages.ts';
import { useStore } from '../parts/hooks.ts';

/** The latest saved chats, which a click opens. */
export function RecentChatList({ recent }: { readonly recent: readonly RecentChat[] }) {
  const store = useStore();
  return (
    <>
      <h3>{l10n.t('Recent Chats')}</h3>
      <ul class="suggestions" aria-label={l10n.t('Recent Chats')}>
        {recent.map(({ id, title, at }) => (
          <li key={id}>
            <button
              type="button"
              class="suggestion recent"
              title={title}
              onClick={() => void store.request({ type: 'open-chat', chat: id })}
            >
              <span class="recent-title">{title}</span>
              <span class="recent-time">{dayOf(at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The day of a time, in the language of VS Code. */
function dayOf(at: number): string {
  const { lang } = document.documentElement;
  return new Date(at).toLocaleDateString(lang || undefined, { month: 'short', day: 'numeric' });
}
