import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { lastSegment, revealInvisible } from '../../core/support/text.ts';
import type { RecentChat, StarterFacts } from '../../protocol/messages.ts';
import type { Starter } from '../../protocol/rpc.ts';
import { Icon } from '../parts/controls.tsx';
import { useDeliberatePress } from '../parts/deliberatePress.ts';
import { relativeTime } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

/** The content of a chat without messages: first steps, and recent chats. */
export function EmptyState() {
  const recent = useStore().panel.value?.recent ?? [];
  return (
    <div class="empty">
      <Icon name="comment-discussion" />
      <FirstStep />
      {recent.length > 0 && <RecentChatList recent={recent} />}
    </div>
  );
}

function FirstStep() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined) return null;
  if (panel.connection.kind === 'none') return <NotConnected />;
  if (panel.model.id === '') return <NoModel />;
  return <Suggestions />;
}

function NotConnected() {
  const store = useStore();
  return (
    <>
      <h2>{l10n.t('Chat beside your code')}</h2>
      <p>{l10n.t('Connect to an OpenAI-compatible service with its base URL and your API key.')}</p>
      <button
        type="button"
        class="button wide"
        onClick={() => store.post('run', { command: 'connect' })}
      >
        {l10n.t('Connect')}
      </button>
      <p>{l10n.t('Or try the demo first. It needs no key and sends nothing.')}</p>
      <button
        type="button"
        class="button secondary wide"
        onClick={() => store.post('run', { command: 'useDemo' })}
      >
        {l10n.t('Try the Demo')}
      </button>
      <button
        type="button"
        class="link"
        onClick={() => store.post('run', { command: 'openWalkthrough' })}
      >
        {l10n.t('Open Walkthrough')}
      </button>
    </>
  );
}

function NoModel() {
  const store = useStore();
  return (
    <>
      <h2>{l10n.t('Select a model')}</h2>
      <p>{l10n.t('Select the model to chat with.')}</p>
      <button
        type="button"
        class="button wide"
        onClick={() => store.post('run', { command: 'selectModel' })}
      >
        {l10n.t('Select Model')}
      </button>
    </>
  );
}

function Suggestions() {
  const store = useStore();
  const panel = store.panel.value;
  const hasTools = panel?.cost.toolTokens !== undefined && panel.mode !== 'chat';
  // The model uses its tools to read the files.
  const facts = (hasTools ? panel.starters : undefined) ?? {};
  return (
    <>
      <h2>{l10n.t('Ask about your code')}</h2>
      {panel?.connection.kind === 'demo' && (
        <p>{l10n.t('Demo mode: scripted replies in English. Nothing is sent.')}</p>
      )}
      <p>{l10n.t('Select code in the editor and choose Add to Chat or Explain, or start here:')}</p>
      <div class="suggestions">
        {suggestions(facts).map((suggestion) => (
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
    background(store.send(text, 'send', starter)),
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

/** Suggested messages for the open file and workspace, and a general one. */
function suggestions({ file, hasChanges, hasFolder }: StarterFacts): readonly Suggestion[] {
  const help = l10n.t('What can you help me with?');
  return [
    ...(file === undefined ? [] : suggestionsFor(file)),
    ...(hasChanges === true
      ? [
          {
            starter: 'changes' as const,
            icon: 'diff',
            title: l10n.t('Find problems in my changes'),
            text: l10n.t('Get the changes since the last commit, and find problems in them.'),
          },
        ]
      : []),
    ...(hasFolder === true
      ? [
          {
            starter: 'project' as const,
            icon: 'folder',
            title: l10n.t('What does this project do?'),
            text: l10n.t('List the files of this project, and explain what it does.'),
          },
        ]
      : []),
    { starter: 'help', icon: 'lightbulb', title: help, text: help },
  ];
}

function suggestionsFor(path: string): readonly Suggestion[] {
  const name = revealInvisible(lastSegment(path)).text;
  return [
    {
      starter: 'explain',
      icon: 'comment',
      title: l10n.t('Explain {0}', name),
      text: l10n.t('Read {0}, and explain what it does.', path),
    },
    {
      starter: 'improve',
      icon: 'edit',
      title: l10n.t('Improve {0}', name),
      text: l10n.t('Find one small improvement for the open file and make it.'),
    },
  ];
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
