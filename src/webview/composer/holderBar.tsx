import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { Icon } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { holderText } from '../state/holderText.ts';

/** Shows that another window writes the chat, with a button to take it over. */
export function HolderBar() {
  const store = useStore();
  const [isAsking, setAsking] = useState(false);
  const name = store.panel.value?.heldBy;
  if (name === undefined) return null;
  const continueHere = async (): Promise<void> => {
    setAsking(true);
    await store.request('continue-here', {});
    setAsking(false);
  };
  return (
    <div class="holder-bar" role="note">
      <Icon name="lock" />
      <span class="banner-text">{holderText(name)}</span>
      <button
        type="button"
        class="button"
        disabled={isAsking}
        aria-busy={isAsking}
        onClick={() => background(continueHere())}
      >
        {l10n.t('Continue Here')}
      </button>
    </div>
  );
}
