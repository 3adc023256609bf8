import * as l10n from '@vscode/l10n';
import { Icon } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { RecentChatList } from './recentChatList.tsx';

/** The content of a chat without messages: what to do first, and the latest saved chats. */
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

/** The next setup step, or a few suggestions. */
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
        onClick={() => void store.request({ type: 'run', command: 'connect' })}
      >
        {l10n.t('Connect')}
      </button>
      <p>{l10n.t('Or try the demo first. It needs no key and sends nothing.')}</p>
      <button
        type="button"
        class="button secondary wide"
        onClick={() => void store.request({ type: 'run', command: 'useDemo' })}
      >
        {l10n.t('Try the Demo')}
      </button>
      <button
        type="button"
        class="link"
        onClick={() => void store.request({ type: 'run', command: 'openWalkthrough' })}
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
        onClick={() => void store.request({ type: 'run', command: 'selectModel' })}
      >
        {l10n.t('Select Model')}
      </button>
    </>
  );
}

function Suggestions() {
  const store = useStore();
  const fill = (text: string): void => {
    store.draft.replace(text);
    store.focusComposer();
  };
  return (
    <>
      <h2>{l10n.t('Ask about your code')}</h2>
      {store.panel.value?.connection.kind === 'demo' && (
        <p>{l10n.t('Demo mode: replies are scripted and nothing is sent.')}</p>
      )}
      <p>{l10n.t('Select code in the editor and choose Add to Chat or Explain, or start here:')}</p>
      <div class="suggestions">
        {suggestions().map(({ icon, title, text, complete }) => (
          <button
            key={title}
            type="button"
            class="suggestion"
            onClick={() => (complete ? void store.send(text) : fill(text))}
          >
            <Icon name={icon} />
            <span>{title}</span>
          </button>
        ))}
      </div>
    </>
  );
}

interface Suggestion {
  readonly icon: string;
  readonly title: string;
  readonly text: string;
  /** Whether it can be sent as is; otherwise the person completes it. */
  readonly complete: boolean;
}

/** Suggestions that need nothing else, but for the open file of the last one. */
function suggestions(): readonly Suggestion[] {
  return [
    {
      icon: 'lightbulb',
      title: l10n.t('What can you help me with?'),
      text: l10n.t('What can you help me with?'),
      complete: true,
    },
    {
      icon: 'bug',
      title: l10n.t('Explain an error message'),
      text: l10n.t('Explain this error message and how to fix its cause:\n\n'),
      complete: false,
    },
    {
      icon: 'code',
      title: l10n.t('Write a function'),
      text: l10n.t('Write a function that '),
      complete: false,
    },
    {
      icon: 'edit',
      title: l10n.t('Improve the open file'),
      text: l10n.t('Find one small improvement for the open file and make it.'),
      complete: true,
    },
  ];
}
