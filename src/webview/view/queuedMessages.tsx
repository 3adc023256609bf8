import * as l10n from '@vscode/l10n';
import { Icon, IconButton } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

/** Messages that are asked when the running turn has ended, each to be taken back until then. */
export function QueuedMessages() {
  const store = useStore();
  const queued = store.panel.value?.queued ?? [];
  if (queued.length === 0) return null;
  return (
    <ul class="queued" aria-label={l10n.t('Queued Messages')}>
      {queued.map(({ id, text }) => (
        <li key={id}>
          <Icon name="clock" />
          <span class="queued-text" title={text.slice(0, 1000)}>
            {text.slice(0, 200)}
          </span>
          <IconButton
            icon="close"
            name={l10n.t('Remove Queued Message')}
            onClick={() => void store.request({ type: 'unqueue', message: id })}
          />
        </li>
      ))}
    </ul>
  );
}
