import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { Icon } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

/** Says that another window writes the chat, and leads it here. */
export function HolderBar() {
  const store = useStore();
  const [isAsking, setAsking] = useState(false);
  const name = store.panel.value?.heldBy;
  if (name === undefined) return null;
  const continueHere = async (): Promise<void> => {
    setAsking(true);
    await store.request({ type: 'continue-here' });
    setAsking(false);
  };
  return (
    <div class="holder-bar" role="note">
      <Icon name="lock" />
      <span class="banner-text">
        {name === ''
          ? l10n.t('This chat is open in another window. Here you can read along.')
          : l10n.t('This chat is open in another window ({0}). Here you can read along.', name)}
      </span>
      <button
        type="button"
        class="button"
        disabled={isAsking}
        aria-busy={isAsking}
        onClick={() => void continueHere()}
      >
        {l10n.t('Continue Here')}
      </button>
    </div>
  );
}
