import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { lastSegment, revealInvisible } from '../../core/support/text.ts';
import type { PanelState, RecentChat, StarterFacts } from '../../protocol/messages.ts';
import type { Starter } from '../../protocol/rpc.ts';
import { CommandButton, Icon } from '../parts/controls.tsx';
import { useDeliberatePress } from '../parts/deliberatePress.ts';
import { relativeTime } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

/** The content of a chat without messages: first steps, and recent chats. */
export function EmptyState() {
  const panel = useStore().panel.value;
  if (panel === undefined) return null;
  const { connection, model, recent = [] } = panel;
  return (
    <div class="empty">
      <Icon name="comment-discussion" />
      {connection.kind === 'none' ? (
        <NotConnected />
      ) : model.id === '' ? (
        <NoModel />
      ) : (
        <Suggestions panel={panel} />
      )}
      {recent.length > 0 && <RecentChatList recent={recent} />}
    </div>
  );
}

function NotConnected() {
  return (
    <>
      <h2>{l10n.t('Chat beside your code')}</h2>
      <p>{l10n.t('Connect to an OpenAI-compatible service with its base URL and your API key.')}</p>
      <CommandButton command="connect" look="button wide">
        {l10n.t('Connect')}
      </CommandButton>
      <p>{l10n.t('Or try the demo first. It needs no key and sends nothing.')}</p>
      <CommandButton command="useDemo" look="button secondary wide">
        {l10n.t('Try the Demo')}
      </CommandButton>
      <CommandButton command="openWalkthrough" look="link">
        {l10n.t('Open Walkthrough')}
      </CommandButton>
    </>
  );
}

function NoModel() {
  return (
    <>
      <h2>{l10n.t('Select a model')}</h2>
      <p>{l10n.t('Select the model to chat with.')}</p>
      <CommandButton command="selectModel" look="button wide">
        {l10n.t('Select Model')}
      </CommandButton>
    </>
  );
}

function Suggestions({ panel }: { readonly panel: PanelState }) {
  const hasTools = panel.cost.toolTokens !== undefined && panel.mode !== 'chat';
  // The model uses its tools to read the files.
  const { file, hasChanges, hasFolder }: StarterFacts =
    (hasTools ? panel.starters : undefined) ?? {};
  const suggestions: Suggestion[] = [];
  if (file !== undefined) {
    const name = revealInvisible(lastSegment(file)).text;
    suggestions.push(
      {
        starter: 'explain',
        icon: 'comment',
        title: l10n.t('Explain {0}', name),
        text: l10n.t('Read {0}, and explain what it does.', file),
      },
      {
        starter: 'improve',
        icon: 'edit',
        title: l10n.t('Improve {0}', name),
        text: l10n.t('Find one small improvement for the open file and make it.'),
      },
    );
  }
  if (hasChanges === true)
    suggestions.push({
      starter: 'changes',
      icon: 'diff',
      title: l10n.t('Find problems in my changes'),
      text: l10n.t('Get the changes since the last commit, and find problems in them.'),
    });
  if (hasFolder === true)
    suggestions.push({
      starter: 'project',
      icon: 'folder',
      title: l10n.t('What does this project do?'),
      text: l10n.t('List the files of this project, and explain what it does.'),
    });
  const help = l10n.t('What can you help me with?');
  suggestions.push({ starter: 'help', icon: 'lightbulb', title: help, text: help });
  return (
    <>
      <h2>{l10n.t('Ask about your code')}</h2>
      {panel.connection.kind === 'demo' && (
        <p>{l10n.t('Demo mode: scripted replies in English. Nothing is sent.')}</p>
      )}
      <p>{l10n.t('Select code in the editor and choose Add to Chat or Explain, or start here:')}</p>
      <div class="suggestions">
        {suggestions.map((suggestion) => (
          <SuggestionButton key={suggestion.starter} suggestion={suggestion} />
        ))}
      </div>
    </>
  );
}

interface Suggestion {
  readonly starter: Starter;
  readonly icon: string;
  readonly title: string;
  readonly text: string;
}

function SuggestionButton({ suggestion }: { readonly suggestion: Suggestion }) {
  const store = useStore();
  const { starter, icon, title, text } = suggestion;
  const { ref, isSettled, click } = useDeliberatePress(title, true, () =>
    background(store.send(text, 'send', { starter })),
  );
  return (
    <button
      ref={ref}
      type="button"
      class="suggestion"
      aria-disabled={isSettled ? undefined : true}
      onClick={click}
    >
      <Icon name={icon} />
      <span>{title}</span>
    </button>
  );
}

function RecentChatList({ recent }: { readonly recent: readonly RecentChat[] }) {
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
